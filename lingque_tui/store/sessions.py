"""Sessions: making, finding, naming them. All functions run inside somebody's transaction."""

from __future__ import annotations

from typing import Any, Literal

import apsw

from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import StoreError
from lingque_tui.domain.messages import SessionInfo
from lingque_tui.i18n import t

_SHORTEST_PREFIX = 4
_PREVIEW = 80

_INFO = """
    SELECT id, title, created_at, updated_at, message_count, model, archived, (
        SELECT substr(text, 1, 4 * :preview) FROM messages
        WHERE session_id = sessions.id AND text <> '' ORDER BY seq DESC LIMIT 1
    ) FROM sessions
"""
_NEWEST_FIRST = "ORDER BY touched DESC"
_NEXT_TOUCH = "(SELECT coalesce(max(touched), 0) + 1 FROM sessions)"


def create(db: apsw.Connection, session_id: str, title: str, model: str, now: float) -> SessionInfo:
    db.execute(
        "INSERT INTO sessions (id, title, model, created_at, updated_at, touched)"
        f" VALUES (?, ?, ?, ?, ?, {_NEXT_TOUCH})",
        (session_id, title, model, now, now),
    )
    return _known(db, session_id)


def get(db: apsw.Connection, session_id: str) -> SessionInfo | None:
    return _first(db, "WHERE id = :id", id=session_id)


def page(db: apsw.Connection, search: str, include_archived: bool, limit: int) -> tuple[SessionInfo, ...]:
    return _select(
        db,
        "WHERE instr(casefold(title), casefold(:search)) AND archived <= :archived"
        f" {_NEWEST_FIRST} LIMIT max(:limit, 0)",
        search=search,
        archived=include_archived,
        limit=limit,
    )


def find(db: apsw.Connection, ref: str) -> SessionInfo | None:
    """By id, by the beginning of an id that fits only one session, by title."""
    return get(db, ref) or _by_prefix(db, ref) or _by_title(db, ref)


def last(db: apsw.Connection) -> SessionInfo | None:
    return _first(db, f"WHERE NOT archived {_NEWEST_FIRST} LIMIT 1")


def change(
    db: apsw.Connection, session_id: str, column: Literal["title", "model", "archived"], value: str | bool
) -> SessionInfo:
    """Not a touch: renaming an old session doesn't make it the last one talked in."""
    db.execute(f"UPDATE sessions SET {column} = ? WHERE id = ?", (value, session_id))
    return _known(db, session_id)


def save_draft(db: apsw.Connection, session_id: str, text: str) -> None:
    db.execute("UPDATE sessions SET draft = ? WHERE id = ?", (text, session_id))
    if not db.changes():
        raise unknown_session(db, session_id)


def draft(db: apsw.Connection, session_id: str) -> str:
    row = db.execute("SELECT draft FROM sessions WHERE id = ?", (session_id,)).fetchone()
    return row[0] if row else ""


def touch(db: apsw.Connection, session_id: str, now: float, added: int = 0) -> None:
    """Something was said or queued here. Raises where there is no such session."""
    db.execute(
        f"UPDATE sessions SET updated_at = ?, touched = {_NEXT_TOUCH}, message_count = message_count + ? WHERE id = ?",
        (now, added, session_id),
    )
    if not db.changes():
        raise unknown_session(db, session_id)


def unknown_session(db: apsw.Connection, session_id: str) -> StoreError:
    return StoreError(path=db.filename, detail=t("store.no_session", id=clean_line(session_id, 80)))


def _by_prefix(db: apsw.Connection, prefix: str) -> SessionInfo | None:
    if len(prefix) < _SHORTEST_PREFIX:
        return None
    fitting = _select(db, "WHERE substr(id, 1, length(:prefix)) = :prefix LIMIT 2", prefix=prefix)
    return fitting[0] if len(fitting) == 1 else None


def _by_title(db: apsw.Connection, title: str) -> SessionInfo | None:
    return _first(db, f"WHERE title = :title {_NEWEST_FIRST} LIMIT 1", title=title) if title else None


def _known(db: apsw.Connection, session_id: str) -> SessionInfo:
    info = get(db, session_id)
    if info is None:
        raise unknown_session(db, session_id)
    return info


def _first(db: apsw.Connection, clause: str, **values: str) -> SessionInfo | None:
    return next(iter(_select(db, clause, **values)), None)


def _select(db: apsw.Connection, clause: str, **values: str | int) -> tuple[SessionInfo, ...]:
    return tuple(map(_info, db.execute(f"{_INFO} {clause}", {"preview": _PREVIEW, **values})))


def _info(row: tuple[Any, ...]) -> SessionInfo:
    id, title, created_at, updated_at, message_count, model, archived, beginning = row
    preview = clean_line(beginning or "", _PREVIEW)
    return SessionInfo(id, title, created_at, updated_at, message_count, model, bool(archived), preview)
