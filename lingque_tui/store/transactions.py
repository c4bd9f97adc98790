"""All or nothing, without stopping the world.

apsw's own `with connection` keeps the interpreter's lock while it waits for another writer and while a commit is
synced (measured: a second of waiting, no other thread ran). Statements let it go, so the screen stays alive.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import apsw


@contextmanager
def transaction(db: apsw.Connection, mode: Literal["IMMEDIATE", "DEFERRED"]) -> Iterator[None]:
    db.execute(f"BEGIN {mode}")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # SQLite ends it by itself where the disk is full
            db.execute("ROLLBACK")
        raise
