"""What `GET /models` tells. The list is the protocol's; everything beyond the name is each server's own invention."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.ports import ModelInfo

_WINDOW_FIELDS = ("max_model_len", "context_length", "context_window")
"""vLLM; OpenRouter and Moonshot; Groq."""


def read_models(provider: str, payload: object) -> tuple[ModelInfo, ...] | None:
    """The models in `payload`, or None when it is no such list."""
    rows = payload.get("data") if isinstance(payload, Mapping) else payload
    if rows is None and isinstance(payload, Mapping) and payload.get("object") == "list":
        rows = []  # Ollama without a model says `"data": null`
    if not isinstance(rows, list):
        return None
    return tuple(_model(provider, row) for row in rows if isinstance(row, Mapping) and isinstance(row.get("id"), str))


def _model(provider: str, row: Mapping[str, object]) -> ModelInfo:
    meta, pricing, top = (_mapping(row.get(name)) for name in ("meta", "pricing", "top_provider"))
    return ModelInfo(
        provider=provider,
        name=clean_line(str(row["id"])),
        # llama.cpp's n_ctx is what it runs with; n_ctx_train, beside it, only what the model could do.
        window=_tokens(meta.get("n_ctx")) or next(filter(None, (_tokens(row.get(f)) for f in _WINDOW_FIELDS)), None),
        max_output=_tokens(top.get("max_completion_tokens")),
        input_price=_price(pricing.get("prompt")),
        output_price=_price(pricing.get("completion")),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _tokens(value: object) -> int | None:
    return value if type(value) is int and value > 0 else None


def _price(value: object) -> float | None:
    """OpenRouter: dollars for one token, as text; -1 where the price depends."""
    try:
        price = float(str(value))
    except ValueError:
        return None
    return round(price * 1_000_000, 6) if math.isfinite(price) and price >= 0 else None
