"""The newest part of the log with its token counts: as much as the window can hold, no more.

Adding a message costs that message. Counts come from the store where they were made before, and go there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from lingque_tui.domain.messages import Message
from lingque_tui.session.assembler import Counted
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

    async def load(self, room: int | None) -> None:
        """Read backwards until `room` tokens are filled or the log ends."""
        self._room = room
        self.entries.clear()
        self._tokens = 0
        before: int | None = None
        while not self._is_full:
            page = await self._store.counted(self._session_id, self._measurer.vocabulary, before=before, limit=_PAGE)
            if not page:
                break
            before = page[0][0].seq
            self.entries.extendleft(reversed(await self._complete(page)))
            self._tokens = sum(entry.tokens for entry in self.entries)
        self.older = await self._store.count(self._session_id) - len(self.entries)

    async def add(self, message: Message) -> None:
        """Told twice, or read from the store meanwhile: the newer value counts once."""
        tokens = (await self._measurer.count_messages([message]))[0]
        await self._store.save_counts(self._measurer.vocabulary, {message.id: tokens})
        while self.entries and self.entries[-1].message.seq >= message.seq:
            self._tokens -= self.entries.pop().tokens
        self.entries.append(Counted(message, tokens))
        self._tokens += tokens
        self._drop_what_never_fits_again()

    @property
    def _is_full(self) -> bool:
        return self._room is not None and self._tokens > self._room

    async def _complete(self, page: Sequence[tuple[Message, int | None]]) -> list[Counted]:
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
