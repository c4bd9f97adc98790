"""A home of its own for the program: what the model will say, what the store already holds, how to start in it.

Tests and benchmarks in a real terminal share it. Nothing outside the folder is read or written, no network is
looked at, and no model answers unless the test asks for one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from lingque_tui.config.paths import Paths, find_paths
from lingque_tui.domain.messages import Message, SessionInfo
from lingque_tui.store import NewMessage, Store
from tests.support.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-m", "lingque_tui")
READY = "scripted/scripted"
"""In the title line as soon as the session is open."""

PIECE = 8
"""Characters of one piece of `numbered`."""


class Home:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"LINGQUE_HOME": str(folder / "lingque"), "LINGQUE_DISCOVERY_ENABLED": "false"}

    @property
    def paths(self) -> Paths:
        return find_paths(self.environment)

    def script(self, *replies: str | Mapping[str, object], delay_s: float = 0.0, piece_size: int = PIECE) -> None:
        """What the model says, reply by reply; the fields of a reply are those of `providers.scripted.Reply`."""
        path = self.folder / "script.json"
        path.write_text(json.dumps({"replies": replies, "delay_s": delay_s, "piece_size": piece_size}))
        self.environment["LINGQUE_SCRIPTED"] = str(path)

    def configure(self, toml: str) -> None:
        self.paths.config.mkdir(parents=True, exist_ok=True)
        self.paths.config_file.write_text(toml, encoding="utf-8")

    def start(self, *arguments: str, program: Sequence[str] = PROGRAM, columns: int = 120, rows: int = 36) -> Terminal:
        return Terminal(
            [*program, *arguments],
            self.folder,
            columns=columns,
            rows=rows,
            environment=self.environment,
            folder=ROOT,
        )

    def store(self) -> Store:
        return Store.open(self.paths.store)

    def messages(self, limit: int = 50) -> tuple[Message, ...]:
        """The last session's, once the program has let go of them or not."""
        with self.store() as store:
            last = store.last_session().result()
            return store.messages(last.id, limit=limit).result() if last else ()

    def draft(self) -> str:
        with self.store() as store:
            last = store.last_session().result()
            return store.draft(last.id).result() if last else ""

    def fill(self, messages: Sequence[NewMessage], title: str = "") -> SessionInfo:
        """A session that was there before."""
        with self.store() as store:
            info = store.create_session(title).result()
            store.append_many(info.id, messages).result()
            return info


def numbered(count: int) -> str:
    """`count` pieces, each its own number: what is on the screen or in the store tells how far a reply came."""
    return "".join(f"{number:0{PIECE - 1}d} " for number in range(1, count + 1))


def newest_number(text: str) -> int:
    """The last whole number of `numbered` in `text`, 0 where there is none."""
    whole = (word for word in text.split() if len(word) == PIECE - 1 and word.isdigit())
    return max(map(int, whole), default=0)
