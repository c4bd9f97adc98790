"""A real store in a folder of its own, with a clock and ids that tests can foresee."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lingque_tui.store import Store


class Clock:
    """Goes one second a look, unless told otherwise."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.step = 1.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "lingque.db"


@pytest.fixture
def store(path: Path, clock: Clock) -> Iterator[Store]:
    with Store.open(path, clock=clock, new_id=numbered("id")) as store:
        yield store


def numbered(prefix: str) -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"{prefix}-{next(numbers):04}"


@contextmanager
def child(code: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Another process that runs `code`; killed at the end, however it goes."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()
