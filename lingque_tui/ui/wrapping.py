"""Where a line breaks: between words, and between any two Chinese characters, as Chinese is set.

Closing punctuation never begins a row, opening punctuation never ends one. Textual breaks at blanks only,
which leaves half of a mixed line empty.
"""

from __future__ import annotations

import re

from rich.cells import cell_len

_WIDE = (
    "\u1100-\u115f\u2e80-\u303f\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
)
_OPENING = "（〔［｛〈《「『【“‘"
_CLOSING = re.escape("，。、；：？！…—～）〕］｝〉》」』】”’,.;:?!)]}%")
_UNIT = re.compile(
    rf"[ \t]+"
    rf"|[{_OPENING}]*[{_WIDE}][{_CLOSING}]*"
    rf"|[{_OPENING}]*(?:(?![{_WIDE}{_OPENING}])[^ \t])+(?:[{_CLOSING}](?![^ \t{_WIDE}]))*"
    rf"|."
)


def wrap_offsets(text: str, width: int) -> list[int]:
    """Positions at which `text`, one line without newlines, is cut into rows of at most `width` cells.

    Blanks at a break stay with the row they end; they may stick out, for nobody sees them."""
    if len(text) * 2 <= width or cell_len(text) <= width:
        return []
    offsets: list[int] = []
    used = 0
    for match in _UNIT.finditer(text):
        unit = match[0]
        cells = cell_len(unit)
        if used + cells <= width or unit.isspace():
            used += cells
            continue
        if used:
            offsets.append(match.start())
        used = cells
        if cells > width:
            used = _fold(unit, match.start(), width, offsets)
    return offsets


def _fold(unit: str, start: int, width: int, offsets: list[int]) -> int:
    """Cut a word that is wider than a whole row, wherever the row ends; returns the cells of its last piece."""
    used = 0
    for index, character in enumerate(unit):
        cells = cell_len(character)
        if used and used + cells > width:
            offsets.append(start + index)
            used = 0
        used += cells
    return used


def fold_offsets(text: str, width: int) -> list[int]:
    """For code: every column counts, so cut just where the row is full."""
    offsets: list[int] = []
    if cell_len(text) > width:
        _fold(text, 0, width, offsets)
    return offsets
