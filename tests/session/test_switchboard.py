"""Who answers: never a hosted service that nobody chose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.config.schema import Config, Discovery, ModelSettings, ProviderSettings
from lingque_tui.domain.errors import LingqueError, NoModel, ServerFailed, UnknownProvider
from lingque_tui.domain.ports import ModelInfo
from lingque_tui.providers import connections
from lingque_tui.providers.openai import OpenAIProvider
from lingque_tui.providers.presets import PRESETS
from lingque_tui.session.switchboard import Choice, Switchboard
from tests.session.players import Puppet
from tests.support.chat_server import ChatServer

ALL_KEYS = {variable: "sk-every-key-there-is" for preset in PRESETS for variable in preset.key_variables}
QUIET = Config(discovery=Discovery(enabled=False))


@pytest.fixture(autouse=True)
def without_embedded_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "can_run_local", lambda: False)


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"replies": ["hi"]}), encoding="utf-8")
    return str(path)


class Closable(Puppet):
    def __init__(self) -> None:
        super().__init__()
        self.closed = 0

    async def close(self) -> None:
        self.closed += 1


@given(st.sets(st.sampled_from(sorted(ALL_KEYS))))
def test_auto_never_picks_a_hosted_service(variables: set[str]) -> None:
    switchboard = Switchboard(QUIET, {name: ALL_KEYS[name] for name in variables}, {})
    with pytest.raises(NoModel):
        switchboard.choose("auto")


def test_auto_takes_the_last_one_used(script: str) -> None:
    switchboard = Switchboard(QUIET, {**ALL_KEYS, "LINGQUE_SCRIPTED": script}, {})
    assert switchboard.choose("auto").ref == "scripted/scripted"
    assert switchboard.choose("auto", "deepseek/deepseek-chat").ref == "deepseek/deepseek-chat"
    assert switchboard.choose("", "gone/model").ref == "scripted/scripted", "one that is gone is passed over"


def test_an_unknown_provider_is_told_with_those_that_are_known(script: str) -> None:
    switchboard = Switchboard(QUIET, {"DEEPSEEK_API_KEY": "k", "LINGQUE_SCRIPTED": script}, {})
    with pytest.raises(UnknownProvider) as unknown:
        switchboard.choose("depseek\x1b[2J/chat")
    assert "deepseek" in unknown.value.what and "scripted" in unknown.value.what
    assert "\x1b" not in unknown.value.what


def test_a_bare_provider_means_its_first_model() -> None:
    switchboard = Switchboard(QUIET, {"DEEPSEEK_API_KEY": "k"}, {})
    preset = next(preset for preset in PRESETS if preset.name == "deepseek")
    assert switchboard.choose("deepseek").model == preset.models[0]
    assert switchboard.choose("deepseek/a/b").model == "a/b"
    assert switchboard.choose("deepseek/\x1b[2Ja\ud800 \n").model == "a\ufffd", "names are text from outside too"


def test_a_server_without_any_model_is_no_choice() -> None:
    config = Config(providers={"mine": ProviderSettings(base_url="http://127.0.0.1:9/v1")})
    with pytest.raises(NoModel):
        Switchboard(config, {}, {}).choose("mine")


async def test_each_provider_is_opened_once_and_closed_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Closable] = []

    def open_provider(*_: object) -> Closable:
        opened.append(Closable())
        return opened[-1]

    monkeypatch.setattr("lingque_tui.session.switchboard.open_provider", open_provider)
    switchboard = Switchboard(QUIET, {"DEEPSEEK_API_KEY": "old", "MOONSHOT_API_KEY": "same"}, {})
    first, other = switchboard.choose("deepseek"), switchboard.choose("moonshot")
    assert switchboard.choose("deepseek/other").provider is first.provider
    switchboard._environment = {"DEEPSEEK_API_KEY": "new", "MOONSHOT_API_KEY": "same"}
    switchboard.refresh({})
    assert switchboard.choose("moonshot").provider is other.provider, "what has not changed stays open"
    assert switchboard.choose("deepseek").provider is not first.provider, "a new key needs a new connection"
    assert [provider.closed for provider in opened] == [0, 0, 0], "a reply may still come from the old one"
    await switchboard.close()
    assert [provider.closed for provider in opened] == [1, 1, 1]


async def test_offers_come_from_the_servers_and_a_silent_one_says_why() -> None:
    async with (
        ChatServer(models=[{"id": "listed"}, {"id": "listed"}, {"id": "new"}]) as server,
        ChatServer(key="secret") as locked,
    ):
        config = Config(
            discovery=Discovery(enabled=False),
            providers={
                "open": ProviderSettings(base_url=server.url, models=("suggested", "listed")),
                "locked": ProviderSettings(base_url=locked.url, models=("unknown",)),
            },
        )
        switchboard = Switchboard(config, {}, {})
        offers = {offer.connection.name: offer for offer in await switchboard.offers()}
        await switchboard.close()
    assert [info.name for info in offers["open"].models] == ["suggested", "listed", "new"]
    assert offers["open"].error is None
    assert [info.name for info in offers["locked"].models] == ["unknown"]
    assert isinstance(offers["locked"].error, LingqueError) and offers["locked"].error.next_step


async def test_a_server_is_asked_for_its_window_where_it_knows_best() -> None:
    async with ChatServer(models=[{"id": "m", "max_model_len": 4321}]) as server:
        provider = OpenAIProvider("mine", server.url, "")
        assert (await Choice(provider, "m", Config(), asks_server=True).describe()).window == 4321
        own = Config(models={"mine/m": ModelSettings(window=99)})
        assert (await Choice(provider, "m", own, asks_server=True).describe()).window == 99
        await provider.close()


async def test_a_server_that_cannot_say_leaves_the_window_unknown() -> None:
    class Mute(Puppet):
        async def list_models(self) -> tuple[ModelInfo, ...]:
            raise ServerFailed(provider="mute", detail="boom")

    assert (await Choice(Mute(), "nobody-knows-it", Config(), asks_server=True).describe()).window is None
