"""Does a conversation of 10,000 messages feel like an empty one? `python -m benchmarks.long_session`.

Machines differ, so starting and typing are compared with an empty session within one run, by turns; only the way
to the first message has a limit in seconds, because a person waits for it. The long session is bilingual and has
what models really write: headings, lists, code, tables, Chinese paragraphs.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles

from lingque_tui.domain.messages import Role
from lingque_tui.i18n import t
from lingque_tui.store import NewMessage
from tests.support.scripts import READY, Home
from tests.support.terminal import Terminal

MESSAGES = 10_000
ROUNDS = 7
COLUMNS, ROWS = 120, 40
START_LIMIT = 2.0
TYPING_LIMIT = 2.0
FIRST_MESSAGE_LIMIT_S = 1.0

RARE = "龘靐齉齾龗麤鱻爩籲癵驫麣纞虋讟钃鸜麷鞻韽顟顠顤飝饙馫驧骦鬻魕鱹鲎鳡鳤鴑鵾鶢鷾鸐鸒"
"""Each is on the screen only because it was typed."""

_FIRST, _LAST = "The very first message.", "The very last message. 完。"
_CTRL_HOME = "\x1b[1;5H"

_TALK = """
How do I read a large file line by line without loading it?
---
## Reading in a loop

A file object *is* an iterator, so nothing is loaded at once:

```python
with open(path, encoding="utf-8") as lines:
    for number, line in enumerate(lines, 1):
        handle(number, line)
```

- constant memory
- the newline stays; use `rstrip()`
- `enumerate` counts
---
这段代码为什么会在第二次调用时变慢？
---
### 原因

第二次调用时缓存已经失效，所以每一行都要重新解析。可以用下面的方法避免：

1. 把解析结果存进字典；
2. 用文件的修改时间作键；
3. 只在时间变化时才**重新读取**。

> 先测量，再优化。
---
Compare the three approaches in a table, please.
---
| approach | memory | speed |
| --- | --- | --- |
| read all | high | fast |
| iterate | low | fast |
| mmap | low | fastest |

For files beyond a few gigabytes, `mmap` wins; below, *iterate* is simpler.
---
请把上面的步骤总结成五点，每点不超过二十个字。
---
好的，总结如下：

- 先确认输入文件的编码；
- 逐行读取，不要一次载入；
- 出错时记录行号；
- 结果写入临时文件；
- 最后再改名替换原文件。

这样即使中途断电，也不会留下半个文件。
"""
"""Questions and replies by turns."""


@dataclass(slots=True)
class Figures:
    starts: list[float] = field(default_factory=list)
    keys: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Verdict:
    what: str
    value: float
    limit: float

    @property
    def is_good(self) -> bool:
        return self.value <= self.limit

    @property
    def row(self) -> str:
        return f"{self.what:<46} {self.value:5.2f}  (limit {self.limit:g}){'' if self.is_good else '  EXCEEDED'}"


@dataclass(frozen=True, slots=True)
class Candidate:
    home: Home
    sign: str
    """On the screen when all of it is there."""

    def start(self) -> Terminal:
        return self.home.start(columns=COLUMNS, rows=ROWS)

    def seconds_to_start(self) -> float:
        with self.start() as terminal:
            return max(terminal.wait_for(self.sign, 60), terminal.wait_for(READY))

    def seconds_a_key(self) -> list[float]:
        with self.start() as terminal:
            terminal.wait_for(self.sign, 60)
            terminal.wait_for(READY)
            return terminal.keystroke_latency(RARE)


def main() -> int:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        long = Candidate(long_home(Path(folder, "long")), _LAST)
        empty = Candidate(empty_home(Path(folder, "empty")), t("welcome").split("\n")[-1])
        figures = measure((long, empty))
        first_message_s = seconds_to_first_message(long)
    print(_row(f"{MESSAGES:,} messages", figures[long]))
    print(_row("empty session", figures[empty]))
    verdicts = judge(figures[long], figures[empty], first_message_s)
    print("\n".join(verdict.row for verdict in verdicts))
    return int(not all(verdict.is_good for verdict in verdicts))


def measure(candidates: Sequence[Candidate], rounds: int = ROUNDS) -> dict[Candidate, Figures]:
    """By turns, so that a busy moment of the machine hits both; the first start of each may compile: not counted."""
    figures = {candidate: Figures() for candidate in candidates}
    for candidate in candidates:
        candidate.seconds_to_start()
    for _ in range(rounds):
        for candidate in candidates:
            figures[candidate].starts.append(candidate.seconds_to_start())
    for _ in range(rounds // 2):
        for candidate in candidates:
            figures[candidate].keys += candidate.seconds_a_key()
    return figures


def judge(long: Figures, empty: Figures, first_message_s: float) -> list[Verdict]:
    return [
        Verdict("start, ratio of medians", median(long.starts) / median(empty.starts), START_LIMIT),
        Verdict("keystroke to screen, ratio of 95th percentiles", _p95(long.keys) / _p95(empty.keys), TYPING_LIMIT),
        Verdict("Ctrl+Home to message 1, seconds", first_message_s, FIRST_MESSAGE_LIMIT_S),
    ]


def seconds_to_first_message(candidate: Candidate) -> float:
    with candidate.start() as terminal:
        terminal.wait_for(candidate.sign, 60)
        terminal.wait_for(READY)
        pressed = terminal.elapsed
        terminal.send(_CTRL_HOME)
        return terminal.wait_for(_FIRST, 30) - pressed


def long_home(folder: Path, count: int = MESSAGES) -> Home:
    home = empty_home(folder)
    home.fill(conversation(count), title="A long talk 长谈")
    return home


def empty_home(folder: Path) -> Home:
    folder.mkdir(parents=True)
    home = Home(folder)
    home.script("Hello.")
    return home


def conversation(count: int) -> list[NewMessage]:
    """`count` messages, question and reply by turns; the first and the last can be told from all others."""
    texts = list(islice(cycle(text.strip() for text in re.split(r"^---$", _TALK, flags=re.MULTILINE)), count))
    texts[0], texts[-1] = _FIRST, f"{texts[-1]}\n\n{_LAST}"
    return [NewMessage(Role.ASSISTANT if place % 2 else Role.USER, text) for place, text in enumerate(texts)]


def _p95(seconds: Sequence[float]) -> float:
    return quantiles(seconds, n=20)[-1]


def _row(name: str, found: Figures) -> str:
    return f"{name:<16} start {_spread(found.starts, median)}   keystroke p95 {_spread(found.keys, _p95)}"


def _spread(seconds: Sequence[float], centre: Callable[[Sequence[float]], float]) -> str:
    middle, best, worst = (1000 * value for value in (centre(seconds), min(seconds), max(seconds)))
    return f"{middle:6.1f} ms ({best:.0f}–{worst:.0f})"


if __name__ == "__main__":
    sys.exit(main())
