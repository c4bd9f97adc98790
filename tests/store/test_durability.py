"""What was acknowledged is there after the worst way to end, and the file is sound."""

from __future__ import annotations

from pathlib import Path

import pytest

from lingque_tui.domain.messages import MessageState
from lingque_tui.store import Store
from tests.store.conftest import child

TALKER = """
import itertools, sys
from pathlib import Path
from lingque_tui.domain.messages import MessageState, Role
from lingque_tui.store import Store
store = Store.open(Path(sys.argv[1]))
session = store.create_session("talk").result()
print(session.id, flush=True)
for number in itertools.count():
    if number % 2:
        said = store.append(session.id, Role.USER, f"text {number} " * 50).result()
        print(said.id, len(said.text), flush=True)
        continue
    reply = store.append(session.id, Role.ASSISTANT, "", state=MessageState.STREAMING).result()
    for size in (100, 5000):
        store.checkpoint(reply.id, "x" * size, "").result()
        print(reply.id, size, flush=True)
    store.finish(reply.id, text="x" * 9000, reasoning="", state=MessageState.COMPLETE, figures=None).result()
    print(reply.id, 9000, flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 2, 40, 151])
def test_kill_9_loses_nothing_that_was_acknowledged(path: Path, acknowledged: int) -> None:
    with child(TALKER, path) as process:
        assert process.stdout
        session_id = process.stdout.readline().strip()
        lines = [process.stdout.readline() for _ in range(acknowledged)]
        process.kill()
        lines += process.stdout.readlines()
    sizes = {line.split()[0]: int(line.split()[1]) for line in lines if line.endswith("\n")}
    with Store.open(path) as store:
        store.check().result()
        store.recover(session_id).result()
        found = {message.id: message for message in store.messages(session_id, limit=10_000).result()}
        assert len(found) == store.count(session_id).result()
        assert all(len(found[id].text) >= size for id, size in sizes.items())
        assert all(message.state is not MessageState.STREAMING for message in found.values())
