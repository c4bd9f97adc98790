"""A conversation that goes on: verbs in, events out.

`Session` owns its tasks: one pump that sends what waits and owns the turn, one keeper of the draft, one that
measures the context. They live from `opened` to its end and never longer. A session whose lock somebody else
holds is read-only: everything can be read, nothing is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from lingque_tui.config.schema import Config
from lingque_tui.domain.clean import clean, clean_line
from lingque_tui.domain.errors import CommandError, SessionReadOnly
from lingque_tui.domain.events import (
    Event,
    MessageAdded,
    QueueChanged,
    ReplyEnded,
    ReplyGrew,
    ReplyStarted,
    SessionChanged,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from lingque_tui.domain.messages import Message, MessageState, QueuedMessage, Role, SessionInfo
from lingque_tui.domain.ports import ChatRequest
from lingque_tui.i18n import t
from lingque_tui.session.drafts import DraftKeeper
from lingque_tui.session.failures import as_lingque_error
from lingque_tui.session.gauge import ContextGauge
from lingque_tui.session.outbox import Outbox, Subscription
from lingque_tui.session.patience import to_the_end
from lingque_tui.session.switchboard import Choice
from lingque_tui.session.turn import Turn
from lingque_tui.session.waiting import WaitingLine
from lingque_tui.store import SessionLock, Store

_TITLE_LENGTH = 48


class Session:
    def __init__(
        self, store: Store, info: SessionInfo, choice: Choice, config: Config, lock: SessionLock | None
    ) -> None:
        self._store = store
        self._config = config
        self._lock = lock
        self._turn: Turn | None = None
        self._turn_task: asyncio.Task[None] | None = None
        self._question_id = ""
        self._wake = asyncio.Event()
        self._retry_wanted = False
        self._drafts = DraftKeeper(store, info.id, "", lambda text: self._gauge.note_draft(text))
        self._outbox = Outbox()
        self._gauge = ContextGauge(store, info.id, choice, config, self._outbox.emit)
        self._waiting = WaitingLine(store, info.id)
        self.info = info
        self.choice = choice

    # Reading

    @property
    def id(self) -> str:
        return self.info.id

    @property
    def is_read_only(self) -> bool:
        return self._lock is None

    @property
    def is_busy(self) -> bool:
        return self._turn_task is not None

    @property
    def is_paused(self) -> bool:
        """What waits goes out only when asked: after a failure, or after a restart."""
        return self._waiting.is_paused

    @property
    def is_going_on(self) -> bool:
        """Something waits and will go out by itself."""
        return self._waiting.will_go_on or self._retry_wanted

    @property
    def live_reply(self) -> Message | None:
        """The reply that is streaming now, as far as it has come."""
        return self._turn.live_reply if self._turn else None

    @property
    def waiting(self) -> tuple[QueuedMessage, ...]:
        return self._waiting.items

    @property
    def draft(self) -> str:
        return self._drafts.text

    @property
    def gauge(self) -> ContextGauge:
        return self._gauge

    @property
    def owner(self) -> str:
        """Who writes to it, when it isn't us."""
        return self._store.lock_owner(self.id)

    def subscribe(self) -> Subscription:
        return self._outbox.subscribe()

    async def page(
        self, *, before: int | None = None, after: int | None = None, limit: int = 50
    ) -> tuple[Message, ...]:
        return await self._store.messages(self.id, before=before, after=after, limit=limit)

    async def count(self) -> int:
        return await self._store.count(self.id)

    # Verbs

    async def submit(self, text: str) -> QueuedMessage:
        """On disk when this returns; goes out as soon as its turn comes."""
        self._require_writable()
        text = clean(text)
        if not text.strip():
            raise CommandError(detail=t("session.nothing_to_send"))
        return await to_the_end(self._enqueue(text))

    async def send(self, text: str) -> AsyncIterator[Event]:
        """Submit, and yield all events until this message's turn has ended, or it was taken back before."""
        is_waiting = False
        with self.subscribe() as events:
            item = await self.submit(text)
            async for event in events:
                yield event
                match event:
                    case TurnEnded(item.id):
                        return
                    case MessageAdded(Message(item.id)):
                        is_waiting = False
                    case QueueChanged(waiting):
                        was_waiting, is_waiting = is_waiting, any(other.id == item.id for other in waiting)
                        if was_waiting and not is_waiting:
                            return

    def stop(self) -> bool:
        """End the reply that streams; what had arrived is kept and marked. False when none does."""
        if self._turn_task is None or self._turn_task.cancelling():
            return False  # cancelling twice would cut off the writing of the ending
        return self._turn_task.cancel()

    def retry(self) -> None:
        """Ask for a reply to the person's last message again; what waits goes on after it.

        Where the last message has its reply and something waits, that goes on at once."""
        self._require_writable()
        self._retry_wanted = True
        self._go_on()

    def hold_queued(self, item_id: str) -> str | None:
        return self._waiting.hold(item_id)

    async def edit_queued(self, item_id: str, text: str) -> bool:
        """No text removes it. False where it has gone already."""
        text = clean(text)
        changed = await (self._waiting.edit(item_id, text) if text.strip() else self._waiting.remove(item_id))
        self._outbox.emit(QueueChanged(self._waiting.items))
        self._wake.set()
        return changed

    def release_queued(self) -> None:
        self._waiting.release()
        self._wake.set()

    async def rename(self, title: str) -> None:
        self._require_writable()
        self._tell(await self._store.rename_session(self.id, clean_line(title, _TITLE_LENGTH * 2)))

    async def use_model(self, choice: Choice) -> None:
        """Takes effect with the next request; a reply that streams now goes on."""
        info = self.info if self.is_read_only else await self._store.set_model(self.id, choice.ref)
        self.choice = choice
        self._gauge.use_model(choice)
        self._tell(info)

    def note_draft(self, text: str) -> None:
        if not self.is_read_only:
            self._drafts.note(text)
            if not text:
                self._gauge.note_draft("")  # nothing to count: the gauge need not wait for a pause

    def import_messages(self, messages: list[dict[str, Any]]) -> tuple[Message, ...]:
        """Take over a conversation of another program, OpenAI-style dicts. Blocks until it is on disk."""
        from lingque_tui.session.importing import to_new_messages

        self._require_writable()
        added = self._store.append_many(self.id, to_new_messages(messages)).result()
        self._gauge.reload()
        return added

    def context_for(self, question: str, budget: int | None = None) -> list[dict[str, Any]]:
        """Exactly the messages that would be sent; with a budget, history fits into that many tokens."""
        from lingque_tui.session.preview import context_for

        window = self._gauge.window
        return context_for(self._store, self.id, self.choice, self._config, question, budget=budget, window=window)

    # Life

    async def _load(self) -> None:
        if not self.is_read_only:
            await self._store.recover(self.id)
            await self._waiting.load()
            self._drafts = DraftKeeper(
                self._store, self.id, await self._store.draft(self.id), lambda text: self._gauge.note_draft(text)
            )
            self._gauge.note_draft(self._drafts.text)

    def _tasks(self) -> list[Coroutine[Any, Any, None]]:
        return [self._gauge.run()] + ([] if self.is_read_only else [self._pump(), self._drafts.run()])

    async def _close(self) -> None:
        try:
            await self._drafts.save()
        finally:
            self._outbox.close()
            if self._lock:
                self._lock.release()

    async def _enqueue(self, text: str) -> QueuedMessage:
        item = await self._waiting.add(text)
        if self.is_busy or len(self._waiting.items) > 1:
            self._outbox.emit(QueueChanged(self._waiting.items))
        self._go_on()
        return item

    async def _pump(self) -> None:
        """Send what waits, one turn at a time, for as long as the session lives."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while turn := self._next_turn():
                await self._see_out(turn)

    def _next_turn(self) -> Coroutine[Any, Any, None] | None:
        if self._retry_wanted:
            self._retry_wanted = False
            return self._ask_again()
        item = self._waiting.take()
        if item is None:
            return None
        self._question_id = item.id
        return self._ask(item)

    async def _see_out(self, turn: Coroutine[Any, Any, None]) -> None:
        self._turn_task = task = asyncio.create_task(turn, name="turn")
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:  # the session closes: what had arrived is kept first
            self.stop()
            await asyncio.wait([task])
            raise
        finally:
            self._turn_task = self._turn = None
            self._conclude(None if task.cancelled() else task.exception())

    def _conclude(self, problem: BaseException | None) -> None:
        has_stayed = self._waiting.put_back()  # stopped or failed before it was in the log
        if has_stayed or problem is not None:
            self._waiting.is_paused = True
        if has_stayed:
            self._outbox.emit(QueueChanged(self._waiting.items))
        if problem is not None:
            self._outbox.emit(TurnFailed(as_lingque_error(problem)))
        question_id, self._question_id = self._question_id, ""
        self._outbox.emit(TurnEnded(question_id))

    async def _ask(self, item: QueuedMessage) -> None:
        question = await to_the_end(self._promote(item))
        await self._gauge.add(question)
        await self._reply_to(question)

    async def _ask_again(self) -> None:
        question = await self._last_question()
        if question is not None:
            self._question_id = question.id
            await self._reply_to(question)

    async def _promote(self, item: QueuedMessage) -> Message:
        question = await self._store.promote(item.id)
        self._waiting.mark_sent()
        self._outbox.emit(MessageAdded(question))
        self._outbox.emit(QueueChanged(self._waiting.items))
        if not self.info.title:
            self._tell(await self._store.rename_session(self.id, clean_line(question.text, _TITLE_LENGTH)))
        return question

    async def _reply_to(self, question: Message) -> None:
        self._outbox.emit(TurnStarted(question.id))
        prepared = await self._gauge.assemble(up_to=question.seq)
        choice, messages = prepared.choice, prepared.assembly.messages
        self._turn = Turn(
            store=self._store,
            session_id=self.id,
            provider=choice.provider,
            info=prepared.info,
            request=ChatRequest(choice.model, messages, temperature=self._config.chat.temperature),
            emit=self._turn_told,
            retries=self._config.chat.retries,
        )
        await self._turn.run()

    def _turn_told(self, event: Event) -> None:
        self._outbox.emit(event)
        match event:
            case ReplyStarted(Message(text=text)) | ReplyGrew(_, text):
                self._gauge.note_streaming(text)
            case ReplyEnded(message, error):
                self._gauge.note_ended(message)
                if error is not None and message.state is not MessageState.COMPLETE:
                    self._waiting.is_paused = bool(self._waiting.items)
            case _:
                pass

    async def _last_question(self) -> Message | None:
        """What to ask again: nothing where it was answered and something else waits."""
        before: int | None = None
        while page := await self.page(before=before, limit=20):
            newest = page[-1]
            is_answered = newest.role is Role.ASSISTANT and newest.state is MessageState.COMPLETE
            if before is None and is_answered and self._waiting.items:
                return None
            for message in reversed(page):
                if message.role is Role.USER:
                    return message
            before = page[0].seq
        return None

    def _tell(self, info: SessionInfo) -> None:
        self.info = info
        self._outbox.emit(SessionChanged(info))

    def _go_on(self) -> None:
        self._waiting.is_paused = False
        self._wake.set()

    def _require_writable(self) -> None:
        if self.is_read_only:
            raise SessionReadOnly(owner=self.owner)


@asynccontextmanager
async def opened(store: Store, info: SessionInfo, choice: Choice, config: Config) -> AsyncIterator[Session]:
    """A session and its tasks, for as long as the block runs."""
    session = Session(store, info, choice, config, store.lock_session(info.id))
    try:
        await session._load()
        async with _running(session._tasks()):
            yield session
    finally:
        await session._close()


@asynccontextmanager
async def _running(works: list[Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
