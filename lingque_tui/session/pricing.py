"""What a turn cost, where the price is known."""

from __future__ import annotations

from dataclasses import replace

from lingque_tui.config.models import cost
from lingque_tui.domain.messages import TurnFigures
from lingque_tui.domain.ports import ModelInfo


def price(info: ModelInfo, figures: TurnFigures) -> TurnFigures:
    if figures.prompt_tokens is None or figures.completion_tokens is None:
        return figures
    return replace(figures, cost=cost(info, figures.prompt_tokens, figures.completion_tokens))
