"""A conversation that goes on: verbs in, events out.

`Session` owns its tasks: one pump that sends what waits, one keeper of the draft, one that measures the
context. They live from `opened` to its end and never longer. A session whose lock somebody else holds is
read-only: everything can be read, nothing is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from lingque_tui.config.schema import Config
from lingque_tui.domain.clean import clean, clean_line
from lingque_tui.domain.errors import LingqueError, SessionReadOnly
from lingque_tui.domain.events import (
    Event,
    MessageAdded,
    QueueChanged,
    ReplyEnded,
    ReplyGrew,
    SessionChanged,
    TurnEnded,
    TurnFailed,
)
from lingque_tui.domain.messages import Message, MessageState, QueuedMessage, Role, SessionInfo
from lingque_tui.domain.ports import ChatRequest
from lingque_tui.session.drafts import DraftKeeper
from lingque_tui.session.failures import as_lingque_error
from lingque_tui.session.gauge import ContextGauge
from lingque_tui.session.outbox import Outbox, Subscription
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
        return bool(self._waiting.items) and not self._waiting.is_paused

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
        item = await self._waiting.add(clean(text))
        if self.is_busy or len(self._waiting.items) > 1:
            self._outbox.emit(QueueChanged(self._waiting.items))
        self._go_on()
        return item

    async def send(self, text: str) -> AsyncIterator[Event]:
        """Submit, and yield all events until this message's turn has ended."""
        with self.subscribe() as events:
            item = await self.submit(text)
            async for event in events:
                yield event
                if isinstance(event, TurnEnded) and event.user_message_id == item.id:
                    return

    def stop(self) -> bool:
        """End the reply that streams; what had arrived is kept and marked. False when none does."""
        if self._turn_task is None or self._turn_task.cancelling():
            return False  # cancelling twice would cut off the writing of the ending
        return self._turn_task.cancel()

    def retry(self) -> None:
        """Ask for a reply to the person's last message again; what waits goes on after it."""
        self._require_writable()
        self._retry_wanted = True
        self._go_on()

    def hold_queued(self, item_id: str) -> str | None:
        return self._waiting.hold(item_id)

    async def edit_queued(self, item_id: str, text: str) -> None:
        await (self._waiting.edit(item_id, clean(text)) if text.strip() else self._waiting.remove(item_id))
        self._queue_changed()

    def release_queued(self) -> None:
        self._waiting.release()
        self._wake.set()

    async def rename(self, title: str) -> None:
        self._require_writable()
        self._tell(await self._store.rename_session(self.id, clean_line(title, _TITLE_LENGTH * 2)))

    async def use_model(self, choice: Choice) -> None:
        """Takes effect with the next request; a reply that streams now goes on."""
        self.choice = choice
        self._gauge.use_model(choice)
        if not self.is_read_only:
            self.info = await self._store.set_model(self.id, choice.ref)
        self._tell(self.info)

    def note_draft(self, text: str) -> None:
        if not self.is_read_only:
            self._drafts.note(text)

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

        return context_for(self._store, self.id, self.choice, self._config, question, budget)

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
        if self._turn_task:
            self.stop()
            await asyncio.wait([self._turn_task])
        if not self.is_read_only:
            await self._drafts.save()
        self._outbox.close()
        if self._lock:
            self._lock.release()

    async def _pump(self) -> None:
        """Send what waits, one turn at a time, for as long as the session lives."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while await self._next_turn():
                pass

    async def _next_turn(self) -> bool:
        if self._retry_wanted:
            self._retry_wanted = False
            if (question := await self._last_question()) is not None:
                await self._reply_to(question)
                return True
        item = self._waiting.take()
        if item is None:
            return False
        try:
            question = await self._store.promote(item.id)
        except LingqueError as error:
            self._waiting.put_back(item)
            self._fail(error, item.id)
            return False
        self._outbox.emit(MessageAdded(question))
        self._outbox.emit(QueueChanged(self._waiting.items))
        await self._gauge.add(question)
        await self._name_after(question)
        await self._reply_to(question)
        return True

    async def _reply_to(self, question: Message) -> None:
        self._turn_task = asyncio.create_task(self._run_turn(question), name=f"turn {question.id}")
        try:
            await asyncio.wait([self._turn_task])
            if not self._turn_task.cancelled() and (error := self._turn_task.exception()):
                self._fail(as_lingque_error(error), question.id)
                return
        finally:
            self._turn_task = self._turn = None
        self._outbox.emit(TurnEnded(question.id))

    async def _run_turn(self, question: Message) -> None:
        assembly = await self._gauge.assemble(up_to=question.seq)
        choice = self.choice
        self._turn = Turn(
            store=self._store,
            session_id=self.id,
            provider=choice.provider,
            info=await self._gauge.described(),
            request=ChatRequest(choice.model, assembly.messages, temperature=self._config.chat.temperature),
            emit=self._turn_told,
            retries=self._config.chat.retries,
        )
        await self._turn.run()

    def _turn_told(self, event: Event) -> None:
        self._outbox.emit(event)
        match event:
            case ReplyGrew(_, text):
                self._gauge.note_streaming(text)
            case ReplyEnded(message, error):
                self._gauge.note_ended(message)
                if error is not None and message.state is not MessageState.COMPLETE:
                    self._waiting.is_paused = bool(self._waiting.items)
            case _:
                pass

    def _fail(self, error: LingqueError, question_id: str) -> None:
        self._waiting.is_paused = True
        self._outbox.emit(TurnFailed(error))
        self._outbox.emit(TurnEnded(question_id))

    async def _last_question(self) -> Message | None:
        before: int | None = None
        while page := await self.page(before=before, limit=20):
            for message in reversed(page):
                if message.role is Role.USER:
                    return message
            before = page[0].seq
        return None

    async def _name_after(self, question: Message) -> None:
        if not self.info.title:
            self._tell(await self._store.rename_session(self.id, clean_line(question.text, _TITLE_LENGTH)))

    def _tell(self, info: SessionInfo) -> None:
        self.info = info
        self._outbox.emit(SessionChanged(info))

    def _queue_changed(self) -> None:
        self._outbox.emit(QueueChanged(self._waiting.items))
        self._wake.set()

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
    await session._load()
    tasks = [asyncio.create_task(work) for work in session._tasks()]
    try:
        yield session
    finally:
        await session._close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
