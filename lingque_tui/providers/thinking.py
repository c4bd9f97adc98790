"""Takes `<think>…</think>` at the very start of a reply apart from the answer.

Hosted services send a model's thinking in a field of its own; many local servers leave the tags in the text.
A tag may be cut anywhere between two pieces. Tags later in the text are left alone: there they are quoted.
"""

from __future__ import annotations

from enum import Enum, auto

from lingque_tui.domain.ports import ReasoningPiece, TextPiece

_OPENING, _CLOSING = "<think>", "</think>"


class _Part(Enum):
    START = auto()
    THINKING = auto()
    GAP = auto()
    """White space between the closing tag and the answer, which belongs to neither."""
    ANSWER = auto()


class ThinkSplitter:
    def __init__(self) -> None:
        self._part = _Part.START
        self._held = ""

    def feed(self, text: str) -> list[TextPiece | ReasoningPiece]:
        if self._part is _Part.ANSWER:
            return [TextPiece(text)] if text else []
        self._held += text
        pieces: list[TextPiece | ReasoningPiece] = []
        if self._part is _Part.START:
            self._start()
        if self._part is _Part.THINKING:
            pieces += self._think()
        if self._part is _Part.GAP:
            self._held = self._held.lstrip()
            self._part = _Part.ANSWER if self._held else _Part.GAP
        if self._part is _Part.ANSWER and self._held:
            pieces.append(TextPiece(self._held))
            self._held = ""
        return pieces

    def finish(self) -> list[TextPiece | ReasoningPiece]:
        """What was held back, once it is known that nothing more comes."""
        held, self._held = self._held, ""
        if not held:
            return []
        return [ReasoningPiece(held)] if self._part is _Part.THINKING else [TextPiece(held)]

    def _start(self) -> None:
        begun = self._held.lstrip()
        if begun.startswith(_OPENING):
            self._held = begun[len(_OPENING) :]
            self._part = _Part.THINKING
        elif not _OPENING.startswith(begun):
            self._part = _Part.ANSWER

    def _think(self) -> list[ReasoningPiece]:
        thought, closing, rest = self._held.partition(_CLOSING)
        if closing:
            self._held, self._part = rest, _Part.GAP
        else:
            keep = _overlap(thought)
            thought, self._held = thought[: len(thought) - keep], thought[len(thought) - keep :]
        return [ReasoningPiece(thought)] if thought else []


def _overlap(text: str) -> int:
    """How many characters at the end of `text` may be the beginning of the closing tag."""
    return next((n for n in range(len(_CLOSING) - 1, 0, -1) if text.endswith(_CLOSING[:n])), 0)
