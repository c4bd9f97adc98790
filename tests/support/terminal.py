"""A real terminal for tests and benchmarks: a pty, a screen, and every byte the program wrote.

Headless tests can't see escapes, cursor reports or a terminal left in disorder; this can. It answers queries as a
modern xterm would, and ends only the process that it started. It keeps no scrollback and no second screen buffer.

A thread reads, so that the program never waits for the test. Output is kept in the pieces in which it arrived,
each with its time, and reaches the screen when somebody looks: so times are those of arrival, however slow looking is.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte

Condition = str | Callable[[str], bool]
"""A text that has to be on the screen, or a question to ask of the screen's text."""

# The session leader that opens a terminal gets it as its controlling one: no fork of a threaded Python is needed.
_OWN_TERMINAL = ("/bin/sh", "-c", 'exec "$@" <"$0" >"$0" 2>&1')

HANG_UP_PATIENCE_S = 3.0
"""How long a program may take to leave in order when its window is closed."""

_CELL_WIDTH, _CELL_HEIGHT = 10, 20
_KNOWN_MODES = {b"25", b"1000", b"1003", b"1004", b"1006", b"1049", b"2004", b"2026"}


class ScreenTimeout(AssertionError):
    """What was waited for did not come; the message shows the screen."""


class Terminal:
    """Runs `command` with `home` as its home and nothing else of our environment but PATH."""

    def __init__(
        self,
        command: Sequence[str],
        home: Path,
        *,
        columns: int = 120,
        rows: int = 36,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.columns, self.rows = columns, rows
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._arrived = threading.Condition()
        self._pieces: list[tuple[float, bytes]] = []
        self._shown = 0
        self._unfinished = b""
        self._has_ended = False
        self._master, slave = pty.openpty()
        self._set_size()
        self.started = time.perf_counter()
        try:
            self._process = subprocess.Popen(
                [*_OWN_TERMINAL, os.ttyname(slave), *command],
                stdin=slave,
                stdout=slave,
                stderr=slave,
                cwd=folder,
                env=clean_environment(home) | dict(environment or {}),
                start_new_session=True,
            )
        finally:
            os.close(slave)
        self._reader = threading.Thread(target=self._read, name="terminal", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # What a person does

    def send(self, text: str) -> None:
        """Type, or paste: bytes as a terminal sends them (`\\r` is Enter, `\\x03` Ctrl+C)."""
        self._write(text.encode())

    def resize(self, columns: int, rows: int) -> None:
        with self._arrived:
            self._show_all()
            self.columns, self.rows = columns, rows
            self._screen.resize(rows, columns)
            self._set_size()

    # What a person sees

    def screen(self) -> str:
        """The text on the screen, now; a wide character counts once, trailing spaces are gone."""
        with self._arrived:
            self._show_all()
            return self._text()

    @property
    def raw(self) -> bytes:
        """Every byte the program ever wrote."""
        with self._arrived:
            return b"".join(piece for _, piece in self._pieces)

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self.started

    def wait_for(self, condition: Condition, timeout: float = 10.0) -> float:
        """Wait until `condition` holds; returns when the output arrived that made it so, in seconds since the start."""
        deadline = self.elapsed + timeout
        with self._arrived:
            while not _holds(condition, self._text()):
                if self._show_next():
                    continue
                left = deadline - self.elapsed
                if self._has_ended or left <= 0 or not self._arrived.wait(left):
                    raise ScreenTimeout(self._complaint(condition, timeout))
            return self._pieces[self._shown - 1][0] if self._shown else 0.0

    def keystroke_latency(self, characters: str, timeout: float = 5.0) -> list[float]:
        """Seconds from writing each character until output arrived that put it on the screen once more."""
        latencies = []
        for character in characters:
            before = self.screen().count(character)
            sent = self.elapsed
            self.send(character)
            latencies.append(self.wait_for(_more_often(character, before), timeout) - sent)
        return latencies

    # The program itself

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to the program alone, not to what it has started."""
        self._process.send_signal(number)

    def wait(self, timeout: float = 10.0) -> int:
        """The exit code, once the program has ended and its last output was read; negative for a signal."""
        code = self._process.wait(timeout)
        self._reader.join(timeout)
        return code

    def close(self) -> None:
        """Hang up, as a closed window does; kill what stays; let go of the terminal."""
        self._end(signal.SIGHUP, HANG_UP_PATIENCE_S)
        self._end(signal.SIGKILL, 3.0)
        self._reader.join(1.0)
        with contextlib.suppress(OSError):
            os.close(self._master)

    def _end(self, number: signal.Signals, patience: float) -> None:
        if self.is_alive:
            # Its own session, so its own group: nobody else's processes are in it.
            os.killpg(self._process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)

    # Reading, answering, showing

    def _read(self) -> None:
        queries = _Queries()
        while True:
            try:
                piece = os.read(self._master, 65536)
            except OSError:  # Linux says EIO when nobody holds the other end any more
                piece = b""
            with self._arrived:
                self._has_ended = not piece
                if piece:
                    self._pieces.append((self.elapsed, piece))
                self._arrived.notify_all()
            if not piece:
                return
            for query in queries.feed(piece):
                self._write(self._answer(query))

    def _answer(self, query: re.Match[bytes]) -> bytes:
        match query[0][2:]:
            case b"c" | b"0c":
                return b"\x1b[?62;22c"
            case b">c" | b">0c":
                return b"\x1b[>41;390;0c"
            case b">q" | b">0q":
                return b"\x1bP>|XTerm(390)\x1b\\"
            case b"5n":
                return b"\x1b[0n"
            case b"6n":
                return b"\x1b[%d;%dR" % self._cursor()
            case b"?996n":
                return b"\x1b[?997;1n"  # dark
            case b"?u":
                return b"\x1b[?0u"
            case b"14t":
                return b"\x1b[4;%d;%dt" % (self.rows * _CELL_HEIGHT, self.columns * _CELL_WIDTH)
            case b"16t":
                return b"\x1b[6;%d;%dt" % (_CELL_HEIGHT, _CELL_WIDTH)
            case b"18t":
                return b"\x1b[8;%d;%dt" % (self.rows, self.columns)
        if mode := query["mode"]:
            return b"\x1b[?%s;%d$y" % (mode, 2 if mode in _KNOWN_MODES else 0)
        colour = b"1a1a/1b1b/2626" if query["colour"] == b"11" else b"e6e6/e6e6/e6e6"
        return b"\x1b]%s;rgb:%s\x1b\\" % (query["colour"], colour)

    def _cursor(self) -> tuple[int, int]:
        with self._arrived:
            self._show_all()
            return self._screen.cursor.y + 1, self._screen.cursor.x + 1

    def _write(self, keys: bytes) -> None:
        with contextlib.suppress(OSError):  # the program has gone
            while keys:
                keys = keys[os.write(self._master, keys) :]

    def _set_size(self) -> None:
        pixels = (self.columns * _CELL_WIDTH, self.rows * _CELL_HEIGHT)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.columns, *pixels))

    def _show_all(self) -> None:
        while self._show_next():
            pass

    def _show_next(self) -> bool:
        if self._shown == len(self._pieces):
            return False
        output = self._unfinished + self._pieces[self._shown][1]
        cut = _UNFINISHED.search(output)
        end = cut.start() if cut else len(output)
        self._unfinished = output[end:]
        self._stream.feed(_NOT_FOR_PYTE.sub(b"", output[:end]))
        self._shown += 1
        return True

    def _text(self) -> str:
        # Not pyte's `display`: it fails where one half of a wide character was written over.
        screen = self._screen
        rows = ("".join(screen.buffer[y][x].data for x in range(screen.columns)) for y in range(screen.lines))
        return "\n".join(row.rstrip() for row in rows).rstrip("\n")

    def _complaint(self, condition: Condition, timeout: float) -> str:
        wanted = repr(condition) if isinstance(condition, str) else "what was asked for"
        state = "and the program has ended" if self._has_ended else f"after {timeout} s"
        return f"{wanted} is not on the screen {state}:\n{self._text()}"


def clean_environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "LANG": "en_US.UTF-8",
        "PYTHONUTF8": "1",  # where that locale is not installed
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
    }


class _Queries:
    """Finds the questions in a stream, even those cut in two."""

    _QUERY = re.compile(
        rb"\x1b\[(?:>?0?c|>0?q|[56]n|\?996n|\?u|1[468]t|\?(?P<mode>\d+)\$p)"
        rb"|\x1b\](?P<colour>1[012]);\?(?:\x07|\x1b\\)"
    )

    def __init__(self) -> None:
        self._unfinished = b""

    def feed(self, piece: bytes) -> list[re.Match[bytes]]:
        output = self._unfinished + piece
        cut = _UNFINISHED.search(output)
        self._unfinished = cut[0] if cut else b""
        return list(self._QUERY.finditer(output, 0, cut.start() if cut else len(output)))


def _more_often(character: str, times: int) -> Condition:
    return lambda text: text.count(character) > times


def _holds(condition: Condition, text: str) -> bool:
    return condition in text if isinstance(condition, str) else condition(text)


_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|[\]P_^X][^\x07\x1b]{0,4096}\x1b?|[#%()]?)\Z")

# pyte prints or trips over what it doesn't know: CSI with < = > or an intermediate, private ones other than modes,
# and every string but a title.
_NOT_FOR_PYTE = re.compile(
    rb"\x1b\[[<=>][0-?]*[ -/]*[@-~]|\x1b\[[0-?]*[ -/]+[@-~]|\x1b\[\?[0-?]*[^0-?hl]"
    rb"|\x1b(?:\](?![02];)|[P_^X])[^\x07\x1b]*(?:\x07|\x1b\\)"
)
