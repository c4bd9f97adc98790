"""Token counts, remembered by vocabulary: a message that has ended is counted once in its life."""

from __future__ import annotations

from collections.abc import Mapping

import apsw

from lingque_tui.domain.messages import Message
from lingque_tui.store.messages import COLUMNS, LAST_SEQ, from_row


def save(db: apsw.Connection, vocabulary: str, counts: Mapping[str, int]) -> None:
    """A reply that still streams is passed over: its count would be wrong with the next word."""
    db.executemany(
        "INSERT OR REPLACE INTO token_counts SELECT id, ?, ? FROM messages WHERE id = ? AND state <> 'streaming'",
        [(vocabulary, tokens, message_id) for message_id, tokens in counts.items()],
    )


def page(
    db: apsw.Connection, session_id: str, vocabulary: str, before: int | None, limit: int
) -> tuple[tuple[Message, int | None], ...]:
    """The last `limit` messages before `before`, in log order, each with its count where there is one."""
    rows = db.execute(
        f"SELECT {COLUMNS}, tokens FROM messages"
        " LEFT JOIN token_counts ON message_id = messages.id AND vocabulary = ?"
        " WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT max(?, 0)",
        (vocabulary, session_id, LAST_SEQ if before is None else before, limit),
    )
    return tuple((from_row(row), tokens) for *row, tokens in rows)[::-1]
