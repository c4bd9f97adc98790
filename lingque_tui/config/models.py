"""What is known of a model: its window, its longest reply, its price.

Asked in this order, field by field: the config, what the server reported, the offline catalogue of genai-prices.
It refuses to invent: what none of them knows is None, and is shown as unknown.

The catalogue takes about 0.3 s to load: call `describe_model` off the event loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

from lingque_tui.config.schema import ModelSettings
from lingque_tui.domain.ports import ModelInfo

_LOCAL = frozenset({"llamacpp", "lmstudio", "local", "ollama", "vllm"})
"""Here the window is what the server was started with and a token costs nothing: the catalogue has no say."""

_CATALOGUE_NAMES = {"bigmodel": "zhipuai", "glm": "zhipuai", "kimi": "moonshotai", "zhipu": "zhipuai"}

_MILLION = 1_000_000

T = TypeVar("T")


def describe_model(
    provider: str, model: str, settings: Mapping[str, ModelSettings], reported: ModelInfo | None = None
) -> ModelInfo:
    own = [settings[key] for key in (f"{provider}/{model}", model) if key in settings]
    told = reported or ModelInfo(provider, model)
    window = _first(*(entry.window for entry in own), told.window)
    max_output = _first(*(entry.max_output for entry in own), told.max_output)
    listed = _Listed() if provider in _LOCAL else _look_up(provider, model)
    return ModelInfo(
        provider=provider,
        name=model,
        window=_first(window, listed.window),
        max_output=max_output,
        input_price=_first(told.input_price, listed.input_price),
        output_price=_first(told.output_price, listed.output_price),
    )


def cost(info: ModelInfo, prompt_tokens: int, completion_tokens: int) -> float | None:
    """USD for one reply, or None where a price is unknown: half a bill would look like a whole one."""
    if info.input_price is None or info.output_price is None:
        return None
    return (prompt_tokens * info.input_price + completion_tokens * info.output_price) / _MILLION


@dataclass(frozen=True, slots=True)
class _Listed:
    window: int | None = None
    input_price: float | None = None
    output_price: float | None = None


@cache
def _look_up(provider: str, model: str) -> _Listed:
    """A model's window is the same wherever it is served; its price only holds where the provider is known."""
    from genai_prices.data_snapshot import get_snapshot

    catalogue = get_snapshot()
    try:
        _, found = catalogue.find_provider_model(model, None, _CATALOGUE_NAMES.get(provider, provider), None)
    except LookupError:
        return _Listed(window=_window_anywhere(model))
    prices = found.get_prices(datetime.now(UTC))
    window = _first(found.context_window, _window_anywhere(model))
    return _Listed(window, _base_price(prices.input_mtok), _base_price(prices.output_mtok))


def _window_anywhere(model: str) -> int | None:
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, found = get_snapshot().find_provider_model(model.rpartition("/")[2], None, None, None)
    except LookupError:
        return None
    window: int | None = found.context_window
    return window


def _base_price(price: Any) -> float | None:
    """Some prices rise beyond a length; the first step is what a conversation usually pays."""
    base = getattr(price, "base", price)
    return None if base is None else float(base)


def _first(*values: T | None) -> T | None:
    return next((value for value in values if value is not None), None)
