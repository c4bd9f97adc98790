"""All sessions that are open at once, in one store, over one switchboard.

A session left while its reply streams goes on in the background until the reply is there: switching away
never costs an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lingque_tui.config.schema import Config
from lingque_tui.domain.errors import LingqueError
from lingque_tui.domain.messages import SessionInfo
from lingque_tui.session.session import Session, opened
from lingque_tui.session.switchboard import Choice, Switchboard
from lingque_tui.store import Store

LAST_MODEL = "last_model"


class Workspace:
    def __init__(self, store: Store, switchboard: Switchboard, config: Config) -> None:
        self.store = store
        self.switchboard = switchboard
        self.config = config
        self._open: dict[str, _Room] = {}

    async def open(self, info: SessionInfo, choice: Choice) -> Session:
        while (room := self._open.get(info.id)) is not None and room.is_over:
            await room.close()
            if self._open.get(info.id) is room:  # else somebody was faster, while we waited
                del self._open[info.id]
        if room is None:
            room = self._open[info.id] = _Room(self.store, info, choice, self.config)
        return await room.enter()

    def leave(self, session: Session) -> None:
        """Close it, at once or when its reply has arrived."""
        room = self._open.get(session.id)
        if room is not None:
            room.leave_when_idle()

    async def choose(self, ref: str) -> Choice:
        """The model for `ref`, `auto` included; raises `ProviderError`."""
        return self.switchboard.choose(ref, await self.store.setting(LAST_MODEL) or "")

    async def remember(self, choice: Choice) -> None:
        await self.store.set_setting(LAST_MODEL, choice.ref)

    async def choose_for(self, info: SessionInfo, flag: str = "") -> tuple[Choice, LingqueError | None]:
        """The flag's model, else the session's, else the configured one, else `auto`.

        The error says why a wish could not be met; the choice is then the next best."""
        wish_failed: LingqueError | None = None
        for ref in filter(None, (flag, info.model, self.config.chat.model)):
            try:
                return await self.choose(ref), wish_failed
            except LingqueError as error:
                wish_failed = wish_failed or error
        return await self.choose("auto"), wish_failed

    async def close(self) -> None:
        rooms, self._open = list(self._open.values()), {}
        await asyncio.gather(*(room.close() for room in rooms))
        await self.switchboard.close()


class _Room:
    """One open session, hosted by a task of its own, so that it can be entered here and closed there."""

    def __init__(self, store: Store, info: SessionInfo, choice: Choice, config: Config) -> None:
        self._closing = asyncio.Event()
        self._entered: asyncio.Future[Session] = asyncio.get_running_loop().create_future()
        self._host = asyncio.create_task(self._run(store, info, choice, config), name=f"session {info.id}")
        self._leaving: asyncio.Task[None] | None = None

    async def enter(self) -> Session:
        self._stay()
        return await asyncio.shield(self._entered)

    @property
    def is_over(self) -> bool:
        """Closing, closed, or never opened because something failed."""
        return self._closing.is_set() or self._host.done()

    def leave_when_idle(self) -> None:
        self._stay()
        self._leaving = asyncio.create_task(self._leave())

    async def close(self) -> None:
        self._stay()
        self._closing.set()
        await asyncio.wait([self._host])

    def _stay(self) -> None:
        if self._leaving:
            self._leaving.cancel()
            self._leaving = None

    async def _run(self, store: Store, info: SessionInfo, choice: Choice, config: Config) -> None:
        try:
            async with opened(store, info, choice, config) as session:
                self._entered.set_result(session)
                await self._closing.wait()
        except Exception as error:
            if self._entered.done():
                raise
            self._entered.set_exception(error)

    async def _leave(self) -> None:
        session = await self._entered
        with session.subscribe() as events:
            if session.is_busy or session.is_going_on:
                async for _ in events:
                    if not session.is_busy and not session.is_going_on:
                        break
        self._closing.set()


@asynccontextmanager
async def working(store: Store, switchboard: Switchboard, config: Config) -> AsyncIterator[Workspace]:
    workspace = Workspace(store, switchboard, config)
    try:
        yield workspace
    finally:
        await workspace.close()
