"""Who there is to talk to, from config, environment, saved keys and this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from lingque_tui.config.schema import Config, Local, ProviderSettings
from lingque_tui.domain.errors import ConfigError, NoModel
from lingque_tui.providers import connections
from lingque_tui.providers.connections import Connection, find_connections, open_provider, split_ref
from lingque_tui.providers.local import LocalProvider
from lingque_tui.providers.openai import OpenAIProvider
from lingque_tui.providers.presets import PRESETS, Preset
from lingque_tui.providers.scripted import ScriptedProvider

KEY = "sk-in-the-environment"


@pytest.fixture(autouse=True)
def without_embedded_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "can_run_local", lambda: False)


def found(
    config: Config | None = None, environment: dict[str, str] | None = None, credentials: dict[str, str] | None = None
) -> dict[str, Connection]:
    rows = find_connections(config or Config(), environment or {}, credentials or {})
    assert len({row.name for row in rows}) == len(rows)
    return {row.name: row for row in rows}


def test_nothing_set_finds_nobody() -> None:
    assert found() == {}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_key_in_the_environment_opens_its_service(preset: Preset) -> None:
    for variable in preset.key_variables:
        connection = found(environment={variable: f" {KEY}\n"})[preset.name]
        assert (connection.key, connection.key_variable) == (KEY, variable)
        assert (connection.base_url, connection.origin) == (preset.base_url, "environment")
        assert connection.models == preset.models


def test_every_service_is_complete() -> None:
    for preset in PRESETS:
        assert preset.base_url.startswith("https://")
        assert preset.models
        assert preset.key_variables
        assert preset.title
        assert "/" not in preset.name


def test_openai_may_be_moved() -> None:
    connection = found(environment={"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})["openai"]
    assert connection.base_url == "http://127.0.0.1:1/v1"


def test_a_saved_key_serves_where_the_environment_has_none() -> None:
    assert found(credentials={"deepseek": "saved"})["deepseek"].origin == "credentials"
    both = found(environment={"DEEPSEEK_API_KEY": KEY}, credentials={"deepseek": "saved"})["deepseek"]
    assert (both.key, both.origin) == (KEY, "environment")


def test_an_empty_key_is_no_key() -> None:
    assert found(environment={"OPENAI_API_KEY": "  "}, credentials={"openai": ""}) == {}


def test_a_server_of_ones_own_may_do_without_a_key() -> None:
    connection = found(environment={"LINGQUE_BASE_URL": "http://127.0.0.1:1/v1"})["custom"]
    assert (connection.key, connection.base_url) == ("", "http://127.0.0.1:1/v1")
    with_key = found(environment={"LINGQUE_BASE_URL": "http://127.0.0.1:1/v1", "LINGQUE_API_KEY": KEY})["custom"]
    assert with_key.key == KEY


def test_the_config_goes_before_what_is_found() -> None:
    config = Config(providers={"openai": ProviderSettings("http://127.0.0.1:1/v1", models=("mine",))})
    connection = found(config, {"OPENAI_API_KEY": KEY})["openai"]
    assert (connection.origin, connection.base_url, connection.models) == ("config", "http://127.0.0.1:1/v1", ("mine",))
    assert connection.key == KEY


def test_a_configured_provider_takes_its_key_from_the_variable_it_names() -> None:
    config = Config(providers={"work": ProviderSettings("http://127.0.0.1:1/v1", api_key_env="WORK_KEY")})
    assert found(config, {"WORK_KEY": KEY})["work"].key == KEY
    missing = found(config)["work"]
    assert (missing.key, missing.key_variable) == ("", "WORK_KEY")
    assert found(config, credentials={"work": "saved"})["work"].key == "saved"


def test_the_embedded_model_needs_weights_and_the_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = Config(local=Local(model_path=str(tmp_path / "Tiny.Q4.gguf")))
    assert "local" not in found(config)
    monkeypatch.setattr(connections, "can_run_local", lambda: True)
    connection = found(config)["local"]
    assert (connection.kind, connection.origin, connection.models) == ("local", "embedded", ("tiny.q4",))


def test_each_kind_opens_its_provider(tmp_path: Path) -> None:
    script = tmp_path / "s.json"
    script.write_text('{"replies": ["a"]}')
    config = Config()
    assert isinstance(open_provider(Connection("a", "A", "openai", base_url="http://x/v1"), config), OpenAIProvider)
    assert isinstance(open_provider(Connection("local", "L", "local", base_url="x.gguf"), config), LocalProvider)
    scripted = found(environment={"LINGQUE_SCRIPTED": str(script)})["scripted"]
    assert isinstance(open_provider(scripted, config), ScriptedProvider)


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    with pytest.raises(NoModel):
        open_provider(Connection("local", "L", "local"), Config())
    with pytest.raises(ConfigError):
        open_provider(Connection("scripted", "S", "scripted", base_url=str(tmp_path / "none.json")), Config())


def test_a_connection_keeps_its_key_to_itself() -> None:
    connection = found(environment={"OPENAI_API_KEY": KEY})["openai"]
    assert KEY not in f"{connection!r} {connection}"


@pytest.mark.parametrize(
    ("ref", "expected"),
    [
        ("deepseek/deepseek-chat", ("deepseek", "deepseek-chat")),
        ("openrouter/qwen/qwen3", ("openrouter", "qwen/qwen3")),
        ("local", ("local", "")),
        ("", ("", "")),
    ],
)
def test_a_reference_names_provider_and_model(ref: str, expected: tuple[str, str]) -> None:
    assert split_ref(ref) == expected
