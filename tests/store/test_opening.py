"""Opening: private whatever the umask, up to date whatever the file's age, and clear about what is wrong."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from lingque_tui.domain.errors import StoreDamaged, StoreError, StoreTooNew, StoreUnwritable
from lingque_tui.domain.messages import Role
from lingque_tui.store import NewMessage, Store
from lingque_tui.store.migrations import MIGRATIONS, applied, migrate

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and users are a matter of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@needs_posix
def test_folder_and_files_are_private_even_under_umask_0(path: Path) -> None:
    before = os.umask(0)
    try:
        with Store.open(path) as store:
            session = store.create_session().result()
            assert store.lock_session(session.id)
            files = {file.name: mode(file) for file in path.parent.rglob("*") if file.is_file()}
            folders = {mode(folder) for folder in (path.parent, path.parent / "locks")}
    finally:
        os.umask(before)
    names = {path.name, f"{path.name}-wal", f"{path.name}-shm", f"{session.id}.lock"}
    assert files == dict.fromkeys(names, 0o600)
    assert folders == {0o700}


@needs_posix
def test_a_file_that_was_open_to_others_is_closed_to_them(path: Path) -> None:
    Store.open(path).close()
    path.chmod(0o644)
    path.parent.chmod(0o755)
    Store.open(path).close()
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_writes_are_synced_and_checked(store: Store) -> None:
    def pragma(name: str) -> object:
        return store._database.write(lambda db: db.pragma(name)).result()

    assert pragma("journal_mode") == "wal"
    assert pragma("synchronous") == 2  # FULL
    assert pragma("foreign_keys") == 1
    assert pragma("busy_timeout") == 10_000


def test_closing_leaves_one_file(store: Store, path: Path) -> None:
    store.create_session().result()
    store.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_store_without_a_path_lives_in_a_private_folder_until_it_is_closed() -> None:
    store = Store.open(None)
    session = store.create_session("fleeting").result()
    assert store.lock_session(session.id)
    assert mode(store.path.parent) == 0o700 or sys.platform == "win32"
    store.close()
    assert not store.path.parent.exists()


def test_a_fresh_file_gets_every_migration_and_opening_again_changes_nothing(path: Path) -> None:
    def record(db: apsw.Connection) -> list[tuple[object, ...]]:
        return list(db.execute("SELECT * FROM migrations"))

    with Store.open(path, clock=lambda: 1.0) as store:
        assert store._database.read(applied).result() == {step.__name__ for step in MIGRATIONS}
        session = store.create_session("kept").result()
        first = store._database.read(record).result()
    with Store.open(path, clock=lambda: 2.0) as store:
        assert store._database.read(record).result() == first
        assert store.session(session.id).result() == session


def test_a_migration_that_fails_leaves_the_file_as_it_was_before_it() -> None:
    def m002_broken(db: apsw.Connection) -> None:
        db.execute("CREATE TABLE half (done)")
        raise RuntimeError("halfway")

    db = apsw.Connection(":memory:")
    with pytest.raises(RuntimeError):
        migrate(db, 0, (*MIGRATIONS, m002_broken))
    assert applied(db) == {"m001_conversations"}
    assert not db.table_exists("main", "half")
    db.close()


def test_a_file_of_a_newer_version_is_refused_and_not_touched(path: Path) -> None:
    with Store.open(path) as store:
        store._database.write(lambda db: db.execute("INSERT INTO migrations VALUES ('m999_wings', 0)")).result()
    before = path.read_bytes()
    with pytest.raises(StoreTooNew) as caught:
        Store.open(path)
    assert str(path) in caught.value.what
    assert path.read_bytes() == before


def test_many_can_open_a_fresh_file_at_once(path: Path) -> None:
    failures: list[BaseException] = []
    ready = threading.Barrier(6)

    def open_and_write() -> None:
        try:
            ready.wait()
            with Store.open(path) as store:
                store.create_session().result()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=open_and_write) for _ in range(ready.parties)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with Store.open(path) as store:
        assert len(store.sessions().result()) == 6


def test_a_file_that_is_no_database_is_damaged_and_kept(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"these are my holiday notes, " * 100)
    with pytest.raises(StoreDamaged) as caught:
        Store.open(path)
    assert isinstance(caught.value.__cause__, apsw.NotADBError)
    assert path.read_bytes().startswith(b"these are my holiday notes")


def test_a_damaged_page_is_found_by_the_check(path: Path) -> None:
    with Store.open(path) as store:
        session = store.create_session().result()
        store.append_many(session.id, [NewMessage(Role.USER, "text " * 100) for _ in range(500)]).result()
        store.check().result()
    with path.open("r+b") as file:
        file.seek(40 * 4096)
        file.write(b"\xff" * 4096 * 20)
    with Store.open(path) as store, pytest.raises(StoreDamaged):
        store.check().result()


def test_a_full_disk_is_told_and_writing_goes_on_when_there_is_room(store: Store) -> None:
    session = store.create_session().result()

    def limit(pages: int) -> None:
        store._database.write(lambda db: db.pragma("max_page_count", pages)).result()

    limit(1)  # SQLite takes it as: not one page more than there are
    with pytest.raises(StoreUnwritable, match="full") as caught:
        store.append(session.id, Role.USER, "x" * 100_000).result()
    assert isinstance(caught.value.__cause__, apsw.FullError)
    limit(1_000_000)
    store.append(session.id, Role.USER, "y" * 100_000).result()
    assert [message.text[0] for message in store.messages(session.id).result()] == ["y"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnwritable) as caught:
        Store.open(tmp_path / "file" / "lingque.db")
    assert isinstance(caught.value.__cause__, OSError)


@needs_posix
def test_a_read_only_folder_is_told() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        with unprivileged(), pytest.raises(StoreUnwritable):
            Store.open(Path(folder) / "lingque.db")


def test_another_programs_lock_is_a_store_error(store: Store, path: Path) -> None:
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    store._database._writer.set_busy_timeout(0)
    with pytest.raises(StoreError, match="locked"):
        store.create_session().result()
    other.execute("ROLLBACK")
    other.close()
    assert store.create_session("after").result().title == "after"


def test_the_version_of_sqlite_has_the_fix_for_wal_resets(store: Store) -> None:
    assert tuple(map(int, store.sqlite_version.split("."))) >= (3, 51, 3)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Root may write anywhere, so it becomes somebody else for a moment."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(me)
