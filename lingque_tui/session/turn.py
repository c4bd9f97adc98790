"""One request and its reply, from the first byte to the last checkpoint.

The reply gets its row in the store with its first word and is checkpointed by a clock of its own, so that a
crash costs less than a second of text even while the server pauses. However the turn ends (done, stopped,
cut, failed), what had arrived is kept and the row says how it ended.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, assert_never, cast

from lingque_tui.domain.errors import (
    BadReply,
    LengthReached,
    LingqueError,
    ProviderError,
    ReplyCut,
    StoreError,
)
from lingque_tui.domain.events import Event, ReplyEnded, ReplyGrew, ReplyStarted, RetryScheduled
from lingque_tui.domain.messages import Message, MessageState, Role, TurnFigures
from lingque_tui.domain.ports import (
    ChatRequest,
    FinishPiece,
    ModelInfo,
    Piece,
    Provider,
    ReasoningPiece,
    TextPiece,
    UsagePiece,
)
from lingque_tui.i18n import t
from lingque_tui.providers.retry import retry_delay
from lingque_tui.session.failures import as_lingque_error
from lingque_tui.session.patience import to_the_end
from lingque_tui.session.pricing import price
from lingque_tui.store import Store

CHECKPOINT_EVERY_S = 0.4
"""Well under the promised second: the commit itself takes time on a slow disk."""

_FINISHED_BY_LENGTH = frozenset({"length", "max_tokens"})


class Turn:
    def __init__(
        self,
        *,
        store: Store,
        session_id: str,
        provider: Provider,
        info: ModelInfo,
        request: ChatRequest,
        emit: Callable[[Event], None],
        retries: int = 0,
        sleep: Callable[[float], Coroutine[Any, Any, None]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._session_id = session_id
        self._provider = provider
        self._info = info
        self._request = request
        self._emit = emit
        self._retries = retries
        self._sleep = sleep
        self._reply: Message | None = None
        self._has_ended = False
        self._saved_length = 0
        self._figures = TurnFigures()
        self._began = 0.0

    @property
    def live_reply(self) -> Message | None:
        """The reply as far as it has come."""
        return self._reply

    async def run(self) -> None:
        """Raises what kept the first word from coming; everything later ends in `ReplyEnded`."""
        attempt = 0
        while True:
            try:
                return await self._attempt()
            except asyncio.CancelledError:
                await self._end(MessageState.INTERRUPTED)
                raise
            except Exception as problem:
                error = as_lingque_error(problem)
                if self._reply is not None:
                    return await self._end(MessageState.INTERRUPTED, error)
                attempt += 1
                if not isinstance(error, ProviderError) or not error.retriable or attempt > self._retries:
                    raise error from error.__cause__
                await self._wait_to_retry(error, attempt)

    async def _wait_to_retry(self, error: ProviderError, attempt: int) -> None:
        delay = retry_delay(error, attempt)
        self._emit(RetryScheduled(error, attempt, delay))
        await self._sleep(delay)

    async def _attempt(self) -> None:
        self._began = time.monotonic()
        finish: str | None = None
        # The protocol promises an async generator; its type only says iterator.
        stream = cast("Any", self._provider.stream(self._request))
        async with aclosing(stream) as pieces, _beside(self._checkpoint_regularly()):
            async for piece in pieces:
                finish = await self._take(piece) or finish
        if self._reply is None:
            raise BadReply(provider=self._provider.name, detail=t("provider.detail.empty"))
        if finish is None:
            await self._end(MessageState.INTERRUPTED, ReplyCut(provider=self._provider.name))
        elif finish in _FINISHED_BY_LENGTH:
            await self._end(MessageState.COMPLETE, LengthReached(provider=self._provider.name))
        else:
            await self._end(MessageState.COMPLETE)

    async def _take(self, piece: Piece) -> str | None:
        match piece:
            case TextPiece(text):
                await self._grow(text, "")
            case ReasoningPiece(text):
                await self._grow("", text)
            case UsagePiece(prompt, completion):
                self._figures = replace(self._figures, prompt_tokens=prompt, completion_tokens=completion)
            case FinishPiece(reason):
                return reason
            case _:
                assert_never(piece)
        return None

    async def _grow(self, text: str, reasoning: str) -> None:
        if self._reply is None:
            self._figures = replace(self._figures, first_token_s=time.monotonic() - self._began)
            await to_the_end(self._start(text, reasoning))  # a row that was begun must be known, to get its ending
            return
        self._reply = replace(self._reply, text=self._reply.text + text, reasoning=self._reply.reasoning + reasoning)
        self._emit(ReplyGrew(self._reply.id, text, reasoning))

    async def _start(self, text: str, reasoning: str) -> None:
        self._reply = await self._store.append(
            self._session_id,
            Role.ASSISTANT,
            text,
            reasoning=reasoning,
            state=MessageState.STREAMING,
            model=self._info.ref,
        )
        self._saved_length = len(text) + len(reasoning)
        self._emit(ReplyStarted(self._reply))

    async def _checkpoint_regularly(self) -> None:
        while True:
            await asyncio.sleep(CHECKPOINT_EVERY_S)
            reply = self._reply
            if reply and (length := len(reply.text) + len(reply.reasoning)) > self._saved_length:
                with suppress(StoreError):  # the next one tries again, and the ending tells
                    await self._store.checkpoint(reply.id, reply.text, reply.reasoning)
                    self._saved_length = length

    async def _end(self, state: MessageState, error: LingqueError | None = None) -> None:
        """Once, and whole: whoever stops the turn in this moment waits for it."""
        if self._reply is not None and not self._has_ended:
            self._has_ended = True
            await to_the_end(self._finish(self._reply, state, error))

    async def _finish(self, reply: Message, state: MessageState, error: LingqueError | None) -> None:
        figures = price(self._info, replace(self._figures, duration_s=time.monotonic() - self._began))
        try:
            reply = await self._store.finish(
                reply.id, text=reply.text, reasoning=reply.reasoning, state=state, figures=figures
            )
        except StoreError as failure:  # what arrived stays in sight; the next opening marks the row
            reply, error = replace(reply, state=MessageState.INTERRUPTED), failure
        self._reply = reply
        self._emit(ReplyEnded(reply, error))


@asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run `work` for as long as the block runs, and not a moment longer."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])  # not `await task`: its cancellation and ours would look the same
