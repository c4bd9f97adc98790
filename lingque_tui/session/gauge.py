"""What the window is spent on, always true: while the person types, while the reply streams, after a switch.

It owns the counted tail of the log. Loading it (reading, counting, asking what the model's window is) runs
in the session's own task; `assemble` waits for that only before the first request.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

from lingque_tui.config.schema import Config
from lingque_tui.domain.context import ContextBill
from lingque_tui.domain.errors import LingqueError
from lingque_tui.domain.events import ContextMeasured, Event
from lingque_tui.domain.messages import Message
from lingque_tui.domain.ports import ModelInfo
from lingque_tui.session.assembler import Assembly, Budget, Counted, assemble
from lingque_tui.session.failures import as_lingque_error
from lingque_tui.session.ledger import Ledger
from lingque_tui.session.measurer import Measurer
from lingque_tui.session.switchboard import Choice
from lingque_tui.session.system_prompt import system_message
from lingque_tui.store import Store
from lingque_tui.tokens import counter_for

_SHOW_EVERY_S = 0.1


class ContextGauge:
    def __init__(
        self, store: Store, session_id: str, choice: Choice, config: Config, emit: Callable[[Event], None]
    ) -> None:
        self._store = store
        self._session_id = session_id
        self._choice = choice
        self._config = config
        self._emit = emit
        self._stale = asyncio.Event()
        self._stale.set()
        self._draft_changed = False
        self._ready = asyncio.Event()
        self._changing = asyncio.Lock()
        self._draft = ""
        self._draft_tokens = 0
        self._streaming_tokens = 0
        self._shown_at = 0.0
        self._system: Counted | None = None
        self._ledger: Ledger | None = None
        self._measurer: Measurer | None = None
        self._info = ModelInfo(choice.provider.name, choice.model)
        self._ended: list[Message] = []
        self._failure: LingqueError | None = None

    # What others tell it

    def use_model(self, choice: Choice) -> None:
        self._choice = choice
        self.reload()

    def reload(self) -> None:
        self._ready.clear()
        self._ledger = None
        self._stale.set()

    def note_draft(self, text: str) -> None:
        self._draft = text
        self._draft_changed = True
        self._stale.set()

    def note_streaming(self, piece: str) -> None:
        if self._measurer:
            self._streaming_tokens += self._measurer.count_now(piece)
        self._show(at_most_every=_SHOW_EVERY_S)

    def note_ended(self, message: Message) -> None:
        self._ended.append(message)
        self._stale.set()

    async def add(self, message: Message) -> None:
        async with self._changing:
            if self._ledger:
                await self._ledger.add(message)
        self._show()

    # What others ask it

    async def assemble(self, *, up_to: int) -> Assembly:
        """The request for the message at `up_to`; what came after it stays out (a retry asks again)."""
        await self._ready.wait()
        async with self._changing:
            if self._ledger is None:
                raise self._failure or LingqueError(detail="the context could not be read")
            await self._take_ended()
            history = [entry for entry in self._ledger.entries if entry.message.seq <= up_to]
            return self._assemble(history, self._ledger.older)

    async def described(self) -> ModelInfo:
        await self._ready.wait()
        return self._info

    @property
    def window(self) -> int | None:
        return self._info.window

    def bill(self) -> ContextBill:
        ledger = self._ledger
        history = list(ledger.entries) if ledger else []
        bill = self._assemble(history, ledger.older if ledger else 0, self._draft_tokens).bill
        return replace(bill, recent=bill.recent + self._streaming_tokens)

    # Its task

    async def run(self) -> None:
        while True:
            await self._stale.wait()
            self._stale.clear()
            try:
                await self._catch_up()
            except Exception as error:
                self._failure = as_lingque_error(error)
                self._ready.set()

    async def _catch_up(self) -> None:
        if self._ledger is None:
            await self._load()
        async with self._changing:
            await self._take_ended()
        if self._draft_changed:
            self._draft_changed = False
            self._draft_tokens = await self._count_draft()
        self._show()

    async def _load(self) -> None:
        choice = self._choice
        self._info = await choice.describe()
        settings = self._config.models
        own = settings.get(choice.ref) or settings.get(choice.model)
        measurer = Measurer(counter_for(choice.model, own.vocabulary if own else ""), choice.provider, choice.model)
        self._show()
        await measurer.prepare()
        system = system_message(self._session_id)
        self._system = Counted(system, (await measurer.count_messages([system]))[0])
        ledger = Ledger(self._store, self._session_id, measurer)
        async with self._changing:
            await ledger.load(self._budget().room)
            if choice is not self._choice:
                self._stale.set()  # switched meanwhile: once more, for the newer one
                return
            self._measurer, self._ledger = measurer, ledger
        self._ready.set()

    async def _take_ended(self) -> None:
        while self._ended and self._ledger:
            await self._ledger.add(self._ended.pop(0))
            self._streaming_tokens = 0

    async def _count_draft(self) -> int:
        return await self._measurer.count_text(self._draft) if self._measurer and self._draft else 0

    def _budget(self) -> Budget:
        window = self._info.window
        reserve = self._config.chat.reply_reserve
        if window is not None:
            reserve = min(reserve, window // 4)
        compaction = self._config.compaction
        return Budget(window, reserve, compaction.safety_margin if compaction.enabled else None)

    def _assemble(self, history: list[Counted], older: int, draft_tokens: int = 0) -> Assembly:
        quality = {"quality": self._measurer.quality} if self._measurer else {}
        return assemble(self._system, history, self._budget(), draft_tokens=draft_tokens, older=older, **quality)

    def _show(self, at_most_every: float = 0.0) -> None:
        now = time.monotonic()
        if now - self._shown_at >= at_most_every:
            self._shown_at = now
            self._emit(ContextMeasured(self.bill()))
