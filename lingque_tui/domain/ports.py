"""The seam between the engine and whoever answers: one protocol, so that everything above it is testable."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

WireMessage = dict[str, Any]
"""One OpenAI-style message dict, exactly as it is sent."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    model: str
    messages: tuple[WireMessage, ...]
    max_tokens: int | None = None
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class TextPiece:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    """Thinking aloud, which some models send beside the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class UsagePiece:
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class FinishPiece:
    """The model said that it was done. A stream that ends without one was cut off."""

    reason: str


Piece = TextPiece | ReasoningPiece | UsagePiece | FinishPiece


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model somebody can talk to. None means unknown, and is shown as unknown."""

    provider: str
    name: str
    window: int | None = None
    max_output: int | None = None
    input_price: float | None = None
    """USD for a million tokens."""
    output_price: float | None = None

    @property
    def ref(self) -> str:
        """How a person names it: `provider/model`."""
        return f"{self.provider}/{self.name}"


class Provider(Protocol):
    """Somebody who answers. Everything it returns has been cleaned of terminal escapes already."""

    @property
    def name(self) -> str: ...

    def stream(self, request: ChatRequest) -> AsyncIterator[Piece]:
        """An async generator. Cancelling the task that iterates it, or `aclose()`, closes the connection at once.

        Raises `ProviderError` only; an end without `FinishPiece` means that the reply was cut off."""
        ...

    async def list_models(self) -> tuple[ModelInfo, ...]: ...

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        """Exact token counts by the server's own tokenizer, or None where it cannot count."""
        ...

    async def warm(self) -> None:
        """Make the first reply fast: import the SDK, start the embedded model. Never raises."""
        ...

    async def close(self) -> None: ...
