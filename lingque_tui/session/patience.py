"""Work that must not be left half done: Esc stops a reply, never the writing of its ending."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """What `work` returns. Cancelled meanwhile, it is finished first; the cancellation then goes on."""
    task = asyncio.create_task(work)
    stopped: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as stop:
            stopped = stop
    if stopped is None:
        return task.result()
    if not task.cancelled():
        task.exception()  # seen: whoever was stopped has no use for it
    raise stopped
