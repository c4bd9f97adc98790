"""How many tokens a text is to the model in use, and how sure we are.

First the model's own vocabulary, here; then the server's tokenizer, if it can be asked; else an estimate.
Counting runs off the event loop: loading a vocabulary takes a tenth of a second, a long text longer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lingque_tui.domain.context import Quality
from lingque_tui.domain.messages import Message
from lingque_tui.domain.ports import Provider
from lingque_tui.tokens import Counter


class Measurer:
    def __init__(self, counter: Counter, provider: Provider, model: str) -> None:
        self._counter = counter
        self._provider = provider
        self._model = model
        self._server_counts = False

    async def prepare(self) -> None:
        """Find out whether the server counts where we can't."""
        if self._counter.quality is Quality.ESTIMATED:
            self._server_counts = await self._provider.count(["灵雀"]) is not None

    @property
    def quality(self) -> Quality:
        return Quality.EXACT if self._server_counts else self._counter.quality

    @property
    def vocabulary(self) -> str:
        """The name under which counts are kept."""
        return f"{self._provider.name}/{self._model}" if self._server_counts else self._counter.name

    async def count_messages(self, messages: Sequence[Message]) -> list[int]:
        if not messages:
            return []
        own = await asyncio.to_thread(lambda: [self._counter.count_message(message) for message in messages])
        served = await self._ask([message.text for message in messages])
        if served is None:
            return own
        # The server counts texts; what stands around them is the same for every vocabulary.
        bare = await asyncio.to_thread(lambda: [self._counter.count(message.text) for message in messages])
        return [tokens + whole - text for tokens, whole, text in zip(served, own, bare, strict=True)]

    async def count_text(self, text: str) -> int:
        served = await self._ask([text]) if text else None
        return served[0] if served else await asyncio.to_thread(self._counter.count, text)

    def count_now(self, piece: str) -> int:
        """For the small pieces of a stream: our own counter, at once."""
        return self._counter.count(piece)

    async def _ask(self, texts: Sequence[str]) -> list[int] | None:
        return await self._provider.count(texts) if self._server_counts else None
