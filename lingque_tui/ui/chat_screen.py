"""The main window's shell: layout and keys. It paints before anything heavy is imported.

The conversation (engine, Markdown, commands) is imported off the event loop after the first paint and takes
over from there; what a person types or sends in that moment waits for it.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Static, TextArea

from lingque_tui.config.boot import Boot
from lingque_tui.i18n import t
from lingque_tui.ui.completion import Completion
from lingque_tui.ui.composer import Composer
from lingque_tui.ui.gauge import Gauge
from lingque_tui.ui.lines import HintLine, TitleLine
from lingque_tui.ui.waiting_view import WaitingView

if TYPE_CHECKING:
    from lingque_tui.commands.desk import PageName
    from lingque_tui.ui.conversation import Conversation


class ChatScreen(Screen[None]):
    BINDINGS = [
        ("escape", "stop", ""),
        ("ctrl+c", "copy_or_leave", ""),
        ("f1", "page('help')", ""),
        ("ctrl+s", "page('sessions')", ""),
        ("ctrl+p", "page('commands')", ""),
    ]

    def __init__(self, boot: Boot) -> None:
        super().__init__()
        self._boot = boot
        self._unsent: list[str] = []
        self._wanted_page: PageName | None = None
        self.conversation: Conversation | None = None

    def compose(self) -> ComposeResult:
        completion = Completion()
        yield TitleLine(id="title")
        yield Vertical(id="stage")
        yield WaitingView()
        yield completion
        with Horizontal(id="compose"):
            yield Static("❯", id="prompt")
            yield Composer(completion)
        yield Gauge(id="gauge")
        yield HintLine(id="hints")

    def on_mount(self) -> None:
        composer = self.query_one(Composer)
        composer.focus()
        composer.placeholder = t("composer_hint")
        self.query_one(TitleLine).show("", t("ready_in"), "", False)
        self.query_one(HintLine).show_idle("")
        self.call_after_refresh(self._begin)

    @work(group="begin")
    async def _begin(self) -> None:
        module = await asyncio.to_thread(importlib.import_module, "lingque_tui.ui.conversation")
        self.conversation = module.Conversation(self, self._boot)
        await self.conversation.begin()
        unsent, self._unsent = self._unsent, []
        if self.conversation.has_failed:  # nowhere to go: back to where it was written
            composer = self.query_one(Composer)
            composer.put("\n\n".join(filter(None, (*unsent, composer.draft))))
            return
        for text in unsent:
            self.conversation.send(text)
        if self._wanted_page is not None:
            self.conversation.open_page(self._wanted_page)

    @on(Composer.Submitted)
    def _submitted(self, event: Composer.Submitted) -> None:
        if self.conversation is not None and self.conversation.is_open:
            self.conversation.submit(event.text)
        elif self.conversation is not None and self.conversation.has_failed:
            self.query_one(Composer).put(event.text)  # there is nowhere to keep it
        elif event.text.strip():
            self._unsent.append(event.text)  # goes out as soon as the session is there

    @on(TextArea.Changed)
    def _draft_changed(self) -> None:
        composer = self.query_one(Composer)
        self.query_one(Completion).suggest(composer.text)
        if self.conversation is not None:
            self.conversation.note_draft(composer.draft)

    @on(Composer.EditQueuedWanted)
    def _edit_newest(self) -> None:
        newest = self.query_one(WaitingView).newest
        if self.conversation is not None and newest is not None:
            self.conversation.edit_waiting(newest.id)

    @on(WaitingView.EditWanted)
    def _edit_clicked(self, event: WaitingView.EditWanted) -> None:
        if self.conversation is not None:
            self.conversation.edit_waiting(event.item.id)

    @on(Composer.ScrollWanted)
    async def _scroll(self, event: Composer.ScrollWanted) -> None:
        if self.conversation is not None:
            await self.conversation.scroll(event.where)

    def action_stop(self) -> None:
        if self.conversation is not None:
            self.conversation.stop()

    def action_copy_or_leave(self) -> None:
        text = self.query_one(Composer).selected_text or self.get_selected_text()
        if text:
            self.app.copy_to_clipboard(text)
            self.notify(t("copied", count=len(text)), markup=False)
            return
        from lingque_tui.ui.confirm import Confirm

        question = t("quit_question")
        if self.conversation is not None and self.conversation.is_busy:
            question = f"{t('quit_streaming')} {question}"
        self.app.push_screen(Confirm(question, t("quit_yes"), t("quit_no")), self._leave_if)

    def _leave_if(self, is_sure: bool | None) -> None:
        if is_sure:
            self.app.exit()

    def action_page(self, name: PageName) -> None:
        if self.conversation is not None and self.conversation.is_open:
            self.conversation.open_page(name)
        else:
            self._wanted_page = name  # opens as soon as there is something to show in it
