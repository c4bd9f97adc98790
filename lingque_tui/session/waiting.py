"""Messages written while a reply streams: on disk at once, visible, editable, sent in order.

A message under the person's pen is held: it keeps its place, and nothing behind it overtakes it.
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
        self.is_paused = False
        """Nothing goes out by itself: after a failure, and after a restart that found messages waiting."""

    async def load(self) -> None:
        self._items = list(await self._store.queued(self._session_id))
        self.is_paused = bool(self._items)

    @property
    def items(self) -> tuple[QueuedMessage, ...]:
        return tuple(self._items)

    async def add(self, text: str) -> QueuedMessage:
        item = await self._store.enqueue(self._session_id, text)
        self._items.append(item)
        return item

    def hold(self, item_id: str) -> str | None:
        """Keep it from going out while it is edited; its text, or None where it has gone already."""
        for item in self._items:
            if item.id == item_id:
                self._held = item_id
                return item.text
        return None

    def release(self) -> None:
        self._held = None

    async def edit(self, item_id: str, text: str) -> bool:
        changed = await self._store.edit_queued(item_id, text)
        self._items = [replace(item, text=text) if item.id == item_id else item for item in self._items]
        self.release()
        return changed

    async def remove(self, item_id: str) -> None:
        await self._store.remove_queued(item_id)
        self._items = [item for item in self._items if item.id != item_id]
        self.release()

    def take(self) -> QueuedMessage | None:
        if self.is_paused or not self._items or self._items[0].id == self._held:
            return None
        return self._items.pop(0)

    def put_back(self, item: QueuedMessage) -> None:
        self._items.insert(0, item)
