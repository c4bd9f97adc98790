"""A provider that says what it is told to: for tests, screenshots and measurements, where no model must interfere.

Deterministic: the same script gives the same pieces. It keeps the provider's promises, cleaning included.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from lingque_tui.domain.clean import StreamCleaner
from lingque_tui.domain.errors import ConfigError, ProviderError
from lingque_tui.domain.ports import (
    ChatRequest,
    FinishPiece,
    ModelInfo,
    Piece,
    ReasoningPiece,
    TextPiece,
    UsagePiece,
)


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply, and how it goes wrong."""

    text: str = ""
    reasoning: str = ""
    """Sent before the text."""
    cut_after: int | None = None
    """End after so many pieces, without a finish."""
    error: Exception | None = None
    """Raised after `cut_after` pieces, or after the whole text."""
    delay_s: float | None = None
    """Before each piece; None: as the provider was told."""
    first_delay_s: float = 0.0
    """Before the first piece, in addition."""
    finish_reason: str = "stop"


class ScriptedProvider:
    """Answers the first request with the first entry, and so on; the last entry repeats. `requests` keeps them all."""

    name = "scripted"

    def __init__(
        self,
        script: Sequence[str | Exception | Reply],
        delay_s: float = 0.0,
        piece_size: int = 8,
        window: int | None = 8192,
    ) -> None:
        if not script:
            raise ValueError("a script needs at least one reply")
        self._script = [_as_reply(entry) for entry in script]
        self._delay_s = delay_s
        self._piece_size = max(1, piece_size)
        self._window = window
        self.requests: list[ChatRequest] = []

    @classmethod
    def from_file(cls, path: Path) -> ScriptedProvider:
        """`{"replies": ["…", {"text": "…", "error": "rate_limited"}], "delay_s": 0.01, "piece_size": 8}`."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            replies = [_from_json(entry) for entry in content.pop("replies")]
            return cls(replies, **content)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as problem:
            found = f"{type(problem).__name__}: {problem}"
            raise ConfigError(file=path, key="replies", found=found, expected="{replies: […]}") from problem

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        reply = self._script[min(len(self.requests), len(self._script) - 1)]
        self.requests.append(request)
        delay_s = self._delay_s if reply.delay_s is None else reply.delay_s
        pieces = self._pieces(reply)
        await asyncio.sleep(reply.first_delay_s)
        for piece in pieces[: reply.cut_after]:
            await asyncio.sleep(delay_s)
            yield piece
        if reply.error is not None:
            raise reply.error
        if reply.cut_after is None:
            yield UsagePiece(_rough_tokens(request), len(pieces))
            yield FinishPiece(reply.finish_reason)

    async def list_models(self) -> tuple[ModelInfo, ...]:
        return (ModelInfo(provider=self.name, name="scripted", window=self._window),)

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        return None

    async def warm(self) -> None:
        return None

    async def close(self) -> None:
        return None

    def _pieces(self, reply: Reply) -> list[ReasoningPiece | TextPiece]:
        thoughts = [ReasoningPiece(text) for text in _cut(reply.reasoning, self._piece_size)]
        return [*thoughts, *(TextPiece(text) for text in _cut(reply.text, self._piece_size))]


def _as_reply(entry: str | Exception | Reply) -> Reply:
    match entry:
        case str():
            return Reply(entry)
        case Exception():
            return Reply(error=entry)
        case Reply():
            return entry


def _from_json(entry: Any) -> Reply:
    if isinstance(entry, str):
        return Reply(entry)
    known = {field.name for field in fields(Reply)}
    if not isinstance(entry, Mapping) or set(entry) - known:
        raise ValueError(f"{entry!r}: {', '.join(sorted(known))}")
    error = entry.get("error")
    return Reply(**{**entry, "error": _error(error) if error else None})


def _error(code: str) -> ProviderError:
    """An error by the name it has in the catalogue, for instance `rate_limited`."""
    kinds = {kind.code: kind for kind in ProviderError.__subclasses__()}
    return kinds[code](provider="scripted", detail=code, url="", variable="", model="scripted", seconds=0)


def _cut(text: str, size: int) -> list[str]:
    cleaner = StreamCleaner()
    pieces = [cleaner.feed(text[start : start + size]) for start in range(0, len(text), size)]
    return [piece for piece in [*pieces, cleaner.finish()] if piece]


def _rough_tokens(request: ChatRequest) -> int:
    return sum(len(str(message.get("content", ""))) for message in request.messages) // 4
