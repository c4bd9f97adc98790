"""The Textual application: themes, the last filter before the terminal, and an orderly way out of everything."""

from __future__ import annotations

import asyncio
import gc
import os

from rich.text import Text
from textual.app import App

from lingque_tui import system
from lingque_tui.config.boot import Boot
from lingque_tui.domain.clean import clean_line
from lingque_tui.i18n import t
from lingque_tui.ui import crash
from lingque_tui.ui.chat_screen import ChatScreen
from lingque_tui.ui.keys import teach_textual
from lingque_tui.ui.last_filter import ControlFilter
from lingque_tui.ui.themes import find_theme, load_themes

FALLBACK_THEME = "lingque-dark"
_LEAVE_S = 5.0
_SETTLED_S = 0.05


class LingqueApp(App[None]):
    CSS_PATH = "lingque.tcss"
    TITLE = "Lingque"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [("ctrl+q", "quit", "")]

    def __init__(self, boot: Boot) -> None:
        super().__init__()
        teach_textual()
        self._boot = boot
        self._chat = ChatScreen(boot)
        self._filters.append(ControlFilter())
        self._wear_theme(boot.loaded.config.ui.theme)
        self.animation_level = "full" if boot.loaded.config.ui.motion else "none"

    def _wear_theme(self, wanted: str) -> None:
        """Only the one that is shown: reading all of them would delay the first paint."""
        for name in tuple(self.available_themes):
            self.unregister_theme(name)
        folder = self._boot.paths.themes
        theme = find_theme(wanted, folder) or find_theme(FALLBACK_THEME, folder)
        if theme is not None:
            self.register_theme(theme)
            self.theme = theme.name

    def on_mount(self) -> None:
        system.on_termination(asyncio.get_running_loop(), self._leave_in_order)

    def on_ready(self) -> None:
        """The window is there: what could wait comes now."""
        gc.enable()
        gc.freeze()  # what was imported stays for good: collections need not look at it again
        self.run_worker(self._load_themes(), group="themes")

    async def _load_themes(self) -> None:
        loaded = await asyncio.to_thread(load_themes, self._boot.paths.themes)
        for theme in loaded.themes.values():
            if theme.name != self.theme:
                self.register_theme(theme)
        for path, detail in loaded.failed:
            self.notify(t("theme_failed", path=clean_line(path.name, 60), detail=detail), markup=False)
        wanted = self._boot.loaded.config.ui.theme
        if wanted not in loaded.themes:
            known = ", ".join(sorted(loaded.themes))
            self.notify(t("theme_unknown", name=clean_line(wanted, 40), known=known), markup=False)

    def on_resize(self) -> None:
        """A terminal that shrinks and grows back at once has lost cells, though its size is what it was: paint all."""
        self.set_timer(_SETTLED_S, self.screen.refresh)

    def get_default_screen(self) -> ChatScreen:
        return self._chat

    def _leave_in_order(self) -> None:
        """Told to go: first everything onto the disk, then the terminal, which may be gone already."""
        system.end_within(_LEAVE_S)
        if system.is_terminal_gone():
            self._begin_batch()  # never ended: nothing more is drawn, for Textual's writer blocks on a dead terminal
        self.run_worker(self._close_and_exit(), group="leave", exclusive=True)

    async def _close_and_exit(self) -> None:
        await self.close_conversation()
        if system.is_terminal_gone():
            os._exit(0)
        self.exit()

    def _fatal_error(self) -> None:
        """Textual's own prints local variables: keys and conversations."""
        error = self._exception
        words = crash.report(error, self._boot.paths.state) if error else ""
        self._exit_renderables.append(Text(words))
        self._close_messages_no_wait()

    def _print_error_renderables(self) -> None:
        for renderable in self._exit_renderables[:1]:
            self.error_console.print(renderable)
        self._exit_renderables.clear()

    async def close_conversation(self) -> None:
        if self._chat.conversation is not None:
            await self._chat.conversation.engine.close()


async def chat(boot: Boot) -> int:
    """Run the window until the person leaves; everything below it is closed afterwards, terminal restored first."""
    app = LingqueApp(boot)
    try:
        await app.run_async()
    finally:
        await app.close_conversation()
    return app.return_code or 0
