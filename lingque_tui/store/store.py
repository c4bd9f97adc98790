"""The one face of the store. What is appended stays: deleting is not offered.

Each call hands its work to a lane and returns at once with a `Pending`: `await` it on an event loop, ask for its
`result()` elsewhere. What was handed over is written even if nobody waits for it any more. Trouble with the file
comes as a `StoreError`; a call after `close` raises one at once.
"""

from __future__ import annotations

import atexit
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import apsw

from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import StoreDamaged
from lingque_tui.domain.messages import (
    Message,
    MessageState,
    QueuedMessage,
    Role,
    SessionInfo,
    ToolCall,
    TurnFigures,
)
from lingque_tui.store import counts, messages, queue, sessions, settings
from lingque_tui.store.database import Database
from lingque_tui.store.faults import store_faults
from lingque_tui.store.lanes import Pending
from lingque_tui.store.locks import SessionLock, SessionLocks
from lingque_tui.store.messages import NewMessage


def random_id() -> str:
    """64 bits: short enough to read out; among a million messages the odds of a clash are 3 in 10⁸."""
    return secrets.token_hex(8)


class Store:
    def __init__(self, path: Path, clock: Callable[[], float], new_id: Callable[[], str], *, fleeting: bool) -> None:
        self._clock = clock
        self._new_id = new_id
        self._fleeting = fleeting
        self._database = Database(path, clock())
        self._locks = SessionLocks(path.parent / "locks")
        # An owner who forgot to close still gets everything written.
        atexit.register(self.close)

    @classmethod
    def open(
        cls,
        path: Path | None,
        *,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = random_id,
    ) -> Self:
        """Blocks while the file is opened and brought up to date. None: a private one that `close` removes."""
        if path is not None:
            return cls(path, clock, new_id, fleeting=False)
        return cls(Path(tempfile.mkdtemp(prefix="lingque-")) / "lingque.db", clock, new_id, fleeting=True)

    @property
    def path(self) -> Path:
        return self._database.path

    @property
    def sqlite_version(self) -> str:
        return apsw.sqlite_lib_version()

    def close(self) -> None:
        """Finish every write that was handed over, free the locks, let the file go. May be called again."""
        self._database.close()
        self._locks.release_all()
        if self._fleeting:
            shutil.rmtree(self.path.parent, ignore_errors=True)
        atexit.unregister(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Sessions

    def create_session(self, title: str = "", model: str = "") -> Pending[SessionInfo]:
        now, session_id = self._clock(), self._new_id()
        return self._database.write(lambda db: sessions.create(db, session_id, title, model, now))

    def session(self, session_id: str) -> Pending[SessionInfo | None]:
        return self._database.read(lambda db: sessions.get(db, session_id))

    def sessions(
        self, search: str = "", include_archived: bool = False, limit: int = 200
    ) -> Pending[tuple[SessionInfo, ...]]:
        """Last talked in first. `search` is a part of the title, in whatever case."""
        return self._database.read(lambda db: sessions.page(db, search, include_archived, limit))

    def find_session(self, ref: str) -> Pending[SessionInfo | None]:
        """As a person names it: its id, the unique beginning of its id (4 characters or more), or its title."""
        return self._database.read(lambda db: sessions.find(db, ref))

    def last_session(self) -> Pending[SessionInfo | None]:
        return self._database.read(sessions.last)

    def rename_session(self, session_id: str, title: str) -> Pending[SessionInfo]:
        return self._database.write(lambda db: sessions.change(db, session_id, "title", title))

    def set_model(self, session_id: str, model: str) -> Pending[SessionInfo]:
        return self._database.write(lambda db: sessions.change(db, session_id, "model", model))

    def archive_session(self, session_id: str, archived: bool = True) -> Pending[SessionInfo]:
        """Out of the lists, or back into them."""
        return self._database.write(lambda db: sessions.change(db, session_id, "archived", archived))

    def save_draft(self, session_id: str, text: str) -> Pending[None]:
        return self._database.write(lambda db: sessions.save_draft(db, session_id, text))

    def draft(self, session_id: str) -> Pending[str]:
        return self._database.read(lambda db: sessions.draft(db, session_id))

    # The log

    def append(
        self,
        session_id: str,
        role: Role,
        text: str,
        *,
        state: MessageState = MessageState.COMPLETE,
        reasoning: str = "",
        model: str = "",
        tool_calls: tuple[ToolCall, ...] = (),
        tool_call_id: str = "",
        created_at: float | None = None,
        id: str | None = None,
    ) -> Pending[Message]:
        now = self._clock()
        fresh = NewMessage(role, text, created_at, id, reasoning, model, tool_calls, tool_call_id, state)
        return self._database.write(lambda db: messages.append(db, session_id, (fresh,), now, self._new_id)[0])

    def append_many(self, session_id: str, fresh: Sequence[NewMessage]) -> Pending[tuple[Message, ...]]:
        """All of them or none, in one transaction."""
        now, frozen = self._clock(), tuple(fresh)
        return self._database.write(lambda db: messages.append(db, session_id, frozen, now, self._new_id))

    def checkpoint(self, message_id: str, text: str, reasoning: str) -> Pending[None]:
        """Save how far a reply has come. Of one that has ended nothing is changed."""
        now = self._clock()
        return self._database.write(lambda db: messages.checkpoint(db, message_id, text, reasoning, now))

    def finish(
        self, message_id: str, *, text: str, reasoning: str, state: MessageState, figures: TurnFigures | None
    ) -> Pending[Message]:
        """End a reply. One that has ended already is returned as it is."""
        now = self._clock()
        return self._database.write(lambda db: messages.finish(db, message_id, text, reasoning, state, figures, now))

    def recover(self, session_id: str) -> Pending[int]:
        """Mark what a crash cut off. Only for the holder of the session's lock: others' replies stream too."""
        return self._database.write(lambda db: messages.recover(db, session_id))

    def messages(
        self, session_id: str, *, before: int | None = None, after: int | None = None, limit: int = 50
    ) -> Pending[tuple[Message, ...]]:
        """A page in log order; `before` and `after` are the `seq` of a message that the page borders on."""
        return self._database.read(lambda db: messages.page(db, session_id, before, after, limit))

    def message(self, message_id: str) -> Pending[Message | None]:
        return self._database.read(lambda db: messages.get(db, message_id))

    def count(self, session_id: str) -> Pending[int]:
        return self._database.read(lambda db: messages.count(db, session_id))

    def ordinal(self, session_id: str, seq: int) -> Pending[int]:
        """The place of a message in its session, from 1."""
        return self._database.read(lambda db: messages.ordinal(db, session_id, seq))

    def prompts(self, limit: int = 200) -> Pending[tuple[str, ...]]:
        """What the person said anywhere, newest first, each once."""
        return self._database.read(lambda db: messages.prompts(db, limit))

    # The queue

    def enqueue(self, session_id: str, text: str) -> Pending[QueuedMessage]:
        now, item_id = self._clock(), self._new_id()
        return self._database.write(lambda db: queue.enqueue(db, item_id, session_id, text, now))

    def queued(self, session_id: str) -> Pending[tuple[QueuedMessage, ...]]:
        return self._database.read(lambda db: queue.queued(db, session_id))

    def edit_queued(self, item_id: str, text: str) -> Pending[bool]:
        now = self._clock()
        return self._database.write(lambda db: queue.edit(db, item_id, text, now))

    def remove_queued(self, item_id: str) -> Pending[str | None]:
        now = self._clock()
        return self._database.write(lambda db: queue.remove(db, item_id, now))

    def promote(self, item_id: str) -> Pending[Message]:
        """Out of the queue and into the log, under the same id."""
        now = self._clock()
        return self._database.write(lambda db: queue.promote(db, item_id, now, self._new_id))

    # Counts and settings

    def save_counts(self, vocabulary: str, tokens: Mapping[str, int]) -> Pending[None]:
        """Tokens by message id."""
        frozen = dict(tokens)
        return self._database.write(lambda db: counts.save(db, vocabulary, frozen))

    def counted(
        self, session_id: str, vocabulary: str, *, before: int | None = None, limit: int = 200
    ) -> Pending[tuple[tuple[Message, int | None], ...]]:
        """The newest messages in log order, each with its count in this vocabulary where there is one."""
        return self._database.read(lambda db: counts.page(db, session_id, vocabulary, before, limit))

    def setting(self, key: str) -> Pending[str | None]:
        return self._database.read(lambda db: settings.get(db, key))

    def set_setting(self, key: str, value: str) -> Pending[None]:
        return self._database.write(lambda db: settings.put(db, key, value))

    # The file and its locks

    def check(self) -> Pending[None]:
        """Read every page. Raises `StoreDamaged` where one is not what it should be."""
        return self._database.read(_check)

    def lock_session(self, session_id: str) -> SessionLock | None:
        """The right to write, or None where another window has it. At once: opening one small file."""
        self._database.require_open()
        with store_faults(self.path):
            return self._locks.take(session_id)

    def lock_owner(self, session_id: str) -> str:
        """Who has the session, for a sentence: `process 1234`."""
        return self._locks.owner(session_id)


def _check(db: apsw.Connection) -> None:
    complaints = [str(line) for (line,) in db.execute("PRAGMA integrity_check(10)")]
    if complaints != ["ok"]:
        raise StoreDamaged(path=db.filename, detail=clean_line("; ".join(complaints)))
