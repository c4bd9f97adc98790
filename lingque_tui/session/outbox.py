"""One event stream per session, for as many listeners as there are.

A listener that falls behind gets deltas merged, never endings dropped: memory stays bounded by what the
reply holds anyway, and the last word on every message always arrives.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from types import TracebackType

from lingque_tui.domain.events import ContextMeasured, Event, ReplyGrew

_MAY_MERGE = (ReplyGrew, ContextMeasured)


class Outbox:
    def __init__(self) -> None:
        self._listeners: set[Subscription] = set()
        self._is_closed = False

    def emit(self, event: Event) -> None:
        for listener in self._listeners:
            listener.put(event)

    def subscribe(self) -> Subscription:
        """Use as `with outbox.subscribe() as events: async for event in events: …`."""
        subscription = Subscription(self)
        self._listeners.add(subscription)
        if self._is_closed:
            subscription.end()
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        self._listeners.discard(subscription)

    def close(self) -> None:
        """Everybody gets what is still on its way, then the end."""
        self._is_closed = True
        for listener in tuple(self._listeners):
            listener.end()


class Subscription(AsyncIterator[Event]):
    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._pending: deque[Event] = deque()
        self._wake = asyncio.Event()
        self._ended = False

    def put(self, event: Event) -> None:
        if not self._merge(event):
            self._pending.append(event)
        self._wake.set()

    def _merge(self, event: Event) -> bool:
        """Into an earlier one of its kind that nothing but other deltas stand behind."""
        if not isinstance(event, _MAY_MERGE):
            return False
        for index in range(len(self._pending) - 1, -1, -1):
            if (merged := merge(self._pending[index], event)) is not None:
                self._pending[index] = merged
                return True
            if not isinstance(self._pending[index], _MAY_MERGE):
                return False
        return False

    def end(self) -> None:
        self._ended = True
        self._wake.set()

    async def __anext__(self) -> Event:
        while not self._pending:
            if self._ended:
                raise StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()
        return self._pending.popleft()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._outbox.unsubscribe(self)


def merge(earlier: Event, later: Event) -> Event | None:
    """One event that says what both said, or None where both must arrive."""
    match earlier, later:
        case ReplyGrew(), ReplyGrew() if earlier.message_id == later.message_id:
            return ReplyGrew(later.message_id, earlier.text + later.text, earlier.reasoning + later.reasoning)
        case ContextMeasured(), ContextMeasured():
            return later
        case _:
            return None
