"""What the window is spent on, always true: while the person types, while the reply streams, after a switch.

It owns the counted tail of the log. Loading it (reading, counting, asking what the model's window is) runs
in the session's own task; `assemble` waits for that only before the first request and after a switch.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

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
from lingque_tui.tokens import Counter, counter_for

_SHOW_EVERY_S = 0.1


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request's context and the model that it was made for: a switch meanwhile concerns the next one."""

    choice: Choice
    info: ModelInfo
    assembly: Assembly


@dataclass(frozen=True, slots=True)
class _Basis:
    """All that a bill rests on, replaced as a whole: two models are never mixed."""

    choice: Choice
    info: ModelInfo
    budget: Budget
    measurer: Measurer
    system: Counted
    ledger: Ledger

    def assemble(self, ledger: Ledger, draft_tokens: int = 0) -> Assembly:
        return assemble(
            self.system,
            list(ledger.entries),
            self.budget,
            draft_tokens=draft_tokens,
            older=ledger.older,
            quality=self.measurer.quality,
        )


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
        self._ready = asyncio.Event()
        self._changing = asyncio.Lock()
        self._loads_asked = 0
        self._basis: _Basis | None = None
        self._failure: LingqueError | None = None
        self._info = ModelInfo(choice.provider.name, choice.model)
        self._draft = ""
        self._draft_changed = False
        self._draft_tokens = 0
        self._streaming_tokens = 0
        self._ended: list[Message] = []
        self._shown_at = 0.0

    # What others tell it

    def use_model(self, choice: Choice) -> None:
        self._choice = choice
        self._info = ModelInfo(choice.provider.name, choice.model)
        self.reload()

    def reload(self) -> None:
        """Read and count anew. The old figures stay in sight until the new ones are there."""
        self._loads_asked += 1
        self._ready.clear()
        self._draft_changed = True
        self._stale.set()

    def note_draft(self, text: str) -> None:
        self._draft = text
        self._draft_changed = True
        self._stale.set()

    def note_streaming(self, piece: str) -> None:
        if self._basis:
            self._streaming_tokens += self._basis.measurer.count_now(piece)
        self._show(at_most_every=_SHOW_EVERY_S)

    def note_ended(self, message: Message) -> None:
        self._ended.append(message)
        self._stale.set()

    async def add(self, message: Message) -> None:
        async with self._changing:
            await self._take_ended()
            if self._basis:
                await self._basis.ledger.add(message)
        self._show()

    # What others ask it

    async def assemble(self, *, up_to: int) -> Prepared:
        """The request for the message at `up_to`; what came after it stays out (a retry asks again)."""
        if self._failure is not None:
            self.reload()  # what failed once may work now
        while True:
            await self._ready.wait()
            async with self._changing:
                if self._failure is not None:
                    raise self._failure
                if (basis := self._basis) is None or not self._ready.is_set():
                    continue  # switched while the lock was somebody else's
                await self._take_ended()
                ledger = await self._ledger_up_to(up_to, basis)
                return Prepared(basis.choice, basis.info, basis.assemble(ledger))

    @property
    def window(self) -> int | None:
        return self._info.window

    def bill(self) -> ContextBill:
        if self._basis is None:
            return ContextBill()
        bill = self._basis.assemble(self._basis.ledger, self._draft_tokens).bill
        return replace(bill, recent=bill.recent + self._streaming_tokens)

    # Its task

    async def run(self) -> None:
        while True:
            await self._stale.wait()
            self._stale.clear()
            try:
                await self._catch_up()
            except Exception as error:
                if not self._ready.is_set():
                    self._failure = as_lingque_error(error)
                    self._ready.set()

    async def _catch_up(self) -> None:
        if self._failure is not None or not self._ready.is_set():
            await self._load()
        async with self._changing:
            await self._take_ended()
        if self._draft_changed and self._basis:
            self._draft_changed = False
            self._draft_tokens = await self._basis.measurer.count_text(self._draft)
        self._show()

    async def _load(self) -> None:
        self._failure = None
        self._ready.clear()
        asked, choice = self._loads_asked, self._choice
        info = await choice.describe()
        if choice is self._choice:
            self._info = info
        measurer = Measurer(own_counter(choice, self._config), choice.provider, choice.model)
        await measurer.prepare()
        system = system_message(self._session_id)
        counted = Counted(system, (await measurer.count_messages([system]))[0])
        budget = budget_for(info.window, self._config)
        ledger = Ledger(self._store, self._session_id, measurer)
        async with self._changing:
            await ledger.load(budget.room)
            self._basis = _Basis(choice, info, budget, measurer, counted, ledger)
            if asked == self._loads_asked:  # else once more: a switch or an import came in between
                self._ready.set()

    async def _take_ended(self) -> None:
        """A message leaves the list only when it is in the ledger: whoever calls may be cancelled in between."""
        while self._ended and self._basis:
            await self._basis.ledger.add(self._ended[0])
            self._ended.pop(0)
            self._streaming_tokens = 0

    async def _ledger_up_to(self, seq: int, basis: _Basis) -> Ledger:
        if basis.ledger.ends_at(seq):
            return basis.ledger
        # The tail may have pushed out what this question needs, and even the question.
        earlier = Ledger(self._store, self._session_id, basis.measurer)
        await earlier.load(basis.budget.room, up_to=seq)
        return earlier

    def _show(self, at_most_every: float = 0.0) -> None:
        now = time.monotonic()
        if now - self._shown_at >= at_most_every:
            self._shown_at = now
            self._emit(ContextMeasured(self.bill()))


def own_counter(choice: Choice, config: Config) -> Counter:
    own = config.models.get(choice.ref) or config.models.get(choice.model)
    return counter_for(choice.model, own.vocabulary if own else "")


def budget_for(window: int | None, config: Config) -> Budget:
    reserve = config.chat.reply_reserve if window is None else min(config.chat.reply_reserve, window // 4)
    return Budget(window, reserve, config.compaction.safety_margin if config.compaction.enabled else None)
