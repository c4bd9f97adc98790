"""One writer a session, across stores and processes; a lock dies with its process."""

from __future__ import annotations

from pathlib import Path

import pytest

from lingque_tui.i18n import t
from lingque_tui.store import Store
from tests.store.conftest import child

HOLDER = """
import sys
from pathlib import Path
from lingque_tui.store import Store
store = Store.open(Path(sys.argv[1]))
print(store.lock_session("talk") is not None, flush=True)
sys.stdin.read()
"""


def test_only_one_store_has_a_session_at_a_time(store: Store, path: Path) -> None:
    with Store.open(path) as other:
        mine = store.lock_session("talk")
        assert mine is not None
        assert mine.is_held
        assert other.lock_session("talk") is None
        assert store.lock_session("talk") is None
        assert other.lock_session("another") is not None
        mine.release()
        mine.release()
        assert other.lock_session("talk") is not None


def test_closing_a_store_frees_its_locks(store: Store, path: Path) -> None:
    assert store.lock_session("talk")
    store.close()
    with Store.open(path) as other:
        assert other.lock_session("talk")


def test_another_process_is_named_and_its_death_frees_the_lock(store: Store, path: Path) -> None:
    assert store.lock_owner("talk") == t("store.owner_unknown")
    with child(HOLDER, path) as process:
        assert process.stdout
        assert process.stdout.readline() == "True\n"
        assert store.lock_session("talk") is None
        assert store.lock_owner("talk") == t("store.owner", pid=process.pid)
        process.kill()
        process.wait()
        assert store.lock_session("talk") is not None


@pytest.mark.parametrize(
    "hostile", ["../../escaped", "/tmp/escaped", "..", "", "a/b", "a\\b", "nul\0", "x" * 5000, "\ud800", "CON", "a:b"]
)
def test_no_id_leaves_the_folder_or_shares_a_file(store: Store, path: Path, hostile: str) -> None:
    folder = path.parent / "locks"
    assert store.lock_session(hostile) is not None
    assert store.lock_session("x") is not None
    assert store.lock_session(hostile) is None
    assert {file.parent for file in path.parent.parent.rglob("*.lock")} == {folder}
    assert len(list(folder.iterdir())) == 2
