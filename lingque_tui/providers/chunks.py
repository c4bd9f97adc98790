"""From the chunks of a stream to pieces.

The SDK doesn't check what servers send: any field may be missing, null or of another type, and each is looked at
with that in mind. Usage and finish are kept until the end: usage comes after the finish from some servers,
in every chunk from others, and whoever listens wants each once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lingque_tui.domain.clean import StreamCleaner
from lingque_tui.domain.ports import FinishPiece, Piece, ReasoningPiece, UsagePiece
from lingque_tui.providers.thinking import ThinkSplitter


class ChunkReader:
    """Reads one reply."""

    def __init__(self) -> None:
        self.finish_reason = ""
        self.chunk_count = 0
        self.error: object = None
        """The body of an error that came as a chunk."""
        self._usage: UsagePiece | None = None
        self._text = StreamCleaner()
        self._reasoning = StreamCleaner()
        self._splitter = ThinkSplitter()

    def read(self, chunk: object) -> list[Piece] | None:
        """The pieces of `chunk`; None when it said nothing at all, and so was but a sign of life."""
        self.chunk_count += 1
        if _is_error(chunk):
            self.error = {"message": _get(chunk, "message"), "type": _get(chunk, "type"), "code": _get(chunk, "code")}
            return []
        choice = _first(_get(chunk, "choices"))
        delta = _get(choice, "delta")
        text = _string(_get(delta, "content"))
        thought = _string(_get(delta, "reasoning_content")) or _string(_get(delta, "reasoning"))
        usage = _usage(_get(chunk, "usage")) or _usage(_get(choice, "usage"))
        finish = _string(_get(choice, "finish_reason"))
        self._usage = usage or self._usage
        self.finish_reason = finish or self.finish_reason
        if not (text or thought or usage or finish or _get(delta, "tool_calls")):
            return None
        return self._said(thought, text)

    def flush(self) -> list[Piece]:
        """What was held back because the next piece might have completed it."""
        pieces = self._said(self._reasoning.finish(), self._text.finish())
        return [*pieces, *self._splitter.finish()]

    def ending(self) -> list[Piece]:
        pieces: list[Piece] = [self._usage] if self._usage else []
        return [*pieces, FinishPiece(self.finish_reason)] if self.finish_reason else pieces

    def _said(self, thought: str, text: str) -> list[Piece]:
        pieces: list[Piece] = []
        if thought := self._reasoning.feed(thought):
            pieces.append(ReasoningPiece(thought))
        if text := self._text.feed(text):
            pieces += self._splitter.feed(text)
        return pieces


def _is_error(chunk: object) -> bool:
    """vLLM's flat `{"object": "error", …}` and LM Studio's events that are a message and nothing else."""
    if _get(chunk, "choices"):
        return False
    return _get(chunk, "object") == "error" or bool(_string(_get(chunk, "message")))


def _get(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else None


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _usage(value: object) -> UsagePiece | None:
    prompt, completion = _get(value, "prompt_tokens"), _get(value, "completion_tokens")
    if type(prompt) is int and type(completion) is int and prompt >= 0 and completion >= 0:
        return UsagePiece(prompt, completion)
    return None
