"""The main window: the conversation owns it, chrome is one line above and three below.

It turns keys into verbs of the session and the session's events into what is shown. It decides nothing
about the conversation itself.
"""

from __future__ import annotations

import time
from typing import assert_never

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Markdown, Static, TextArea

from lingque_tui.commands.desk import PageName
from lingque_tui.commands.registry import Registry, load_commands
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import LingqueError
from lingque_tui.domain.events import (
    ContextMeasured,
    Event,
    MessageAdded,
    QueueChanged,
    ReplyEnded,
    ReplyGrew,
    ReplyStarted,
    RetryScheduled,
    SessionChanged,
    TurnEnded,
    TurnFailed,
)
from lingque_tui.i18n import t
from lingque_tui.session.engine import Engine, Entered
from lingque_tui.session.failures import as_lingque_error
from lingque_tui.session.outbox import Subscription
from lingque_tui.session.session import Session
from lingque_tui.session.workspace import Workspace
from lingque_tui.ui import figures
from lingque_tui.ui.completion import Completion
from lingque_tui.ui.composer import Composer
from lingque_tui.ui.confirm import Confirm
from lingque_tui.ui.gauge import Gauge
from lingque_tui.ui.lines import HintLine, TitleLine
from lingque_tui.ui.pages import Pages
from lingque_tui.ui.transcript import Transcript
from lingque_tui.ui.waiting_view import WaitingView

_IDLE_HINTS = (
    ("enter", "hint_send"),
    ("^j", "hint_newline"),
    ("^p", "hint_commands"),
    ("^s", "hint_sessions"),
    ("f1", "hint_help"),
)
_BUSY_HINTS = (("esc", "hint_stop"), *_IDLE_HINTS)


