"""The gauge: what the window is spent on, in one line.

Each part has its own glyph beside its own colour, so that it reads without colour too. `┊` is where
compaction starts. A `~` says that a figure is an estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from lingque_tui.domain.context import ContextBill, Quality
from lingque_tui.i18n import t
from lingque_tui.ui import figures

_NARROWEST_BAR = 20
"""Narrower than this a bar says nothing; the figures stay."""


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    glyph: str


SYSTEM, RECENT, DRAFT = Part("system", "█"), Part("recent", "▓"), Part("draft", "▒")
FREE, RESERVE, LINE = Part("free", "·"), Part("reserve", "░"), Part("line", "┊")


def gauge_cells(bill: ContextBill, width: int) -> list[Part]:
    """The bar, cell by cell: parts in the order of the context, the reply's reserve at the far end."""
    window = bill.window or max(bill.used, 1)
    cells: list[Part] = []
    reached = 0
    for part, amount in ((SYSTEM, bill.system), (RECENT, bill.recent), (DRAFT, bill.draft)):
        reached += amount
        end = min(width, round(reached / window * width))
        if amount and end <= len(cells) < width:
            end = len(cells) + 1  # what is there shows, however small
        cells += [part] * (end - len(cells))
    reserved = min(width - len(cells), round(bill.reserve / window * width)) if bill.window else 0
    cells += [FREE] * (width - len(cells) - reserved) + [RESERVE] * reserved
    if bill.line is not None and bill.window:
        cells[min(width - 1, int(bill.line * width))] = LINE
    return cells


def urgency(bill: ContextBill) -> str:
    share = bill.share
    if share is None or share < 0.5:
        return "calm"
    return "urgent" if share > 0.95 or (bill.line and share > bill.line) else "warm"


class Gauge(Widget):
    """Shows a bill. Narrow: only the figures."""

    DEFAULT_CSS = "Gauge { height: 1; width: 1fr; }"

    bill: reactive[ContextBill | None] = reactive(None)

    def watch_bill(self, bill: ContextBill | None) -> None:
        if bill:
            self.tooltip = Content(self._explain(bill))

    def render(self) -> Content:
        bill = self.bill
        if bill is None:
            return Content("")
        text = self._figures(bill)
        width = self.size.width - Content(text).cell_length - 2
        colour = f"bold $gauge-{urgency(bill)}"
        if width < _NARROWEST_BAR or bill.window is None:
            return Content.styled(text, colour)
        return Content.assemble(*self._bar(bill, width), "  ", (text, colour))

    def _bar(self, bill: ContextBill, width: int) -> list[tuple[str, str]]:
        runs: list[tuple[str, str]] = []
        for part in gauge_cells(bill, width):
            style = f"$gauge-{part.name}"
            if runs and runs[-1][1] == style:
                runs[-1] = (runs[-1][0] + part.glyph, style)
            else:
                runs.append((part.glyph, style))
        return runs

    def _figures(self, bill: ContextBill) -> str:
        about = "" if bill.quality is Quality.EXACT else "~"
        used = about + figures.tokens(bill.used)
        if bill.window is None:
            return t("gauge_unknown", used=used)
        return f"{used} / {figures.tokens(bill.window)}  {figures.percent(bill.share or 0)}"

    def _explain(self, bill: ContextBill) -> str:
        lines = [
            f"{part.glyph} {t('gauge_' + part.name)}: {amount:,}"
            for part, amount in (
                (SYSTEM, bill.system),
                (RECENT, bill.recent),
                (DRAFT, bill.draft),
                (RESERVE, bill.reserve),
            )
        ]
        if bill.line is not None and bill.window:
            lines.append(f"{LINE.glyph} {t('gauge_line', share=figures.percent(bill.line))}")
        if bill.left_out:
            lines.append(t("gauge_left_out", count=bill.left_out))
        return "\n".join(lines)
