"""What is known of a model comes from the config, then the server, then the catalogue, then nobody."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lingque_tui.config.models import cost, describe_model
from lingque_tui.config.schema import ModelSettings
from lingque_tui.domain.ports import ModelInfo


def test_the_catalogue_knows_windows_and_prices() -> None:
    info = describe_model("openai", "gpt-4o", {})
    assert info == ModelInfo("openai", "gpt-4o", window=128_000, input_price=2.5, output_price=10.0)


def test_the_server_knows_better_than_the_catalogue() -> None:
    reported = ModelInfo("openai", "gpt-4o", window=32_000, max_output=4_096, input_price=1.0)
    info = describe_model("openai", "gpt-4o", {}, reported)
    assert info == ModelInfo("openai", "gpt-4o", 32_000, 4_096, input_price=1.0, output_price=10.0)


def test_the_config_knows_best_and_the_full_name_goes_first() -> None:
    settings = {
        "openai/gpt-4o": ModelSettings(window=1_000),
        "gpt-4o": ModelSettings(window=2_000, max_output=500),
    }
    reported = ModelInfo("openai", "gpt-4o", window=32_000, max_output=4_096)
    here = describe_model("openai", "gpt-4o", settings, reported)
    elsewhere = describe_model("proxy", "gpt-4o", settings, reported)
    assert (here.window, here.max_output) == (1_000, 500)
    assert (elsewhere.window, elsewhere.max_output) == (2_000, 500)


def test_a_provider_nobody_knows_serves_the_known_window_at_an_unknown_price() -> None:
    info = describe_model("office-proxy", "gpt-4o", {})
    assert (info.window, info.input_price, info.output_price) == (128_000, None, None)


@pytest.mark.parametrize("provider", ["ollama", "lmstudio", "llamacpp", "vllm", "local"])
def test_a_local_server_decides_its_own_window(provider: str) -> None:
    assert describe_model(provider, "gpt-oss-20b", {}) == ModelInfo(provider, "gpt-oss-20b")


def test_an_unknown_model_stays_unknown() -> None:
    assert describe_model("openai", "no-such-model", {}) == ModelInfo("openai", "no-such-model")
    assert describe_model("nobody", "nothing", {}) == ModelInfo("nobody", "nothing")


def test_a_price_in_steps_gives_its_first_step() -> None:
    info = describe_model("google", "gemini-2.5-pro", {})
    assert (info.input_price, info.output_price) == (1.25, 10.0)


@pytest.mark.parametrize("alias", ["kimi", "moonshot", "moonshotai"])
def test_a_provider_may_go_by_its_other_names(alias: str) -> None:
    assert describe_model(alias, "kimi-k2-0905-preview", {}).input_price is not None


def test_a_reply_is_billed_by_the_million() -> None:
    info = ModelInfo("p", "m", input_price=2.0, output_price=8.0)
    assert cost(info, 500_000, 250_000) == pytest.approx(3.0)
    assert cost(info, 0, 0) == 0.0


@pytest.mark.parametrize("info", [ModelInfo("p", "m", input_price=2.0), ModelInfo("p", "m", output_price=2.0)])
def test_half_a_price_gives_no_bill(info: ModelInfo) -> None:
    assert cost(info, 1_000, 1_000) is None


def test_the_catalogue_is_loaded_only_when_asked() -> None:
    program = "import sys, lingque_tui.config.models; sys.exit('genai_prices' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
