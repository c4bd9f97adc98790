"""How long until one can type, compared with the smallest Textual app: `python -m benchmarks.startup`.

Machines differ, so only the ratio within one run has a limit. Both start the same way, by turns, each time in a
fresh home and a real terminal; the first start of each is not counted, since it may have to compile.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.bare_app import PLACEHOLDER
from tests.support.terminal import Terminal

LIMIT = 1.5
ROUNDS = 10
_ROOT = Path(__file__).resolve().parent.parent
_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    module: str
    sign: str
    """What is on the screen as soon as one can type."""


LINGQUE = Program("lingque", "lingque_tui", "❯")
BARE = Program("bare Textual", "benchmarks.bare_app", PLACEHOLDER)


def main() -> int:
    times = measure((LINGQUE, BARE))
    for program, seconds in times.items():
        print(_row(program, seconds))
    ratio = median(times[LINGQUE]) / median(times[BARE])
    print(f"ratio {ratio:.2f} (limit {LIMIT})")
    return int(ratio > LIMIT)


def measure(programs: Sequence[Program], rounds: int = ROUNDS) -> dict[Program, list[float]]:
    """Seconds to first paint, by turns, so that a busy moment of the machine hits all alike."""
    times: dict[Program, list[float]] = {program: [] for program in programs}
    for program in programs:
        first_paint(program)
    for _ in range(rounds):
        for program in programs:
            times[program].append(first_paint(program))
    return times


def first_paint(program: Program) -> float:
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home,
        Terminal([sys.executable, "-m", program.module], Path(home), folder=_ROOT) as terminal,
    ):
        return terminal.wait_for(program.sign, _PATIENCE_S)


def _row(program: Program, seconds: Sequence[float]) -> str:
    middle, best, worst = (1000 * value for value in (median(seconds), min(seconds), max(seconds)))
    return f"{program.name:<14} {middle:6.0f} ms  ({best:.0f}–{worst:.0f})"


if __name__ == "__main__":
    sys.exit(main())
