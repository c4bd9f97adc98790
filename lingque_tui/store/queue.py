"""What the person wrote while a reply streamed: kept in order, changed, taken back, or promoted into the log."""

from __future__ import annotations

from collections.abc import Callable

import apsw

from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import StoreError
from lingque_tui.domain.messages import Message, QueuedMessage, Role
from lingque_tui.i18n import t
from lingque_tui.store.messages import NewMessage, append
from lingque_tui.store.sessions import touch


def enqueue(db: apsw.Connection, item_id: str, session_id: str, text: str, now: float) -> QueuedMessage:
    touch(db, session_id, now)
    db.execute(
        "INSERT INTO queue (id, session_id, text, created_at) VALUES (?, ?, ?, ?)", (item_id, session_id, text, now)
    )
    return QueuedMessage(item_id, db.last_insert_rowid(), session_id, text, now)


def queued(db: apsw.Connection, session_id: str) -> tuple[QueuedMessage, ...]:
    rows = db.execute(
        "SELECT id, position, session_id, text, created_at FROM queue WHERE session_id = ? ORDER BY position",
        (session_id,),
    )
    return tuple(QueuedMessage(*row) for row in rows)


def edit(db: apsw.Connection, item_id: str, text: str, now: float) -> bool:
    """False where it is gone already: sent, or taken back."""
    row = db.execute("UPDATE queue SET text = ? WHERE id = ? RETURNING session_id", (text, item_id)).fetchone()
    if row:
        touch(db, row[0], now)
    return row is not None


def remove(db: apsw.Connection, item_id: str, now: float) -> str | None:
    """The text that was taken back."""
    taken = _take(db, item_id)
    if taken is None:
        return None
    session_id, text = taken
    touch(db, session_id, now)
    return text


def promote(db: apsw.Connection, item_id: str, now: float, new_id: Callable[[], str]) -> Message:
    """Out of the queue and into the log at once: no crash finds it in both or in neither."""
    taken = _take(db, item_id)
    if taken is None:
        raise StoreError(path=db.filename, detail=t("store.not_queued", id=clean_line(item_id, 80)))
    session_id, text = taken
    (message,) = append(db, session_id, [NewMessage(Role.USER, text, id=item_id)], now, new_id)
    return message


def _take(db: apsw.Connection, item_id: str) -> tuple[str, str] | None:
    return db.execute("DELETE FROM queue WHERE id = ? RETURNING session_id, text", (item_id,)).fetchone()
