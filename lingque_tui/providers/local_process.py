"""Starts, watches and ends the embedded model's process. Its words on stderr are kept for errors, never shown."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import LocalModelFailed
from lingque_tui.i18n import t

_SCRIPT = Path(__file__).with_name("local_server.py")
_START_S = 240.0
_LEAVE_S = 2.0
_KEPT_BYTES = 4096
_STAMP = re.compile(r"^[\d.]+ [A-Z] +")
"""llama.cpp begins its lines with a time and a level: `0.00.018.207 E …`."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """What to load."""

    path: Path
    window: int
    threads: int = 0

    @property
    def name(self) -> str:
        return clean_line(self.path.stem.lower())


@dataclass(slots=True)
class LocalProcess:
    """A running model. Made by `start`."""

    process: asyncio.subprocess.Process
    key: str = field(repr=False)
    url: str = ""
    _said: bytes = field(default=b"", repr=False)
    _listening: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, model: LocalModel) -> LocalProcess:
        """Load `model` in a process of its own. Raises `LocalModelFailed`, and then nothing is left running."""
        try:
            # -P: a file called xllamacpp.py in the folder we happen to be in must not be run.
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                str(_SCRIPT),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                **_out_of_reach(),
            )
        except OSError as problem:
            raise LocalModelFailed(provider="local", detail=clean_line(str(problem))) from problem
        self = cls(process, key=secrets.token_urlsafe(32))
        self._listening = asyncio.create_task(self._listen())
        try:
            self.url = await self._hand_over(model)
        except BaseException:
            await self.close()
            raise
        return self

    @property
    def is_alive(self) -> bool:
        return self.process.returncode is None

    async def has_died(self) -> bool:
        """Whether it is gone, with a moment's patience: a connection breaks before its process is seen to end."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), 0.5)
        return not self.is_alive

    def failure(self) -> LocalModelFailed:
        """Why it ended, in its last words."""
        detail = t("provider.detail.ended", code=self.process.returncode)
        return LocalModelFailed(provider="local", detail=": ".join([detail, *self._words()[-1:]]))

    async def close(self) -> None:
        """Ask it to go by ending its stdin; make it go if it doesn't."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            await asyncio.wait_for(self.process.wait(), _LEAVE_S)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()
        if self._listening is not None:
            await self._listening

    async def _hand_over(self, model: LocalModel) -> str:
        """Tell the process what to load, and wait for the address at which it serves."""
        order = {
            "model": str(model.path),
            "alias": model.name,
            "window": model.window,
            "threads": model.threads or _cores(),
            "key": self.key,
        }
        try:
            async with asyncio.timeout(_START_S):
                line = await self._ask(json.dumps(order))
        except TimeoutError as problem:
            detail = t("provider.detail.too_slow", seconds=f"{_START_S:g}")
            raise LocalModelFailed(provider="local", detail=detail) from problem
        if not line:
            await self.process.wait()
            raise self.failure()
        answer = json.loads(line)
        if "error" in answer:
            await self.close()  # then all that it said has arrived; the cause stands first, its consequences below
            detail = [*self._words(), clean_line(answer["error"])][0]
            raise LocalModelFailed(provider="local", detail=detail)
        return str(answer["url"])

    async def _ask(self, order: str) -> bytes:
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(ConnectionError):  # it died already; its end of stdout says so too
            self.process.stdin.write(order.encode() + b"\n")
            await self.process.stdin.drain()
        return await self.process.stdout.readline()

    async def _listen(self) -> None:
        """Empty stderr for as long as it lives: a full pipe would stop it."""
        assert self.process.stderr is not None
        while piece := await self.process.stderr.read(4096):
            self._said = (self._said + piece)[-_KEPT_BYTES:]

    def _words(self) -> list[str]:
        """What it said on stderr lately, by lines."""
        lines = self._said.decode("utf-8", "replace").splitlines()
        return [word for word in (clean_line(_STAMP.sub("", line)) for line in lines) if word]


def _out_of_reach() -> dict[str, Any]:
    """Ctrl+C in the terminal is meant for us, not for the model."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _cores() -> int:
    """Those we may use, which in a container are fewer than there are; one stays free for the window and its person."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)
