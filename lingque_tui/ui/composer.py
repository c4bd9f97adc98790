"""Where a person writes. Enter sends; everything else a text area can do stays as people know it."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.message import Message
from textual.widgets import TextArea

from lingque_tui.domain.clean import clean
from lingque_tui.ui.completion import Completion
from lingque_tui.ui.pastes import Pastes, is_big

_COMPLETION_KEYS = frozenset({"enter", "tab", "up", "down", "escape"})
_NEWLINE_KEYS = frozenset({"ctrl+j", "alt+enter", "shift+enter", "ctrl+enter"})


class Composer(TextArea):
    class Submitted(Message):
        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class EditQueuedWanted(Message):
        """Up in an empty composer: the person may want to change what still waits."""

    class ScrollWanted(Message):
        """A key that moves the transcript, typed where the fingers are."""

        def __init__(self, where: str) -> None:
            super().__init__()
            self.where = where

    def __init__(self, completion: Completion) -> None:
        super().__init__(id="composer", soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False)
        self._completion = completion
        self._pastes = Pastes()
        self._history: Sequence[str] = ()
        self._place = -1
        self._unsent = ""

    # Content

    @property
    def draft(self) -> str:
        """What would be sent: placeholders stand for what was pasted."""
        return self._pastes.expand(self.text)

    def put(self, text: str) -> None:
        """Fill in a draft, big ones behind a placeholder."""
        self._pastes.clear()
        self.text = self._pastes.keep(text) if is_big(text) else text
        self.move_cursor(self.document.end)

    def empty(self) -> None:
        self._pastes.clear()
        self.text = ""
        self._place = -1

    def set_history(self, prompts: Sequence[str]) -> None:
        """Newest first."""
        self._history = prompts
        self._place = -1

    # Keys

    async def _on_key(self, event: events.Key) -> None:
        if self._take_key(event.key):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)

    def _take_key(self, key: str) -> bool:
        if key in _NEWLINE_KEYS:
            return self._insert("\n")
        if key in _COMPLETION_KEYS:
            self._completion.suggest(self.text)  # the message that tells it of the last letter may still be on its way
        match key:
            case "enter":
                return self._enter()
            case "tab" if self._completion.is_open:
                return self._complete()
            case "up" | "down" if self._completion.is_open:
                return self._completion.move(-1 if key == "up" else 1)
            case "escape" if self._completion.is_open:
                return self._completion.close()
            case "up" if self.cursor_at_first_line:
                return self._walk(1)
            case "down" if self.cursor_at_last_line:
                return self._walk(-1)
            case "pageup" | "pagedown" | "ctrl+home" | "ctrl+end":
                return self._scroll(key.removeprefix("ctrl+"))
            case "home" | "end" if not self.text:
                return self._scroll(key)
        return False

    def _insert(self, text: str) -> bool:
        self._replace_via_keyboard(text, *self.selection)
        return True

    def _enter(self) -> bool:
        if self._completion.is_open and (chosen := self._completion.chosen):
            if chosen.needs_arguments:
                return self._complete()
            self._completion.close()
            self._submit(f"/{chosen.name}")
            return True
        row, column = self.cursor_location
        if self.document.get_line(row)[:column].endswith("\\"):
            self.delete((row, column - 1), (row, column))
            return self._insert("\n")
        self._submit(self.draft)
        return True

    def _submit(self, text: str) -> None:
        """Empties the composer at once: letters that follow the Enter in the same breath belong to the next message."""
        self.post_message(self.Submitted(text))
        self.empty()

    def _complete(self) -> bool:
        if chosen := self._completion.chosen:
            self.put(f"/{chosen.name} ")
        return True

    def _scroll(self, where: str) -> bool:
        self.post_message(self.ScrollWanted(where))
        return True

    def _walk(self, step: int) -> bool:
        """Through what was written before; below the newest lies what was being written."""
        if step > 0 and self._place < 0 and not self.text:
            self.post_message(self.EditQueuedWanted())
        place = self._place + step
        if not -1 <= place < len(self._history) or (step > 0 and self._place < 0 and self.text and "\n" in self.text):
            return False
        if self._place < 0:
            self._unsent = self.draft
        self._place = place
        self.put(self._unsent if place < 0 else self._history[place])
        return True

    # Paste

    async def _on_paste(self, event: events.Paste) -> None:
        # prevent_default: the text area's own handler would insert the raw text as well.
        event.stop()
        event.prevent_default()
        text = clean(event.text)
        self._insert(self._pastes.keep(text) if is_big(text) else text)
