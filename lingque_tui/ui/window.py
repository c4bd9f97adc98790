"""Arithmetic of the transcript's window: how much of a long conversation is mounted. No widget in here.

Every widget and every row costs on each layout; so only what a person can see, and a little around it, is
mounted. Estimates are enough: being wrong by a screen costs one more page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from lingque_tui.domain.messages import Message

WIDGET_BUDGET = 240
"""Widgets mounted at most, by estimate: four screens or so. Each one costs on every layout."""

MONSTER_CHARACTERS = 60_000
MONSTER_LINES = 3_000
MONSTER_LINE = 5_000
MONSTER_TABLE_CELLS = 1_500
"""Beyond these, Markdown takes seconds to lay out; such a text is drawn plain, in parts."""

PART_CHARACTERS = 4_000


def estimated_rows(text: str, width: int) -> int:
    """Rows a text takes. Wide characters count double."""
    shown = text[:PART_CHARACTERS] if is_monster(text) else text
    return 2 + sum(1 + cell_len(line) // max(width, 20) for line in shown.split("\n"))


def weight(message: Message) -> int:
    """What it costs to have a message mounted: a few widgets, and its rows."""
    shown = PART_CHARACTERS if is_monster(message.text) else len(message.text)
    return 4 + shown // 400


def is_monster(text: str) -> bool:
    if len(text) > MONSTER_CHARACTERS or text.count("\n") > MONSTER_LINES:
        return True
    lines = text.split("\n")
    cells = sum(line.count("|") for line in lines if line.lstrip().startswith("|"))
    return cells > MONSTER_TABLE_CELLS or max(map(len, lines)) > MONSTER_LINE


def newest_to_fill(messages: Sequence[Message], width: int, rows: int) -> Sequence[Message]:
    """The end of `messages` that fills `rows`, at least one message."""
    return messages[len(messages) - _how_many(reversed(messages), width, rows) :]


def oldest_to_fill(messages: Sequence[Message], width: int, rows: int) -> Sequence[Message]:
    """The beginning of `messages` that fills `rows`, at least one message."""
    return messages[: _how_many(messages, width, rows)]


def _how_many(messages: Iterable[Message], width: int, rows: int) -> int:
    filled = number = 0
    for message in messages:
        number += 1
        filled += estimated_rows(message.text, width)
        if filled >= rows:
            break
    return number


def surplus(weights: Sequence[int], budget: int = WIDGET_BUDGET) -> int:
    """How many from the front must go so that the rest fits; the last one always stays."""
    total, going = sum(weights), 0
    for cost in weights[:-1]:
        if total <= budget:
            break
        total -= cost
        going += 1
    return going


def parts(text: str, size: int = PART_CHARACTERS) -> list[str]:
    """A monster in pieces a widget can draw, cut at line ends where there are any."""
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = min(start + size, len(text))
        if end < len(text) and (newline := text.rfind("\n", start + size // 2, end)) > 0:
            end = newline + 1
        pieces.append(text[start:end])
        start = end
    return pieces
