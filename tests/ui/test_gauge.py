"""The bar's arithmetic, and what the gauge says."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.domain.context import ContextBill, Quality
from lingque_tui.ui.gauge import DRAFT, FREE, LINE, RECENT, RESERVE, SYSTEM, gauge_cells, urgency
from tests.support.scripts import Home
from tests.ui.chat import Puppet, chatting

ORDER = [SYSTEM, RECENT, DRAFT, FREE, RESERVE]
amounts = st.integers(0, 2_000_000)
widths = st.integers(1, 300)
bills = st.builds(
    ContextBill,
    system=amounts,
    recent=amounts,
    draft=amounts,
    reserve=amounts,
    window=st.none() | st.integers(1, 2_000_000),
    line=st.none() | st.floats(0.01, 1.0),
)


@given(bills, widths)
def test_the_bar_is_as_wide_as_asked_and_its_parts_are_in_order(bill: ContextBill, width: int) -> None:
    cells = gauge_cells(bill, width)
    assert len(cells) == width
    places = [ORDER.index(cell) for cell in cells if cell is not LINE]
    assert places == sorted(places)


@given(bills, widths)
def test_the_line_stands_at_its_share_of_the_bar(bill: ContextBill, width: int) -> None:
    places = [place for place, cell in enumerate(gauge_cells(bill, width)) if cell is LINE]
    if bill.line is None or bill.window is None:
        assert places == []
    else:
        assert places == [min(width - 1, int(bill.line * width))]


@given(st.tuples(*[st.integers(0, 300)] * 3), st.integers(3, 300))
def test_what_is_there_shows_however_small(spent: tuple[int, int, int], width: int) -> None:
    cells = gauge_cells(ContextBill(*spent, window=2_000_000), width)
    assert [part for part in (SYSTEM, RECENT, DRAFT) if part in cells] == [
        part for part, amount in zip((SYSTEM, RECENT, DRAFT), spent, strict=True) if amount
    ]


@given(bills, widths)
def test_a_full_window_leaves_nothing_free(bill: ContextBill, width: int) -> None:
    if bill.share is not None and bill.share >= 1:
        assert FREE not in gauge_cells(bill, width)


def test_neighbouring_parts_have_glyphs_of_their_own() -> None:
    glyphs = [part.glyph for part in (*ORDER, LINE)]
    assert all(one != other for one, other in itertools.combinations(glyphs, 2))


@pytest.mark.parametrize(
    ("bill", "mood"),
    [
        (ContextBill(recent=10), "calm"),
        (ContextBill(recent=49, window=100), "calm"),
        (ContextBill(recent=50, window=100, line=0.8), "warm"),
        (ContextBill(recent=80, window=100, line=0.8), "warm"),
        (ContextBill(recent=81, window=100, line=0.8), "urgent"),
        (ContextBill(recent=95, window=100), "warm"),
        (ContextBill(recent=96, window=100), "urgent"),
    ],
)
def test_its_colour_grows_urgent_with_what_is_spent(bill: ContextBill, mood: str) -> None:
    assert urgency(bill) == mood


async def test_the_gauge_counts_the_draft_while_it_is_typed(home: Home, puppet: Puppet) -> None:
    async with chatting(home, puppet) as chat:
        await chat.until(lambda: "/ 8.2k" in chat.line_of("gauge"))
        assert "▒" not in chat.line_of("gauge")
        await chat.type("word " * 200)
        await chat.until(lambda: "▒" in chat.line_of("gauge"))


async def test_the_figures_stay_where_the_bar_finds_no_room(home: Home, puppet: Puppet) -> None:
    async with chatting(home, puppet, size=(34, 20)) as chat:
        await chat.until(lambda: "/ 8.2k" in chat.line_of("gauge"))
        assert "·" not in chat.line_of("gauge")


async def test_an_exact_count_has_no_tilde(home: Home, puppet: Puppet) -> None:
    async with chatting(home, puppet) as chat:
        gauge = chat.window.query_one("#gauge")
        for quality, figures in ((Quality.ESTIMATED, "~1.0k / 4.0k"), (Quality.EXACT, " 1.0k / 4.0k")):
            gauge.bill = ContextBill(recent=1000, window=4000, quality=quality)  # type: ignore[attr-defined]
            await chat.shown(figures)
