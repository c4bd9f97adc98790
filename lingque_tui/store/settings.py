"""What the program remembers for the person between two runs. What they configure is in the config file."""

from __future__ import annotations

import apsw


def get(db: apsw.Connection, key: str) -> str | None:
    row = db.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def put(db: apsw.Connection, key: str, value: str) -> None:
    db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, value))
