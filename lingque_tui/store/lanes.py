"""A thread that does one job after another, and the promise it gives for each.

A job that was handed over is done, whoever stops waiting for it: a promise cannot be cancelled, so a person who
presses Esc at the wrong moment loses no write. A job that fails tells its promise and the lane goes on.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


class Pending(Generic[T]):
    """What a lane will have to say: `await` it, or ask for its `result()` where there is no event loop."""

    __slots__ = ("_future",)

    def __init__(self, future: Future[T]) -> None:
        # A running future refuses to be cancelled. So the task that awaits ends at once, the job does not.
        future.set_running_or_notify_cancel()
        self._future = future

    def __await__(self) -> Generator[object, None, T]:
        return asyncio.wrap_future(self._future).__await__()

    def result(self, timeout: float | None = None) -> T:
        """Block until it is there. Never on an event loop that has anything else to do."""
        return self._future.result(timeout)


class LaneClosed(RuntimeError):
    """A job came after the end."""


class Lane:
    """One thread, jobs in the order in which they came."""

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._door = threading.Lock()
        self.is_closed = False
        # A daemon: an owner who forgot `close` must not keep the interpreter from ending.
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[], T]) -> Pending[T]:
        future: Future[T] = Future()
        pending = Pending(future)
        with self._door:
            if self.is_closed:
                raise LaneClosed
            self._jobs.put(lambda: _fulfil(future, job))
        return pending

    def close(self) -> None:
        """Take no more, finish what is there, and return when the thread has ended."""
        with self._door:
            if not self.is_closed:
                self.is_closed = True
                self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def _fulfil(future: Future[T], job: Callable[[], T]) -> None:
    try:
        result = job()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
