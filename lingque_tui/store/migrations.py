"""The shape of the file, as the list of steps that led to it.

A step runs once, in one transaction with its record, so a crash leaves the file before it or after it. Steps are
only ever added. A file with a step unknown here was written by a newer Lingque and is not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import apsw

from lingque_tui.domain.errors import StoreTooNew
from lingque_tui.store.transactions import transaction

Migration = Callable[[apsw.Connection], object]


def m001_conversations(db: apsw.Connection) -> None:
    db.execute("""
        CREATE TABLE sessions (
            id TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            model TEXT NOT NULL,
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL,
            touched INTEGER NOT NULL,  -- orders sessions by their last write: clocks go backwards
            archived INTEGER NOT NULL DEFAULT 0,
            draft TEXT NOT NULL DEFAULT '',
            message_count INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX sessions_by_touch ON sessions (touched);

        CREATE TABLE messages (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            session_id TEXT NOT NULL REFERENCES sessions (id),
            role TEXT NOT NULL,
            text TEXT NOT NULL,
            reasoning TEXT NOT NULL,
            state TEXT NOT NULL,
            model TEXT NOT NULL,
            created_at REAL NOT NULL,
            tool_calls TEXT NOT NULL,
            tool_call_id TEXT NOT NULL,
            figures TEXT
        );
        CREATE INDEX messages_by_session ON messages (session_id, seq);
        CREATE INDEX messages_asked ON messages (seq) WHERE role = 'user';
        CREATE INDEX messages_streaming ON messages (session_id) WHERE state = 'streaming';

        CREATE TABLE queue (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            session_id TEXT NOT NULL REFERENCES sessions (id),
            text TEXT NOT NULL,
            created_at REAL NOT NULL
        );

        CREATE TABLE token_counts (
            message_id TEXT NOT NULL REFERENCES messages (id),
            vocabulary TEXT NOT NULL,
            tokens INTEGER NOT NULL,
            PRIMARY KEY (message_id, vocabulary)
        ) WITHOUT ROWID;

        CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    """)


MIGRATIONS: Sequence[Migration] = (m001_conversations,)


def refuse_newer(db: apsw.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Reads only, so that a newer file stays as it is to the last byte."""
    if applied(db) - {_name(step) for step in migrations}:
        raise StoreTooNew(path=db.filename)


def migrate(db: apsw.Connection, now: float, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    for step in migrations:
        if _name(step) not in applied(db):
            _apply(db, step, now)


def applied(db: apsw.Connection) -> set[str]:
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").fetchall():
        return set()
    return {name for (name,) in db.execute("SELECT name FROM migrations")}


def _apply(db: apsw.Connection, step: Migration, now: float) -> None:
    with transaction(db, "IMMEDIATE"):
        db.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at REAL NOT NULL)")
        if _name(step) in applied(db):  # another process was faster to the write lock
            return
        step(db)
        db.execute("INSERT INTO migrations VALUES (?, ?)", (_name(step), now))


def _name(step: Migration) -> str:
    return getattr(step, "__name__", repr(step))
