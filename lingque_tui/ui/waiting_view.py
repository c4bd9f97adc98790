"""Messages that wait for their turn, between the conversation and the composer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from lingque_tui.domain.clean import clean_line
from lingque_tui.i18n import t

if TYPE_CHECKING:
    from lingque_tui.domain.messages import QueuedMessage


class WaitingView(Static):
    """A click, or Up in an empty composer, takes one back to be changed."""

    class EditWanted(Message):
        def __init__(self, item: QueuedMessage) -> None:
            super().__init__()
            self.item = item

    def __init__(self) -> None:
        super().__init__(id="waiting")
        self._items: tuple[QueuedMessage, ...] = ()
        self.display = False

    @property
    def newest(self) -> QueuedMessage | None:
        return self._items[-1] if self._items else None

    def show(self, items: tuple[QueuedMessage, ...], is_paused: bool) -> None:
        self._items = items
        self.display = bool(items)
        word = t("queued_paused" if is_paused else "queued")
        rows = [
            Content.assemble((f"{t('you')} ({word})  ", "bold $queued"), (clean_line(item.text, 120), "$notice"))
            for item in items
        ]
        self.update(Content("\n").join(rows))

    def on_click(self, event: object) -> None:
        row = getattr(event, "y", 0)
        if 0 <= row < len(self._items):
            self.post_message(self.EditWanted(self._items[row]))
