"""The log: appended to, read in pages, never rewritten.

The one row that may change is a reply that still streams; the clause `state = 'streaming'` stands in every UPDATE
here, so a late checkpoint or a second ending finds nothing to change. The order is `seq`, never a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import msgspec

from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import StoreError
from lingque_tui.domain.messages import Message, MessageState, Role, ToolCall, TurnFigures
from lingque_tui.i18n import t
from lingque_tui.store.sessions import touch

COLUMNS = (
    "messages.id, seq, session_id, role, text, created_at, state, reasoning, model, tool_calls, tool_call_id, figures"
)
LAST_SEQ = 2**63 - 1


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message on its way into the log. What is None the store fills in."""

    role: Role
    text: str
    created_at: float | None = None
    id: str | None = None
    reasoning: str = ""
    model: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    state: MessageState = MessageState.COMPLETE


def append(
    db: apsw.Connection, session_id: str, fresh: Sequence[NewMessage], now: float, new_id: Callable[[], str]
) -> tuple[Message, ...]:
    if not fresh:
        return ()
    touch(db, session_id, now, added=len(fresh))
    return tuple(_insert(db, session_id, message, now, new_id) for message in fresh)


def checkpoint(db: apsw.Connection, message_id: str, text: str, reasoning: str, now: float) -> None:
    rows = db.execute(
        "UPDATE messages SET text = ?, reasoning = ? WHERE id = ? AND state = 'streaming' RETURNING session_id",
        (text, reasoning, message_id),
    )
    _touch_all(db, rows, now)


def finish(
    db: apsw.Connection,
    message_id: str,
    text: str,
    reasoning: str,
    state: MessageState,
    figures: TurnFigures | None,
    now: float,
) -> Message:
    rows = db.execute(
        "UPDATE messages SET text = ?, reasoning = ?, state = ?, figures = ?"
        " WHERE id = ? AND state = 'streaming' RETURNING session_id",
        (text, reasoning, state, _to_json(figures) if figures else None, message_id),
    )
    _touch_all(db, rows, now)
    message = get(db, message_id)
    if message is None:
        raise StoreError(path=db.filename, detail=t("store.no_message", id=clean_line(message_id, 80)))
    return message


def recover(db: apsw.Connection, session_id: str) -> int:
    """What still streams although nobody writes it was cut off by a crash. Returns how many there were."""
    db.execute("UPDATE messages SET state = 'interrupted' WHERE session_id = ? AND state = 'streaming'", (session_id,))
    return db.changes()


def get(db: apsw.Connection, message_id: str) -> Message | None:
    row = db.execute(f"SELECT {COLUMNS} FROM messages WHERE id = ?", (message_id,)).fetchone()
    return from_row(row) if row else None


def page(
    db: apsw.Connection, session_id: str, before: int | None, after: int | None, limit: int
) -> tuple[Message, ...]:
    """In log order: the first `limit` after `after`, else the last `limit` before `before`, else the last ones."""
    forward = after is not None
    rows = db.execute(
        f"SELECT {COLUMNS} FROM messages WHERE session_id = ? AND seq > ? AND seq < ?"
        f" ORDER BY seq {'ASC' if forward else 'DESC'} LIMIT max(?, 0)",
        (session_id, 0 if after is None else after, LAST_SEQ if before is None else before, limit),
    )
    found = tuple(map(from_row, rows))
    return found if forward else found[::-1]


def count(db: apsw.Connection, session_id: str) -> int:
    row = db.execute("SELECT message_count FROM sessions WHERE id = ?", (session_id,)).fetchone()
    return row[0] if row else 0


def ordinal(db: apsw.Connection, session_id: str, seq: int) -> int:
    rows = db.execute("SELECT count(*) FROM messages WHERE session_id = ? AND seq <= ?", (session_id, seq))
    return int(next(rows)[0])


def prompts(db: apsw.Connection, limit: int) -> tuple[str, ...]:
    """What the person said, newest first, each once. Reads only as far back as it needs to."""
    found: dict[str, None] = {}
    for (text,) in db.execute("SELECT text FROM messages WHERE role = 'user' ORDER BY seq DESC"):
        if len(found) >= limit:
            break
        found.setdefault(text)
    return tuple(found)


def from_row(row: Sequence[Any]) -> Message:
    """`row` holds COLUMNS, in the order of the fields of `Message`."""
    id, seq, session_id, role, text, created_at, state, reasoning, model, calls, tool_call_id, figures = row
    return Message(
        id=id,
        seq=seq,
        session_id=session_id,
        role=Role(role),
        text=text,
        created_at=created_at,
        state=MessageState(state),
        reasoning=reasoning,
        model=model,
        tool_calls=msgspec.json.decode(calls, type=tuple[ToolCall, ...]) if calls != "[]" else (),
        tool_call_id=tool_call_id,
        figures=msgspec.json.decode(figures, type=TurnFigures) if figures else None,
    )


def _insert(db: apsw.Connection, session_id: str, fresh: NewMessage, now: float, new_id: Callable[[], str]) -> Message:
    id = fresh.id or new_id()
    created_at = now if fresh.created_at is None else fresh.created_at
    db.execute(
        "INSERT INTO messages (id, session_id, role, text, reasoning, state, model, created_at, tool_calls,"
        " tool_call_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            id,
            session_id,
            fresh.role,
            fresh.text,
            fresh.reasoning,
            fresh.state,
            fresh.model,
            created_at,
            _to_json(fresh.tool_calls),
            fresh.tool_call_id,
        ),
    )
    return Message(
        id=id,
        seq=db.last_insert_rowid(),
        session_id=session_id,
        role=fresh.role,
        text=fresh.text,
        created_at=created_at,
        state=fresh.state,
        reasoning=fresh.reasoning,
        model=fresh.model,
        tool_calls=fresh.tool_calls,
        tool_call_id=fresh.tool_call_id,
    )


def _touch_all(db: apsw.Connection, sessions: Iterable[tuple[str]], now: float) -> None:
    for (session_id,) in tuple(sessions):
        touch(db, session_id, now)


def _to_json(value: object) -> str:
    return msgspec.json.encode(value).decode()
