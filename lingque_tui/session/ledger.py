"""The newest part of the log with its token counts: as much as the window can hold, no more.

Adding a message costs that message. Counts come from the store where they were made before, and go there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from lingque_tui.domain.messages import Message, MessageState
from lingque_tui.session.assembler import Counted, is_sendable
from lingque_tui.session.measurer import Measurer
from lingque_tui.store import Store

_PAGE = 200


class Ledger:
    def __init__(self, store: Store, session_id: str, measurer: Measurer) -> None:
        self._store = store
        self._session_id = session_id
        self._measurer = measurer
        self._room: int | None = None
        self._tokens = 0
        self.entries: deque[Counted] = deque()
        self.older = 0

    async def load(self, room: int | None, *, up_to: int | None = None) -> None:
        """Read backwards, from the message at `up_to` or the newest, until `room` tokens are filled or the log ends."""
        self._room = room
        self.entries.clear()
        self._tokens = self.older = 0
        before = None if up_to is None else up_to + 1
        while not self._is_full:
            page = await self._store.counted(self._session_id, self._measurer.vocabulary, before=before, limit=_PAGE)
            if not page:
                return
            before = page[0][0].seq
            self.entries.extendleft(reversed(await self._complete(page)))
            self._tokens = sum(entry.tokens for entry in self.entries)
        self.older = await self._store.ordinal(self._session_id, self.entries[0].message.seq) - 1

    async def add(self, message: Message) -> None:
        """Told twice, or read from the store meanwhile: the newer value counts once, in its place."""
        if not _belongs(message) or self._was_left_out(message):
            return
        tokens = (await self._measurer.count_messages([message]))[0]
        self._place(Counted(message, tokens))
        self._drop_what_never_fits_again()
        await self._store.save_counts(self._measurer.vocabulary, {message.id: tokens})

    def ends_at(self, seq: int) -> bool:
        return not self.entries or self.entries[-1].message.seq <= seq

    @property
    def _is_full(self) -> bool:
        return self._room is not None and self._tokens > self._room

    def _was_left_out(self, message: Message) -> bool:
        return self.older > 0 and message.seq < self.entries[0].message.seq

    def _place(self, entry: Counted) -> None:
        later: list[Counted] = []
        while self.entries and self.entries[-1].message.seq >= entry.message.seq:
            later.append(self.entries.pop())
        if later and later[-1].message.id == entry.message.id:
            self._tokens -= later.pop().tokens
        self.entries.append(entry)
        self.entries.extend(reversed(later))
        self._tokens += entry.tokens

    async def _complete(self, page: Sequence[tuple[Message, int | None]]) -> list[Counted]:
        page = [(message, tokens) for message, tokens in page if _belongs(message)]
        missing = [message for message, tokens in page if tokens is None]
        counted = await self._measurer.count_messages(missing)
        fresh = {message.id: tokens for message, tokens in zip(missing, counted, strict=True)}
        if fresh:
            await self._store.save_counts(self._measurer.vocabulary, fresh)
        return [Counted(message, fresh[message.id] if tokens is None else tokens) for message, tokens in page]

    def _drop_what_never_fits_again(self) -> None:
        while self._room is not None and len(self.entries) > 1 and self._tokens - self.entries[0].tokens > self._room:
            self._tokens -= self.entries.popleft().tokens
            self.older += 1


def _belongs(message: Message) -> bool:
    """A reply that still streams is counted piece by piece elsewhere, and comes here when it has ended."""
    return message.state is not MessageState.STREAMING and is_sendable(message)
