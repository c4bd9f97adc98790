"""The unsent draft: on disk shortly after every pause in typing, counted for the gauge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from lingque_tui.domain.errors import StoreError
from lingque_tui.store import Store

PAUSE_S = 0.2


class DraftKeeper:
    """Saves the newest text only; what was typed over in the meantime needs no trip to the disk."""

    def __init__(self, store: Store, session_id: str, saved: str, on_saved: Callable[[str], object]) -> None:
        self._store = store
        self._session_id = session_id
        self._on_saved = on_saved
        self._saved = saved
        self._changed = asyncio.Event()
        self.text = saved

    def note(self, text: str) -> None:
        self.text = text
        self._changed.set()

    async def run(self) -> None:
        while True:
            await self._changed.wait()
            await asyncio.sleep(PAUSE_S)
            self._changed.clear()
            await self.save()
            self._on_saved(self.text)

    async def save(self) -> None:
        """Never raises: the text is in the composer still, and the next key tries again."""
        text = self.text
        if text != self._saved:
            with suppress(StoreError):
                await self._store.save_draft(self._session_id, text)
                self._saved = text
