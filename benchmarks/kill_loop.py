"""Is what was said safe? `python -m benchmarks.kill_loop --times 50` pulls the plug and looks.

A reply streams in a real terminal; at a random moment the program gets SIGKILL, which nothing can catch. What
counts as lost is what a person had seen: from the first word on the screen that is not in the store, until the
kill. All runs share one store, so each start also finds what the kill before it left. One run in five talks to
the embedded model, whose process must not outlive ours.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from lingque_tui.domain.errors import StoreDamaged
from lingque_tui.domain.messages import Message, Role
from lingque_tui.providers.local import can_run_local, find_weights
from tests.support.scripts import Home, newest_number, numbered
from tests.support.terminal import ScreenTimeout, Terminal

LIMIT_S = 1.0
_PIECE_EVERY_S = 0.01
_LONGEST_RUN_S = 4.0
_EMBEDDED_SHARE = 5
_HEADING = "▌ Lingque  "
_QUESTION = "Tell me a long story about a magpie"
_GONE_WITHIN_S = 5.0


@dataclass(frozen=True, slots=True)
class Outcome:
    who: str
    after_s: float
    message_kept: bool
    reply_characters: int
    lost_s: float
    is_sound: bool
    orphans: int

    @property
    def is_good(self) -> bool:
        return self.message_kept and self.lost_s <= LIMIT_S and self.is_sound and not self.orphans

    @property
    def row(self) -> str:
        kept, sound = ("yes" if fact else "NO" for fact in (self.message_kept, self.is_sound))
        return (
            f"{self.who:<9} killed after {self.after_s:4.2f} s  message kept {kept:<3}"
            f"  reply {self.reply_characters:5} characters  lost {self.lost_s:4.2f} s"
            f"  integrity {sound:<3}  orphans {self.orphans}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.kill_loop", description="kill -9 during streaming")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=None, help="the same moments again")
    options = parser.parse_args(arguments)
    outcomes = []
    for outcome in kill_repeatedly(options.times, random.Random(options.seed)):
        outcomes.append(outcome)
        print(f"{len(outcomes):3}  {outcome.row}", flush=True)
    print(summary(outcomes))
    return int(not all(outcome.is_good for outcome in outcomes))


def summary(outcomes: Sequence[Outcome]) -> str:
    times = len(outcomes)
    kept = sum(outcome.message_kept for outcome in outcomes)
    sound = sum(outcome.is_sound for outcome in outcomes)
    worst = max((outcome.lost_s for outcome in outcomes), default=0.0)
    orphans = sum(outcome.orphans for outcome in outcomes)
    return (
        f"{times} kills: message kept {kept}/{times}, worst loss {worst:.2f} s (limit {LIMIT_S:g}), "
        f"integrity {sound}/{times}, orphans {orphans}"
    )


def kill_repeatedly(times: int, chance: random.Random) -> Iterable[Outcome]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Home(Path(folder))
        home.script(numbered(2000), delay_s=_PIECE_EVERY_S)
        has_embedded = find_weights("") is not None and can_run_local()
        for run in range(times):
            model = EMBEDDED if has_embedded and run % _EMBEDDED_SHARE == _EMBEDDED_SHARE - 1 else SCRIPTED
            yield kill_once(home, model, chance.uniform(0.0, _LONGEST_RUN_S))


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    ref: str
    begun: str
    """On the screen when the clock starts: the embedded model loads for seconds before its first word."""
    saved: Callable[[str], int]
    """How far a stored text has come."""
    shown: Callable[[str], int]
    """How far the reply on a screen has come, by the same measure."""


def kill_once(home: Home, model: Model, after_s: float) -> Outcome:
    with home.start("--new", "--model", model.ref) as terminal:
        terminal.wait_for(model.ref, 30)
        terminal.send(f"{_QUESTION}\r")
        begun_at = terminal.wait_for(model.begun, 30)
        time.sleep(max(0.0, begun_at + after_s - terminal.elapsed))
        children = psutil.Process(terminal.pid).children(recursive=True)
        killed_at = terminal.elapsed
        terminal.kill()
        orphans = psutil.wait_procs(children, _GONE_WITHIN_S)[1]
        terminal.wait()
        messages, is_sound = _look_into_the_store(home)
        stored = "".join(message.text for message in messages if message.role is Role.ASSISTANT)
        return Outcome(
            who=model.name,
            after_s=after_s,
            message_kept=[message.text for message in messages[:1]] == [_QUESTION],
            reply_characters=len(stored),
            lost_s=_lost(terminal, model, stored, killed_at),
            is_sound=is_sound,
            orphans=len(orphans),
        )


def _lost(terminal: Terminal, model: Model, stored: str, killed_at: float) -> float:
    """Seconds between the first output that showed more than is stored, and the kill."""
    saved = model.saved(stored)
    try:
        # The terminal kept every piece of output with its time and shows them only now, one by one.
        seen_at = terminal.wait_for(lambda screen: model.shown(screen) > saved)
    except ScreenTimeout:
        return 0.0
    return max(0.0, killed_at - seen_at)


def _word_characters(text: str) -> int:
    """Markdown hides its signs, so only what both the store and the screen have is counted."""
    return sum(map(str.isalnum, text))


def _word_characters_of_reply(screen: str) -> int:
    _, heading, below = screen.partition(_HEADING)
    rows = below.split("\n")[1:] if heading else []
    return _word_characters("".join(row for row in rows if row.startswith(" ▌")))


def _look_into_the_store(home: Home) -> tuple[tuple[Message, ...], bool]:
    with home.store() as store:
        try:
            store.check().result()
        except StoreDamaged:
            return (), False
        last = store.last_session().result()
        return (store.messages(last.id).result() if last else ()), True


SCRIPTED = Model("scripted", "scripted/scripted", f"▌ {_QUESTION}", newest_number, newest_number)
EMBEDDED = Model("embedded", "local/", _HEADING, _word_characters, _word_characters_of_reply)


if __name__ == "__main__":
    sys.exit(main())
