"""The pages that open over the conversation: sessions, models, themes, commands, help, set-up."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lingque_tui.config.editing import set_value
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import LingqueError
from lingque_tui.domain.messages import SessionInfo
from lingque_tui.domain.ports import ModelInfo
from lingque_tui.i18n import t
from lingque_tui.ui import figures
from lingque_tui.ui.picker import Item, Picker

if TYPE_CHECKING:
    from lingque_tui.ui.chat_screen import ChatScreen
    from lingque_tui.ui.conversation import Conversation

_NEW = "new"


class Pages:
    def __init__(self, conversation: Conversation, screen: ChatScreen) -> None:
        self._desk = conversation
        self._screen = screen
        self._theme_before = ""

    def open(self, name: str) -> None:
        match name:
            case "help":
                self._open_help()
            case "sessions":
                self._open_sessions()
            case "models":
                self._open_models()
            case "themes":
                self._open_themes()
            case "connect":
                self._open_setup()
            case "commands":
                self._open_commands()

    def tell_problems(self, problems: Sequence[LingqueError]) -> None:
        for problem in problems:
            self._screen.notify(f"{problem.what} {problem.next_step}", severity="warning", timeout=12, markup=False)

    def _open_help(self) -> None:
        from lingque_tui.ui.help_screen import HelpScreen

        self._screen.app.push_screen(HelpScreen(self._desk.registry))

    def _open_commands(self) -> None:
        async def load() -> list[Item]:
            commands = sorted(self._desk.registry.commands.values(), key=lambda command: command.name)
            return [Item(c.name, f"/{c.name}", c.summary) for c in commands if not c.needs_arguments]

        def run(name: str | None) -> None:
            if name:
                self._desk.send(f"/{name}")

        self._screen.app.push_screen(Picker(t("help_commands"), "/", load), run)

    # Sessions

    def _open_sessions(self) -> None:
        self._screen.app.push_screen(Picker(t("sessions_title"), t("sessions_search"), self._sessions), self._switch)

    async def _sessions(self) -> list[Item]:
        found = await self._desk.workspace.store.sessions()
        current = self._desk.session.id
        return [Item(_NEW, f"＋ {t('session_untitled')}")] + [_session_item(info, current) for info in found]

    def _switch(self, session_id: str | None) -> None:
        if session_id:
            target = None if session_id == _NEW else session_id
            self._desk.attempt(self._desk.open_session(target), group="switch", exclusive=True)

    # Models

    def _open_models(self) -> None:
        page = Picker(t("models_title"), t("models_search"), self._models, loading=t("models_loading"), free_text=True)
        self._screen.app.push_screen(page, self._use_model)

    async def _models(self) -> list[Item]:
        switchboard = self._desk.workspace.switchboard
        await switchboard.discover()
        current = self._desk.session.choice.ref
        items: list[Item] = []
        for offer in await switchboard.offers():
            detail = clean_line(offer.error.what, 60) if offer.error else offer.connection.title
            items += [_model_item(info, detail, current) for info in offer.models]
        return items

    def _use_model(self, ref: str | None) -> None:
        if ref:
            self._desk.send(f"/model {ref}")

    def _open_setup(self) -> None:
        from lingque_tui.ui.setup_screen import SetupScreen

        engine = self._desk.engine
        page = SetupScreen(self._desk.workspace.switchboard, engine.boot.paths)
        self._screen.app.push_screen(page, self._use_model)

    # Themes

    def theme_names(self) -> tuple[str, ...]:
        return tuple(sorted(self._screen.app.available_themes))

    def use_theme(self, name: str) -> None:
        self._screen.app.theme = name
        try:
            set_value(self._desk.engine.boot.paths, "ui.theme", name)
        except (LingqueError, OSError) as error:
            self._desk.say(clean_line(str(error), 300))

    def _open_themes(self) -> None:
        self._theme_before = self._screen.app.theme
        self._screen.app.push_screen(
            Picker(t("themes_title"), t("themes_search"), self._themes, preview=self._preview), self._take_theme
        )

    async def _themes(self) -> list[Item]:
        return [Item(name, name, is_current=name == self._theme_before) for name in self.theme_names()]

    def _preview(self, name: str) -> None:
        self._screen.app.theme = name

    def _take_theme(self, name: str | None) -> None:
        if name:
            self.use_theme(name)
        else:
            self._screen.app.theme = self._theme_before


def _session_item(info: SessionInfo, current: str) -> Item:
    when = figures.clock(info.updated_at, time.time())
    detail = f"{t('session_count', count=info.message_count)}  {when}  {clean_line(info.preview, 60)}"
    return Item(info.id, clean_line(info.title) or t("session_untitled"), detail, is_current=info.id == current)


def _model_item(info: ModelInfo, detail: str, current: str) -> Item:
    facts = [detail, t("window", size=figures.tokens(info.window)) if info.window else t("window_unknown")]
    if info.input_price is not None and info.output_price is not None:
        facts.append(t("price", input=f"{info.input_price:g}", output=f"{info.output_price:g}"))
    return Item(info.ref, clean_line(info.ref), "  ".join(facts), is_current=info.ref == current)
