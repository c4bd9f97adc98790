"""One writer a session: whoever holds the lock of its file may talk in it, everybody else reads.

The system frees a lock when its process ends, so a crash leaves nothing to clean up. The files stay: a file that
is removed while somebody waits at it would give two of them the lock.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import IO

from lingque_tui.i18n import t
from lingque_tui.system import private_file, private_folder, try_lock

_HARMLESS = re.compile(r"[a-z0-9_-]{1,64}")


class SessionLock:
    """Held from the moment it exists."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    @property
    def is_held(self) -> bool:
        return not self._file.closed

    def release(self) -> None:
        self._file.close()


class SessionLocks:
    """The locks of one store, side by side in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._taken: list[SessionLock] = []

    def take(self, session_id: str) -> SessionLock | None:
        """None where somebody has it, be it another store of this very process."""
        private_folder(self._folder)
        file = private_file(self._path(session_id)).open("r+b")
        if not try_lock(file):
            file.close()
            return None
        _sign(file)
        lock = SessionLock(file)
        self._taken = [*(other for other in self._taken if other.is_held), lock]
        return lock

    def owner(self, session_id: str) -> str:
        """Who took it last, in words."""
        try:
            pid = int(self._path(session_id).read_bytes()[:20])
        except (OSError, ValueError):
            return t("store.owner_unknown")
        return t("store.owner", pid=pid)

    def release_all(self) -> None:
        for lock in self._taken:
            lock.release()

    def _path(self, session_id: str) -> Path:
        return self._folder / f"{_file_name(session_id)}.lock"


def _sign(file: IO[bytes]) -> None:
    file.seek(0)
    file.truncate()
    file.write(str(os.getpid()).encode())
    file.flush()


def _file_name(session_id: str) -> str:
    """An id that may have come from outside never names another folder, nor another id's file."""
    if _HARMLESS.fullmatch(session_id):
        return session_id
    return "sha256-" + hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
