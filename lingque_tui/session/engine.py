"""Everything below the screen, opened in the order that lets a window paint first and closed in order at the end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from lingque_tui.config.boot import Boot
from lingque_tui.config.credentials import read_credentials
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import CommandError, LingqueError
from lingque_tui.domain.messages import SessionInfo
from lingque_tui.i18n import t
from lingque_tui.providers.nobody import Nobody
from lingque_tui.session.session import Session
from lingque_tui.session.switchboard import Choice, Switchboard
from lingque_tui.session.workspace import Workspace
from lingque_tui.store import Store


@dataclass(frozen=True, slots=True)
class Entered:
    """A session, and why the model that was wished for could not be had."""

    session: Session
    problem: LingqueError | None = None


class Engine:
    def __init__(self, boot: Boot) -> None:
        self.boot = boot
        self._store: Store | None = None
        self._workspace: Workspace | None = None

    @property
    def workspace(self) -> Workspace:
        assert self._workspace is not None, "start() first"
        return self._workspace

    async def start(self) -> Workspace:
        """Blocks nothing: files are opened off the event loop. Raises `StoreError`."""
        boot, config = self.boot, self.boot.loaded.config
        self._store = await asyncio.to_thread(Store.open, boot.paths.store)
        credentials = await asyncio.to_thread(read_credentials, boot.paths)
        switchboard = await asyncio.to_thread(Switchboard, config, boot.environment, credentials)
        self._workspace = Workspace(self._store, switchboard, config)
        return self._workspace

    async def enter_first(self) -> Entered:
        """The session that the command line asked for."""
        return await self.enter(await self._first_session(), model=self.boot.model)

    async def enter(self, info: SessionInfo, model: str = "") -> Entered:
        try:
            choice, problem = await self.workspace.choose_for(info, model)
        except LingqueError as error:
            choice, problem = Choice(Nobody(), "–", self.boot.loaded.config), error
        session = await self.workspace.open(info, choice)
        return Entered(session, problem)

    async def new_session(self) -> SessionInfo:
        return await self.workspace.store.create_session()

    async def close(self) -> None:
        if self._workspace:
            await self._workspace.close()
        if self._store:
            await asyncio.to_thread(self._store.close)

    async def _first_session(self) -> SessionInfo:
        store = self.workspace.store
        if self.boot.session:
            found = await store.find_session(self.boot.session)
            if found is None:
                raise CommandError(detail=t("session_not_found", name=clean_line(self.boot.session, 80)))
            return found
        last = None if self.boot.is_new else await store.last_session()
        return last or await self.new_session()
