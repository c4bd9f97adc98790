"""Numbers as people read them: 61.4k, 47 %, 38 t/s, 1.2 s, $0.021."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from lingque_tui.i18n import t

if TYPE_CHECKING:
    from lingque_tui.domain.messages import TurnFigures


def tokens(number: int) -> str:
    if number < 1_000:
        return str(number)
    if number < 99_950:  # what rounds to 100.0k is 100k
        return f"{number / 1_000:.1f}k"
    if number < 999_500:
        return f"{number / 1_000:.0f}k"
    return f"{number / 1_000_000:.1f}M"


def percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def clock(moment: float, now: float) -> str:
    """The time of day; with the date when it was another day."""
    then, today = datetime.fromtimestamp(moment), datetime.fromtimestamp(now)
    if then.date() == today.date():
        return then.strftime("%H:%M")
    return then.strftime("%m-%d %H:%M" if then.year == today.year else "%Y-%m-%d %H:%M")


def turn_line(figures: TurnFigures | None) -> str:
    """Speed, time to first token and cost, as far as they are known."""
    if figures is None:
        return ""
    shown: list[str] = []
    if (speed := figures.tokens_per_second) is not None:
        shown.append(f"{speed:.0f} t/s")
    if figures.first_token_s is not None:
        shown.append(t("first_token", seconds=f"{figures.first_token_s:.1f}"))
    if figures.cost is not None:
        shown.append(f"${figures.cost:.4f}")
    return "  ".join(shown)
