"""The provider when there is none: everything can be read, and sending says how to connect somebody."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from lingque_tui.domain.errors import NoModel
from lingque_tui.domain.ports import ChatRequest, ModelInfo, Piece

NOBODY = "nobody"


class Nobody:
    name = NOBODY

    async def stream(self, request: ChatRequest) -> AsyncIterator[Piece]:
        raise NoModel(provider=self.name, detail="")
        yield  # an async generator, as the protocol asks

    async def list_models(self) -> tuple[ModelInfo, ...]:
        return ()

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        return None

    async def warm(self) -> None: ...

    async def close(self) -> None: ...
