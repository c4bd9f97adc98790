"""All that differs between operating systems, in one place, each with a fallback."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


def private_folder(path: Path) -> Path:
    """Make `path` readable by its owner only, whatever the umask says."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(OSError):  # a folder of somebody else's: reading it may still work
        mode = path.stat().st_mode
        if mode & 0o077 and not mode & stat.S_ISVTX:  # a sticky folder such as /tmp is everybody's
            path.chmod(0o700)
    return path


def private_file(path: Path) -> Path:
    """Make sure that `path` exists with mode 0600, before anything is written to it."""
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    with contextlib.suppress(OSError):
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
    return path


def write_private(path: Path, text: str) -> None:
    """Replace `path` as a whole or not at all, mode 0600."""
    private_folder(path.parent)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(fresh, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8") as f:
            f.write(text)
            f.flush()
            os.fsync(f.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def try_lock(file: IO[bytes]) -> bool:
    """Take the lock of an open file. The system frees it when the process ends, however it ends."""
    if sys.platform == "win32":
        import msvcrt

        try:
            # Far beyond the text that names the owner: Windows locks are mandatory, and others must read it.
            file.seek(1 << 20)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_terminal_gone() -> bool:
    """The window was closed under us: what is written now reaches nobody, and soon blocks."""
    if sys.platform == "win32":
        return False
    import termios

    try:
        termios.tcgetattr(0)
    except termios.error:
        return True
    return False


def end_within(seconds: float) -> None:
    """End this process by then, whatever it hangs on. A terminal that is gone can block its way out for ever."""
    last_resort = threading.Timer(seconds, os._exit, (1,))
    last_resort.daemon = True
    last_resort.start()


def on_termination(loop: asyncio.AbstractEventLoop, leave: Callable[[], None]) -> None:
    """Call `leave` when the system asks us to go (SIGTERM, SIGHUP), so that the terminal is left in order."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, leave)
        except (NotImplementedError, RuntimeError):
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(leave))
