"""Tables that fit: columns share the width, cells wrap, nothing is cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from textual.content import Content

from lingque_tui.ui.wrapping import wrap_offsets

_BETWEEN = " │ "
_NARROWEST = 4


def table_rows(table: Sequence[Sequence[Content]], width: int) -> Iterator[Content]:
    """The table as rows of at most `width` cells (as long as there is room for four cells a column)."""
    columns = max(map(len, table), default=0)
    if not columns:
        return
    widths = fit_columns(natural_widths(table, columns), width - len(_BETWEEN) * (columns - 1))
    for index, row in enumerate(table):
        cells = [*row, *[Content("")] * (columns - len(row))]
        for line in _lines(cells, widths):
            yield line.stylize("bold") if index == 0 else line
        if index == 0:
            yield Content.styled("─┼─".join("─" * column for column in widths), "$gauge-reserve")


def natural_widths(table: Sequence[Sequence[Content]], columns: int) -> list[int]:
    return [max((row[i].cell_length for row in table if i < len(row)), default=1) or 1 for i in range(columns)]


def fit_columns(widths: Sequence[int], room: int) -> list[int]:
    """Take from the widest first, until all fit or all are as narrow as can be."""
    fitted = list(widths)
    surplus = sum(fitted) - room
    while surplus > 0:
        widest = max(fitted)
        if widest <= _NARROWEST:
            break
        second = max((width for width in fitted if width < widest), default=_NARROWEST)
        share = max(1, min(widest - max(second, _NARROWEST), surplus // fitted.count(widest)))
        for index, width in enumerate(fitted):
            if width == widest and surplus > 0:
                fitted[index] -= share
                surplus -= share
    return fitted


def _lines(cells: Sequence[Content], widths: Sequence[int]) -> Iterator[Content]:
    wrapped = [cell.divide(wrap_offsets(cell.plain, width)) for cell, width in zip(cells, widths, strict=True)]
    between = Content.styled(_BETWEEN, "$gauge-reserve")
    for line in zip_longest(*wrapped, fillvalue=Content("")):
        padded = [_pad(piece, width) for piece, width in zip(line, widths, strict=True)]
        yield between.join(padded)


def _pad(cell: Content, width: int) -> Content:
    cell = cell.rstrip()
    return cell.pad_right(max(0, width - cell.cell_length))
