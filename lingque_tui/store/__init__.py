"""The conversations on disk: one SQLite file, one writer, nothing ever deleted."""

from lingque_tui.store.lanes import Pending
from lingque_tui.store.locks import SessionLock
from lingque_tui.store.messages import NewMessage
from lingque_tui.store.store import Store

__all__ = ["NewMessage", "Pending", "SessionLock", "Store", "sqlite_version"]


def sqlite_version() -> str:
    """Of the SQLite that apsw brings along, whatever the system has."""
    import apsw

    return apsw.sqlite_lib_version()
