"""What was handed over is done, in order, whoever stops waiting and whatever fails beside it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import apsw
import pytest

from lingque_tui.domain.errors import StoreError
from lingque_tui.domain.messages import Role
from lingque_tui.store import Store
from lingque_tui.store.database import Database
from lingque_tui.store.lanes import Lane, LaneClosed
from tests.store.conftest import child

DEADLINE = 10.0


def test_a_job_that_fails_tells_its_promise_and_the_lane_goes_on() -> None:
    lane = Lane("test")
    broken, fine = lane.submit(lambda: 1 // 0), lane.submit(lambda: 42)
    with pytest.raises(ZeroDivisionError):
        broken.result(DEADLINE)
    assert fine.result(DEADLINE) == 42
    lane.close()


def test_closing_finishes_what_was_handed_over_and_takes_no_more() -> None:
    lane, done = Lane("test"), list[int]()
    for number in range(100):
        lane.submit(lambda number=number: done.append(number))  # type: ignore[misc]
    lane.close()
    lane.close()
    assert done == list(range(100))
    with pytest.raises(LaneClosed):
        lane.submit(lambda: None)


async def test_a_promise_can_be_awaited_twice_and_gathered(store: Store) -> None:
    pending = store.create_session("once")
    first = await pending
    assert await pending == first
    sessions, setting = await asyncio.gather(store.sessions(), store.setting("x"))
    assert (sessions, setting) == ((first,), None)


async def test_cancelling_the_one_who_waits_does_not_cancel_the_write(store: Store) -> None:
    session = await store.create_session()
    held, started = threading.Event(), asyncio.Event()
    blocker = store._database.write(lambda db: held.wait(DEADLINE))

    async def say() -> None:
        pending = store.append(session.id, Role.USER, "still said")
        started.set()
        await pending

    task = asyncio.create_task(say())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):  # at once, while the writer is busy with something else
        await task
    held.set()
    assert await blocker
    store.close()
    with Store.open(store.path) as again:
        assert [message.text for message in await again.messages(session.id)] == ["still said"]


async def test_closing_on_the_event_loop_keeps_every_promise(store: Store) -> None:
    session = await store.create_session()
    promises = [store.append(session.id, Role.USER, str(number)) for number in range(20)]
    store.close()
    store.close()
    assert [(await promise).text for promise in promises] == [str(number) for number in range(20)]


def test_after_closing_every_call_is_an_error(store: Store) -> None:
    store.close()
    for call in (store.create_session, store.sessions, store.check, lambda: store.lock_session("s")):
        with pytest.raises(StoreError, match="closed"):
            call()


def test_reading_does_not_wait_for_a_writer(path: Path) -> None:
    database = Database(path, 0)
    held, inside = threading.Event(), threading.Event()

    def write_slowly(db: apsw.Connection) -> bool:
        db.execute("INSERT INTO settings VALUES ('k', 'v')")
        inside.set()
        return held.wait(DEADLINE)

    writing = database.write(write_slowly)
    assert inside.wait(DEADLINE)
    count = "SELECT count(*) FROM settings"
    assert database.read(lambda db: db.execute(count).get).result(DEADLINE) == 0
    held.set()
    assert writing.result(DEADLINE)
    assert database.read(lambda db: db.execute(count).get).result(DEADLINE) == 1
    database.close()


def test_waiting_for_another_writer_leaves_the_program_alive(store: Store, path: Path) -> None:
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    pending = store.create_session("patient")
    with pytest.raises(TimeoutError):  # this thread runs, although the writer waits inside SQLite
        pending.result(0.1)
    other.execute("ROLLBACK")
    other.close()
    assert pending.result(DEADLINE).title == "patient"


def test_the_reading_lane_cannot_write(path: Path) -> None:
    database = Database(path, 0)
    with pytest.raises(StoreError):
        database.read(lambda db: db.execute("INSERT INTO settings VALUES ('k', 'v')")).result(DEADLINE)
    database.close()


def test_a_failed_job_leaves_nothing_behind(path: Path) -> None:
    database = Database(path, 0)

    def fail_halfway(db: apsw.Connection) -> None:
        db.execute("INSERT INTO settings VALUES ('k', 'v')")
        raise RuntimeError("halfway")

    with pytest.raises(RuntimeError):
        database.write(fail_halfway).result(DEADLINE)
    assert database.read(lambda db: db.execute("SELECT * FROM settings").fetchall()).result(DEADLINE) == []
    database.close()


def test_a_program_that_forgets_to_close_ends_and_loses_nothing(path: Path) -> None:
    forgetful = """
import sys
from pathlib import Path
from lingque_tui.store import Store
store = Store.open(Path(sys.argv[1]))
for number in range(50):
    store.set_setting("last", str(number))
"""
    with child(forgetful, path) as process:
        assert process.wait(DEADLINE) == 0
    with Store.open(path) as store:
        assert store.setting("last").result() == "49"
