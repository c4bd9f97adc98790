"""A session on the screen: its events become what is shown, the person's verbs become calls.

It decides nothing about the conversation itself. Commands see it as their `Desk`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, assert_never

from textual.containers import Vertical

from lingque_tui.commands.desk import PageName
from lingque_tui.commands.registry import Registry, load_commands
from lingque_tui.config.boot import Boot
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.context import Quality
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
    TurnStarted,
)
from lingque_tui.i18n import t
from lingque_tui.providers.nobody import NOBODY
from lingque_tui.session.engine import Engine, Entered
from lingque_tui.session.failures import as_lingque_error
from lingque_tui.session.outbox import Subscription
from lingque_tui.session.session import Session
from lingque_tui.session.switchboard import Choice
from lingque_tui.session.workspace import Workspace
from lingque_tui.ui import figures
from lingque_tui.ui.completion import Completion
from lingque_tui.ui.composer import Composer
from lingque_tui.ui.gauge import Gauge
from lingque_tui.ui.lines import HintLine, TitleLine
from lingque_tui.ui.pages import Pages
from lingque_tui.ui.transcript import Transcript
from lingque_tui.ui.waiting_view import WaitingView

if TYPE_CHECKING:
    from lingque_tui.ui.chat_screen import ChatScreen


class Conversation:
    def __init__(self, screen: ChatScreen, boot: Boot) -> None:
        self._screen = screen
        self._boot = boot
        self._session: Session | None = None
        self._pages = Pages(self, screen)
        self._editing: str | None = None
        self._is_drafting = False
        """What stands in the composer belongs to the session: not while one goes and another comes."""
        self._turn_began = 0.0
        self._is_unanswered = False
        self._delivering = asyncio.Lock()
        self._news = ""
        self._composer = screen.query_one(Composer)
        self._waiting = screen.query_one(WaitingView)
        self._title = screen.query_one(TitleLine)
        self._gauge = screen.query_one(Gauge)
        self._hints = screen.query_one(HintLine)
        self._transcript = Transcript()
        self.engine = Engine(boot)
        self.registry = Registry({})
        self.is_open = False
        """Session and commands are there: what is submitted has somewhere to go."""
        self.has_failed = False

    # Starting and switching

    async def begin(self) -> None:
        await self._screen.query_one("#stage", Vertical).mount(self._transcript)
        try:
            await self.engine.start()
            await self._show(await self.engine.enter_first())
        except LingqueError as error:
            self.has_failed = True
            await self._tell_error(error)
            return
        self._screen.set_interval(0.5, self._tick)
        self._pages.tell_problems(self._boot.loaded.problems)
        self._load_commands()
        self.is_open = True
        self._screen.run_worker(self._warm(), group="warm")

    def _load_commands(self) -> None:
        self.registry = load_commands()
        self._screen.query_one(Completion).set_registry(self.registry)
        for name, detail in self.registry.failed:
            self.say(t("command_failed", name=name, detail=detail))

    async def _warm(self) -> None:
        """What the first reply will need, after the person can already type."""
        choice = self.session.choice
        await self._warm_up(self.session, choice)
        await self.workspace.switchboard.discover()
        offered = [c.title for c in self.workspace.switchboard.connections if c.origin != "embedded"]
        if offered and choice.provider.name in ("local", NOBODY):
            self.say(t("found_connections", names=", ".join(dict.fromkeys(offered))))

    async def _warm_up(self, session: Session, choice: Choice) -> None:
        await choice.provider.warm()
        if session.choice is choice and session.gauge.bill().quality is Quality.ESTIMATED:
            session.gauge.reload()  # a server that runs now may count

    async def _show(self, entered: Entered) -> None:
        session = entered.session
        self._screen.workers.cancel_group(self._screen, "listen")
        if self._session is not None and self._session is not session:
            self.workspace.leave(self._session)
        self._session = session
        self._turn_began = time.monotonic() if session.is_busy else 0.0
        self._is_unanswered = session.is_busy and session.live_reply is None
        events = session.subscribe()
        self._draw_title()
        self._waiting.show(session.waiting, session.is_paused)
        await self._transcript.show(session, self._welcome(session))
        self._screen.run_worker(self._listen(session, events), group="listen", exclusive=True)
        self._restore_draft(session)
        self._composer.set_history(await self.workspace.store.prompts())
        if entered.problem is not None:
            await self._tell_model_problem(session, entered.problem)

    def _welcome(self, session: Session) -> str:
        return t("welcome_embedded") if session.choice.provider.name == "local" else ""

    async def _tell_model_problem(self, session: Session, problem: LingqueError) -> None:
        if session.choice.provider.name == NOBODY:
            self.open_page("connect")
        else:
            await self._transcript.tell(t("model_fallback", what=problem.what, model=session.choice.ref))

    def _restore_draft(self, session: Session) -> None:
        self._is_drafting = True
        if session.is_read_only:
            self._composer.placeholder = t("composer_read_only", owner=session.owner)
            return
        self._composer.placeholder = t("composer_hint")
        typed_meanwhile = self._composer.draft
        if session.draft:
            self._composer.put(session.draft + typed_meanwhile)
        session.note_draft(self._composer.draft)

    # Events of the session

    async def _listen(self, session: Session, events: Subscription) -> None:
        with events:
            async for event in events:
                if not self._transcript.is_attached:  # leaving: the screen is gone before the session is
                    return
                await self._take(session, event)

    async def _take(self, session: Session, event: Event) -> None:
        match event:
            case MessageAdded(message):
                await self._transcript.add(message)
            case TurnStarted():
                self._begin_turn()
            case QueueChanged(waiting):
                self._waiting.show(waiting, session.is_paused)
            case ReplyStarted(message):
                self._is_unanswered = False
                await self._transcript.add(message)
                self._draw_hints()
            case ReplyGrew():
                if live := session.live_reply:
                    await self._transcript.follow(live)
            case ReplyEnded(message, error):
                await self._transcript.finish(message, error)
                self._news = figures.turn_line(message.figures)
            case TurnFailed(error):
                self._is_unanswered = False
                await self._tell_error(error)
            case TurnEnded():
                if self._is_unanswered:
                    await self._transcript.tell(t("stopped_empty"))
                self._end_turn(session)
            case RetryScheduled(error, attempt, delay):
                seconds = f"{delay:.0f}"
                await self._transcript.tell(t("retrying", what=error.what, seconds=seconds, attempt=attempt))
            case SessionChanged():
                self._draw_title()
            case ContextMeasured(bill):
                self._gauge.bill = bill
                self._draw_title()
            case _:
                assert_never(event)

    def _begin_turn(self) -> None:
        self._turn_began = time.monotonic()
        self._is_unanswered = self.session.live_reply is None
        self._news = ""
        self._draw_hints()

    def _end_turn(self, session: Session) -> None:
        self._turn_began = 0.0
        self._waiting.show(session.waiting, session.is_paused)
        self._draw_hints()

    async def _tell_error(self, error: LingqueError) -> None:
        await self._transcript.tell(f"{error.what} {error.next_step}", "error")

    # Verbs of the person

    @property
    def is_busy(self) -> bool:
        return self._session is not None and self._session.is_busy

    def submit(self, text: str) -> None:
        if self._editing is not None:
            self._finish_editing(text)
        elif text.strip():
            self.send(text)

    def send(self, text: str) -> None:
        self.attempt(self._deliver(text))

    def attempt(self, work: Coroutine[Any, Any, object], *, group: str = "deliver", exclusive: bool = False) -> None:
        """Do something the person asked for; what goes wrong is told and ends nothing."""
        self._screen.run_worker(self._attempt(work), group=group, exclusive=exclusive)

    async def _attempt(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        except Exception as problem:
            await self._tell_error(as_lingque_error(problem))

    async def _deliver(self, text: str) -> None:
        """One after the other: what was typed after `/new` belongs to the new session."""
        async with self._delivering:
            await self._deliver_now(text)

    async def _deliver_now(self, text: str) -> None:
        if command := self.registry.parse(text.strip()):
            await command[0].run(self, command[1])
            return
        try:
            await self.session.submit(text)
        except Exception:
            self._composer.put(text + self._composer.draft)
            raise
        await self._transcript.follow_again()
        # It may be in the log already or still wait: once either way.
        self._composer.set_history(tuple(dict.fromkeys((text, *await self.workspace.store.prompts()))))

    def note_draft(self, text: str) -> None:
        if self._is_drafting and self._editing is None:
            self.session.note_draft(text)

    def edit_waiting(self, item_id: str) -> None:
        text = self.session.hold_queued(item_id)
        if text is not None:
            self._editing = item_id
            self._composer.put(text)
            self._news = t("composer_editing")
            self._draw_hints()

    def _finish_editing(self, text: str | None) -> None:
        """Keep the new text, remove the message where it is empty; None leaves it as it was."""
        item_id, self._editing = self._editing, None
        typed_meanwhile = "" if text is None else self._composer.draft
        # A click can start an edit in the middle of a sentence: that one comes back.
        self._composer.put(self.session.draft + typed_meanwhile)
        self._news = ""
        self._draw_hints()
        if text is None or item_id is None:
            self.session.release_queued()
        else:
            self.attempt(self.session.edit_queued(item_id, text))

    def stop(self) -> None:
        if self._editing is not None:
            self._finish_editing(None)
        elif self._session is not None:
            self._session.stop()

    async def scroll(self, where: str) -> None:
        match where:
            case "pageup":
                self._transcript.scroll_page_up(animate=False)
            case "pagedown":
                self._transcript.scroll_page_down(animate=False)
            case "home":
                await self._transcript.go_first()
            case _:
                await self._transcript.follow_again()

    # Desk: what commands may ask

    @property
    def session(self) -> Session:
        assert self._session is not None
        return self._session

    @property
    def workspace(self) -> Workspace:
        return self.engine.workspace

    def say(self, text: str) -> None:
        self._screen.notify(text, markup=False)

    def open_page(self, name: PageName) -> None:
        self._pages.open(name)

    async def open_session(self, session_id: str | None) -> None:
        found = await self.workspace.store.session(session_id) if session_id else None
        info = found or await self.engine.new_session()
        if info.id == self.session.id:
            return
        if self._editing is not None:
            self._finish_editing(None)
        wish = "" if info.model else self.session.choice.ref
        entered = await self.engine.enter(info, wish)
        self.session.note_draft(self._composer.draft)
        self._is_drafting = False
        self._composer.empty()
        self._news = ""
        await self._show(entered)

    async def use_model(self, ref: str) -> None:
        choice = await self.workspace.choose(ref)
        await self.session.use_model(choice)
        await self.workspace.remember(choice)
        self.say(t("model_changed", model=choice.ref))
        self._screen.run_worker(self._warm_up(self.session, choice), group="warm")

    def theme_names(self) -> tuple[str, ...]:
        return self._pages.theme_names()

    def use_theme(self, name: str) -> None:
        self._pages.use_theme(name)

    def leave(self) -> None:
        self._screen.app.exit()

    # Drawing

    def _draw_title(self) -> None:
        session = self.session
        window = session.gauge.window
        size = t("window", size=figures.tokens(window)) if window else t("window_unknown")
        title = clean_line(session.info.title) or t("session_untitled")
        model = clean_line(session.choice.ref, 60) if session.choice.provider.name != NOBODY else t("no_model")
        self._title.show(title, model, size, session.is_read_only)

    def _tick(self) -> None:
        if self._turn_began:
            self._draw_hints()

    def _draw_hints(self) -> None:
        if not self._turn_began:
            self._hints.show_idle(self._news)
            return
        key = "reply_streaming" if self.session.live_reply else "reply_waiting"
        model = clean_line(self.session.choice.model, 30)
        self._hints.show_busy(self._news or f"{t(key, model=model)}  {time.monotonic() - self._turn_began:.0f} s")
