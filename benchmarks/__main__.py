"""All benchmarks, one after the other: `python -m benchmarks`. The exit code is 1 where any limit was exceeded."""

from __future__ import annotations

import sys
from collections.abc import Callable

from benchmarks import kill_loop, long_session, startup

KILLS = 5
"""Enough for a look; `python -m benchmarks.kill_loop --times 50` is the proof."""

BENCHMARKS: dict[str, Callable[[], int]] = {
    "startup": startup.main,
    "long session": long_session.main,
    "kill loop": lambda: kill_loop.main(["--times", str(KILLS)]),
}


def main() -> int:
    failed = []
    for name, run in BENCHMARKS.items():
        print(f"── {name} ──", flush=True)
        if run():
            failed.append(name)
        print()
    print(f"over the limit: {', '.join(failed)}" if failed else "all within their limits")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
