"""The file with its two lanes: one thread writes, another reads beside it and never waits for the writer.

WAL gives the reader its own snapshot; `synchronous=FULL` makes a commit that returned survive a power cut.
Every job is one transaction. Writes begin IMMEDIATE: a transaction that starts by reading and turns into a write
fails at once when another process writes, instead of waiting its turn.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

import apsw

from lingque_tui.domain.errors import StoreError
from lingque_tui.i18n import t
from lingque_tui.store.faults import store_faults
from lingque_tui.store.lanes import Lane, LaneClosed, Pending
from lingque_tui.store.migrations import migrate, refuse_newer
from lingque_tui.store.transactions import transaction
from lingque_tui.system import private_file, private_folder

T = TypeVar("T")
Job = Callable[[apsw.Connection], T]

_PATIENCE_MS = 10_000
"""How long to wait for another process that writes. Ours takes milliseconds; an import perhaps a second."""


class Database:
    def __init__(self, path: Path, now: float) -> None:
        """Open `path`, make it where there is none, bring it up to date. Blocks."""
        self.path = path
        self._closing = threading.Lock()
        with contextlib.ExitStack() as undo, store_faults(path):
            private_folder(path.parent)
            private_file(path)  # SQLite gives -wal and -shm the mode of the main file
            self._writer = _connect(path)
            undo.callback(self._writer.close)
            _prepare(self._writer, now)
            self._reader = _connect(path)
            self._reader.pragma("query_only", True)
            undo.pop_all()
        self._writing = Lane("lingque-store-writer")
        self._reading = Lane("lingque-store-reader")

    def write(self, job: Job[T]) -> Pending[T]:
        """The job's result, once it is safely on disk."""
        return self._submit(self._writing, self._writer, "IMMEDIATE", job)

    def read(self, job: Job[T]) -> Pending[T]:
        return self._submit(self._reading, self._reader, "DEFERRED", job)

    def require_open(self) -> None:
        if self._writing.is_closed:
            raise self._closed()

    def close(self) -> None:
        """Write all that was handed over, then let the file go. May be called again, and from any thread."""
        with self._closing:
            self._writing.close()
            self._reading.close()
            for step in (self._reader.close, lambda: self._writer.pragma("wal_checkpoint"), self._writer.close):
                # Whatever fails is no loss: commits are in the WAL already, and the next opening reads it.
                with contextlib.suppress(apsw.Error):
                    step()

    def _submit(
        self, lane: Lane, connection: apsw.Connection, mode: Literal["IMMEDIATE", "DEFERRED"], job: Job[T]
    ) -> Pending[T]:
        def transact() -> T:
            with store_faults(self.path), transaction(connection, mode):
                return job(connection)

        try:
            return lane.submit(transact)
        except LaneClosed:
            raise self._closed() from None

    def _closed(self) -> StoreError:
        return StoreError(path=self.path, detail=t("store.closed"))


def _connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(_PATIENCE_MS)
    # SQLite's own lower() and LIKE fold ASCII only.
    connection.create_scalar_function("casefold", lambda *texts: str(texts[0]).casefold(), 1, deterministic=True)
    return connection


def _prepare(writer: apsw.Connection, now: float) -> None:
    refuse_newer(writer)
    _use_wal(writer)
    writer.pragma("synchronous", "full")
    writer.pragma("foreign_keys", True)
    migrate(writer, now)


def _use_wal(writer: apsw.Connection) -> None:
    """Two that switch a fresh file at the same moment: SQLite tells one of them `busy` without any waiting."""
    deadline = time.monotonic() + _PATIENCE_MS / 1000
    while True:
        try:
            writer.pragma("journal_mode", "wal")
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)
