"""Messages written while a reply streams: on disk at once, visible, editable, sent in order.

A message under the person's pen is held: it keeps its place, and nothing behind it overtakes it. One that is on its
way into the log is taken: it can't be held or changed any more, and stays in sight until it has arrived there.
"""

from __future__ import annotations

from dataclasses import replace

from lingque_tui.domain.messages import QueuedMessage
from lingque_tui.store import Store


class WaitingLine:
    def __init__(self, store: Store, session_id: str) -> None:
        self._store = store
        self._session_id = session_id
        self._items: list[QueuedMessage] = []
        self._held: str | None = None
        self._taken: str | None = None
        self.is_paused = False
        """Nothing goes out by itself: after a failure, and after a restart that found messages waiting."""

    async def load(self) -> None:
        self._items = list(await self._store.queued(self._session_id))
        self.is_paused = bool(self._items)

    @property
    def items(self) -> tuple[QueuedMessage, ...]:
        return tuple(self._items)

    @property
    def will_go_on(self) -> bool:
        """The first one goes out by itself, as soon as nothing streams."""
        return bool(self._items) and not self.is_paused and self._items[0].id != self._held

    async def add(self, text: str) -> QueuedMessage:
        item = await self._store.enqueue(self._session_id, text)
        self._items.append(item)
        return item

    # The person's pen

    def hold(self, item_id: str) -> str | None:
        """Keep it from going out while it is edited; its text, or None where it has gone already."""
        item = self._changeable(item_id)
        if item is None:
            return None
        self._held = item_id
        return item.text

    def release(self) -> None:
        self._held = None

    async def edit(self, item_id: str, text: str) -> bool:
        """False where it has gone already."""
        if self._changeable(item_id) is None:
            return False
        try:
            changed = await self._store.edit_queued(item_id, text)
        finally:
            self._put_down(item_id)
        self._items = [replace(item, text=text) if item.id == item_id else item for item in self._items]
        return changed

    async def remove(self, item_id: str) -> bool:
        """False where it has gone already."""
        item = self._changeable(item_id)
        if item is None:
            return False
        self._items.remove(item)  # first of all: nobody may send what is being removed
        try:
            await self._store.remove_queued(item_id)
        except BaseException:
            self._items = sorted([*self._items, item], key=lambda waiting: waiting.position)
            raise
        finally:
            self._put_down(item_id)
        return True

    # The way out

    def take(self) -> QueuedMessage | None:
        """The one whose turn it is; `mark_sent` or `put_back` must follow."""
        if not self.will_go_on:
            return None
        self._taken = self._items[0].id
        return self._items[0]

    def mark_sent(self) -> None:
        self._items = [item for item in self._items if item.id != self._taken]
        self._taken = None

    def put_back(self) -> bool:
        """Whether there was one on its way that has not arrived."""
        was_taken, self._taken = self._taken is not None, None
        return was_taken

    def _changeable(self, item_id: str) -> QueuedMessage | None:
        return next((item for item in self._items if item.id == item_id != self._taken), None)

    def _put_down(self, item_id: str) -> None:
        if self._held == item_id:
            self.release()
