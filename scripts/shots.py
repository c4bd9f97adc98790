"""All pictures in `screenshots/`, made by driving the app: `make shots`, or `python -m scripts.shots NAME …`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from scripts.scenes import SCENES
from scripts.stage import acted
from scripts.svg import mend

FOLDER = Path(__file__).parent.parent / "screenshots"
Act = Callable[[Pilot[None]], Awaitable[None]]


async def take(name: str) -> Path:
    stage, act = SCENES[name]
    async with acted(stage) as pilot:
        await act(pilot)
        await pilot.pause(0.1)
        path = FOLDER / f"{name}.svg"
        path.write_text(mend(pilot.app.export_screenshot(title="Lingque 灵雀")), encoding="utf-8")
    return path


async def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in names or sorted(SCENES):
        print(await take(name))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