class ChatScreen(Screen[None]):
    BINDINGS = [
        ("escape", "stop", ""),
        ("ctrl+c", "copy_or_leave", ""),
        ("f1", "page('help')", ""),
        ("ctrl+s", "page('sessions')", ""),
        ("ctrl+p", "page('commands')", ""),
    ]

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine
        self._session: Session | None = None
        self._registry = Registry({})
        self._pages = Pages(self)
        self._editing: str | None = None
        self._unsent: str | None = None
        self._turn_began = 0.0
        self._news = ""

    def compose(self) -> ComposeResult:
        completion = Completion()
        yield TitleLine(id="title")
        yield Transcript()
        yield WaitingView()
        yield completion
        with Horizontal(id="compose"):
            yield Static("❯", id="prompt")
            yield Composer(completion)
        yield Gauge(id="gauge")
        yield HintLine(id="hints")

    def on_mount(self) -> None:
        self._composer.focus()
        self._composer.placeholder = t("composer_hint")
        self.query_one(TitleLine).show("", "", t("ready_in"), False)
        self._draw_hints()
        self.set_interval(0.5, self._tick)
        self.call_after_refresh(self._begin)

    # Starting and switching

    @work(group="begin", exit_on_error=True)
    async def _begin(self) -> None:
        try:
            await self._engine.start()
            await self._show(await self._engine.enter_first())
        except LingqueError as error:
            await self._transcript.tell(f"{error.what} {error.next_step}", "error")
            return
        self._pages.tell_problems(self._engine.boot.loaded.problems)
        self._registry = load_commands()
        self.query_one(Completion).set_registry(self._registry)
        for name, detail in self._registry.failed:
            self.say(t("command_failed", name=name, detail=detail))
        await self._warm()

    async def _warm(self) -> None:
        """What the first reply will need, after the person can already type."""
        session = self.session
        await session.choice.provider.warm()
        found = await self.workspace.switchboard.discover()
        offered = [c.title for c in self.workspace.switchboard.connections if c.origin != "embedded"]
        is_modest = session.choice.provider.name in ("local", "nobody")
        if (found or offered) and is_modest:
            self.say(t("found_connections", names=", ".join(dict.fromkeys(offered))))

    async def _show(self, entered: Entered) -> None:
        session = entered.session
        if self._session is not None and self._session is not session:
            self.workspace.leave(self._session)
        self._session = session
        events = session.subscribe()
        self._composer.read_only = session.is_read_only
        self._draw_session()
        self.query_one(WaitingView).show(session.waiting, session.is_paused)
        await self._transcript.show(session, self._welcome(session))
        self._listen(session, events)
        self._restore_draft(session)
        self._composer.set_history(await self.workspace.store.prompts())
        if entered.problem is not None:
            await self._tell_model_problem(session, entered.problem)

    def _welcome(self, session: Session) -> str:
        return t("welcome_embedded") if session.choice.provider.name == "local" else ""

    async def _tell_model_problem(self, session: Session, problem: LingqueError) -> None:
        if session.choice.provider.name == "nobody":
            self.open_page("connect")
        else:
            await self._transcript.tell(t("model_fallback", what=problem.what, model=session.choice.ref), "note")

    def _restore_draft(self, session: Session) -> None:
        if session.is_read_only:
            self._composer.placeholder = t("composer_read_only", owner=session.owner)
            return
        self._composer.placeholder = t("composer_hint")
        typed_meanwhile = self._composer.text
        if session.draft and session.draft != typed_meanwhile:
            self._composer.put(session.draft + typed_meanwhile)
        if self._unsent is not None:
            text, self._unsent = self._unsent, None
            self._send(text)

    # Events of the session

    @work(group="listen", exclusive=True, exit_on_error=True)
    async def _listen(self, session: Session, events: Subscription) -> None:
        with events:
            async for event in events:
                await self._take(session, event)

    async def _take(self, session: Session, event: Event) -> None:
        match event:
            case MessageAdded(message):
                self._begin_turn()
                await self._transcript.add(message)
            case QueueChanged(waiting):
                self.query_one(WaitingView).show(waiting, session.is_paused)
            case ReplyStarted(message):
                await self._transcript.add(message)
            case ReplyGrew():
                if live := session.live_reply:
                    await self._transcript.follow(live)
            case ReplyEnded(message, error):
                await self._transcript.finish(message, error)
                self._news = figures.turn_line(message.figures)
            case TurnFailed(error):
                await self._transcript.tell(f"{error.what} {error.next_step}", "error")
            case TurnEnded():
                self._end_turn(session)
            case RetryScheduled(error, attempt, delay):
                seconds = f"{delay:.0f}"
                await self._transcript.tell(t("retrying", what=error.what, seconds=seconds, attempt=attempt))
            case SessionChanged():
                self._draw_session()
            case ContextMeasured(bill):
                self.query_one(Gauge).bill = bill
                self._draw_session()
            case _:
                assert_never(event)

    def _begin_turn(self) -> None:
        self._turn_began = time.monotonic()
        self._news = ""
        self._draw_hints()

    def _end_turn(self, session: Session) -> None:
        self._turn_began = 0.0
        self.query_one(WaitingView).show(session.waiting, session.is_paused)
        self._draw_hints()

    # Keys and verbs

    @on(Composer.Submitted)
    def _submitted(self, event: Composer.Submitted) -> None:
        if self._editing is not None:
            self._finish_editing(event.text)
        elif event.text.strip():
            self._composer.empty()
            self._send(event.text)

    def _send(self, text: str) -> None:
        if self._session is None:
            self._unsent = text  # goes out as soon as the session is there
            return
        self.run_worker(self._deliver(text), group="deliver")

    async def _deliver(self, text: str) -> None:
        try:
            if command := self._registry.parse(text.strip()):
                await command[0].run(self, command[1])
                return
            self.session.note_draft(self._composer.draft)
            await self.session.submit(text)
            await self._transcript.follow_again()
            self._composer.set_history((text, *await self.workspace.store.prompts()))
        except Exception as problem:
            error = as_lingque_error(problem)
            if not text.startswith("/"):
                self._composer.put(text + self._composer.text)
            await self._transcript.tell(f"{error.what} {error.next_step}", "error")

    @on(TextArea.Changed)
    def _draft_changed(self) -> None:
        self.query_one(Completion).suggest(self._composer.text)
        if self._session is not None and self._editing is None:
            self._session.note_draft(self._composer.draft)

    @on(Composer.EditQueuedWanted)
    def _edit_newest(self) -> None:
        if (newest := self.query_one(WaitingView).newest) is not None:
            self._edit(newest.id)

    @on(WaitingView.EditWanted)
    def _edit_clicked(self, event: WaitingView.EditWanted) -> None:
        self._edit(event.item.id)

    def _edit(self, item_id: str) -> None:
        text = self.session.hold_queued(item_id)
        if text is not None:
            self._editing = item_id
            self._composer.put(text)
            self._news = t("composer_editing")
            self._draw_hints()

    def _finish_editing(self, text: str | None) -> None:
        item_id, self._editing = self._editing, None
        self._composer.empty()
        self._news = ""
        self._draw_hints()
        if text is None or item_id is None:
            self.session.release_queued()
        else:
            self.run_worker(self.session.edit_queued(item_id, text), group="deliver")

    @on(Composer.ScrollWanted)
    async def _scroll(self, event: Composer.ScrollWanted) -> None:
        transcript = self._transcript
        match event.where:
            case "pageup":
                transcript.scroll_page_up(animate=False)
            case "pagedown":
                transcript.scroll_page_down(animate=False)
            case "home":
                await transcript.go_first()
            case _:
                await transcript.go_last()

    @on(Markdown.LinkClicked)
    def _link_clicked(self, event: Markdown.LinkClicked) -> None:
        event.stop()
        self.app.copy_to_clipboard(clean_line(event.href, 2000))
        self.say(t("link_copied", link=clean_line(event.href, 80)))

    def action_stop(self) -> None:
        if self._editing is not None:
            self._finish_editing(None)
        elif self._session is not None:
            self._session.stop()

    def action_copy_or_leave(self) -> None:
        text = self._composer.selected_text or self.get_selected_text()
        if text:
            self.app.copy_to_clipboard(text)
            self.say(t("copied", count=len(text)))
            return
        question = t("quit_question")
        if self._session is not None and self._session.is_busy:
            question = f"{t('quit_streaming')} {question}"
        self.app.push_screen(Confirm(question, t("quit_yes"), t("quit_no")), self._leave_if)

    def _leave_if(self, is_sure: bool | None) -> None:
        if is_sure:
            self.leave()

    def action_page(self, name: PageName) -> None:
        self.open_page(name)

    # Desk: what commands may ask

    @property
    def session(self) -> Session:
        assert self._session is not None
        return self._session

    @property
    def workspace(self) -> Workspace:
        return self._engine.workspace

    @property
    def registry(self) -> Registry:
        return self._registry

    @property
    def engine(self) -> Engine:
        return self._engine

    def say(self, text: str) -> None:
        self.notify(text, markup=False)

    def open_page(self, name: PageName) -> None:
        if self._session is not None:
            self._pages.open(name)

    async def open_session(self, session_id: str | None) -> None:
        found = await self.workspace.store.session(session_id) if session_id else None
        info = found or await self._engine.new_session()
        if self._session is not None and info.id == self._session.id:
            return
        self.session.note_draft(self._composer.draft)
        self._composer.empty()
        self._news = ""
        await self._show(await self._engine.enter(info, "" if info.model else self.session.choice.ref))

    async def use_model(self, ref: str) -> None:
        choice = await self.workspace.choose(ref)
        await self.session.use_model(choice)
        await self.workspace.remember(choice)
        self.say(t("model_changed", model=choice.ref))
        self.run_worker(choice.provider.warm(), group="warm")

    def theme_names(self) -> tuple[str, ...]:
        return self._pages.theme_names()

    def use_theme(self, name: str) -> None:
        self._pages.use_theme(name)

    def run_command(self, line: str) -> None:
        self._send(line)

    def leave(self) -> None:
        self.app.exit()

    # Drawing

    @property
    def _composer(self) -> Composer:
        return self.query_one(Composer)

    @property
    def _transcript(self) -> Transcript:
        return self.query_one(Transcript)

    def _draw_session(self) -> None:
        session = self.session
        window = session.gauge.window
        size = t("window", size=figures.tokens(window)) if window else t("window_unknown")
        title = clean_line(session.info.title) or t("session_untitled")
        self.query_one(TitleLine).show(title, clean_line(session.choice.ref, 60), size, session.is_read_only)

    def _tick(self) -> None:
        if self._turn_began:
            self._draw_hints()

    def _draw_hints(self) -> None:
        news = self._news
        if self._turn_began and self._session is not None:
            key = "reply_streaming" if self._session.live_reply else "reply_waiting"
            model = clean_line(self._session.choice.model, 30)
            news = f"{t(key, model=model)}  {time.monotonic() - self._turn_began:.0f} s"
        self.query_one(HintLine).show(_BUSY_HINTS if self._turn_began else _IDLE_HINTS, news)
