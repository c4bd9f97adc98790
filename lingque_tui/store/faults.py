"""Where SQLite's and the file system's complaints become ours. Above this room nobody catches `apsw.Error`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import StoreDamaged, StoreError, StoreUnwritable

_DAMAGED = (apsw.CorruptError, apsw.NotADBError)
_UNWRITABLE = (apsw.FullError, apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError)
_FAILED_WRITES = frozenset(
    {
        apsw.SQLITE_IOERR_WRITE,
        apsw.SQLITE_IOERR_FSYNC,
        apsw.SQLITE_IOERR_DIR_FSYNC,
        apsw.SQLITE_IOERR_TRUNCATE,
        apsw.SQLITE_IOERR_SHMOPEN,
        apsw.SQLITE_IOERR_SHMSIZE,
        apsw.SQLITE_IOERR_SHMMAP,
    }
)
"""An `IOError` may come from reading too; these say that a write failed, mostly because the disk is full."""


@contextmanager
def store_faults(path: Path) -> Iterator[None]:
    """Raise what goes wrong inside as a `StoreError` about the file `path`."""
    try:
        yield
    except apsw.Error as error:
        raise _kind(error)(path=path, detail=clean_line(str(error))) from error
    except OSError as error:
        raise StoreUnwritable(path=path, detail=clean_line(error.strerror or str(error))) from error
    except UnicodeError as error:  # a lone surrogate: text that was not cleaned on its way in
        raise StoreError(path=path, detail=clean_line(str(error))) from error


def _kind(error: apsw.Error) -> type[StoreError]:
    if isinstance(error, _DAMAGED):
        return StoreDamaged
    if isinstance(error, _UNWRITABLE) or getattr(error, "extendedresult", 0) in _FAILED_WRITES:
        return StoreUnwritable
    return StoreError
