from __future__ import annotations

from datetime import datetime

import pytest

from lingque_tui import i18n
from lingque_tui.domain.messages import TurnFigures
from lingque_tui.ui import figures


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (8_192, "8.2k"),
        (61_440, "61.4k"),
        (99_949, "99.9k"),
        (99_950, "100k"),
        (128_000, "128k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (1_048_576, "1.0M"),
        (2_000_000, "2.0M"),
    ],
)
def test_tokens_are_short(number: int, shown: str) -> None:
    assert figures.tokens(number) == shown


@pytest.mark.parametrize(("share", "shown"), [(0, "0 %"), (0.004, "0 %"), (0.47, "47 %"), (1, "100 %"), (1.2, "120 %")])
def test_a_share_is_a_whole_percentage(share: float, shown: str) -> None:
    assert figures.percent(share) == shown


@pytest.mark.parametrize(
    ("then", "shown"),
    [
        (datetime(2026, 3, 14, 9, 5), "09:05"),
        (datetime(2026, 3, 13, 23, 59), "03-13 23:59"),
        (datetime(2025, 12, 31, 8, 0), "2025-12-31 08:00"),
    ],
)
def test_a_moment_names_its_day_only_where_it_was_another(then: datetime, shown: str) -> None:
    now = datetime(2026, 3, 14, 15, 0)
    assert figures.clock(then.timestamp(), now.timestamp()) == shown


@pytest.mark.parametrize(
    ("turn", "shown"),
    [
        (None, ""),
        (TurnFigures(), ""),
        (TurnFigures(completion_tokens=80, duration_s=2.5, first_token_s=0.5), "40 t/s  first word 0.5 s"),
        (TurnFigures(first_token_s=1.24), "first word 1.2 s"),
        (TurnFigures(cost=0.0214), "$0.0214"),
        (TurnFigures(completion_tokens=10, duration_s=0.5, first_token_s=0.5), "first word 0.5 s"),
    ],
)
def test_a_turn_tells_what_is_known_of_it(turn: TurnFigures | None, shown: str) -> None:
    i18n.use("en")
    assert figures.turn_line(turn) == shown
