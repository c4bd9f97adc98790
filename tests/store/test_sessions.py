"""Sessions are found the way a person looks for them, and in the order in which they were talked in."""

from __future__ import annotations

from pathlib import Path

import pytest

from lingque_tui.domain.errors import StoreError
from lingque_tui.domain.messages import Role, SessionInfo
from lingque_tui.store import Store
from tests.store.conftest import Clock


def titles(found: tuple[SessionInfo, ...]) -> list[str]:
    return [info.title for info in found]


def test_a_new_session_is_what_was_asked_for(store: Store) -> None:
    made = store.create_session("Birds", "local/smol").result()
    assert made == SessionInfo(id="id-0001", title="Birds", created_at=1002, updated_at=1002, model="local/smol")
    assert store.session(made.id).result() == made
    assert store.session("nobody").result() is None


def test_the_session_talked_in_last_comes_first(store: Store) -> None:
    first, second, third = (store.create_session(title).result() for title in ("one", "two", "three"))
    assert titles(store.sessions().result()) == ["three", "two", "one"]
    store.append(first.id, Role.USER, "hello").result()
    store.enqueue(second.id, "later").result()
    assert titles(store.sessions().result()) == ["two", "one", "three"]
    assert titles(store.sessions(limit=1).result()) == ["two"]
    assert store.last_session().result() == store.session(second.id).result()
    store.rename_session(third.id, "3").result()
    assert titles(store.sessions().result()) == ["two", "one", "3"]


def test_a_clock_that_goes_backwards_changes_no_order(store: Store, clock: Clock) -> None:
    clock.step = -100
    for title in ("one", "two", "three"):
        store.create_session(title).result()
    assert titles(store.sessions().result()) == ["three", "two", "one"]


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("straSSE", ["Straße nach Lyon"]),
        ("ÉTÉ", ["un été"]),
        ("灵雀", ["关于灵雀"]),
        ("%", ["100% sure"]),
        ("_", ["snake_case"]),
        ("nowhere", []),
    ],
)
def test_searching_finds_a_part_of_the_title_in_any_case_and_letter_by_letter(
    store: Store, search: str, expected: list[str]
) -> None:
    for title in ("Straße nach Lyon", "un été", "关于灵雀", "100% sure", "snake_case"):
        store.create_session(title).result()
    assert titles(store.sessions(search).result()) == expected


def test_the_preview_is_the_beginning_of_the_newest_words_on_one_line(store: Store) -> None:
    session = store.create_session().result()
    store.append(session.id, Role.USER, "old").result()
    store.append(session.id, Role.ASSISTANT, "new\n\n  words " + "x" * 200).result()
    store.append(session.id, Role.ASSISTANT, "").result()
    (info,) = store.sessions().result()
    assert info.preview.startswith("new words xxx")
    assert len(info.preview) == 80
    assert info.message_count == 3


def test_a_session_is_found_by_id_by_the_beginning_of_its_id_and_by_title(path: Path) -> None:
    ids = iter(["abcdef01", "abcdef99", "beef1234", "title-id"])
    with Store.open(path, new_id=lambda: next(ids)) as store:
        one, two, three, four = (store.create_session(title).result() for title in ("same", "same", "abcdef01", "x"))

        def found(ref: str) -> SessionInfo | None:
            return store.find_session(ref).result()

        assert found("abcdef01") == one  # the id wins over the title
        assert found("beef") == three
        assert found("bee") is None
        assert found("abcdef") is None
        assert found("same") == two
        assert found("x") == four
        assert found("") is None
        assert found("%%%%") is None


def test_an_archived_session_leaves_the_lists_but_can_be_found(store: Store) -> None:
    kept, old = (store.create_session(title).result() for title in ("kept", "old"))
    assert store.archive_session(old.id).result().archived
    assert titles(store.sessions().result()) == ["kept"]
    assert titles(store.sessions(include_archived=True).result()) == ["old", "kept"]
    assert store.last_session().result() == kept
    assert store.find_session("old").result() is not None
    store.archive_session(old.id, archived=False).result()
    assert titles(store.sessions().result()) == ["old", "kept"]


def test_title_model_and_draft_change_without_touching_the_rest(store: Store) -> None:
    made = store.create_session("Birds", "a/b").result()
    assert store.rename_session(made.id, "鸟").result().title == "鸟"
    changed = store.set_model(made.id, "c/d").result()
    store.save_draft(made.id, "half a sent").result()
    assert (changed.title, changed.model, changed.updated_at) == ("鸟", "c/d", made.updated_at)
    assert store.draft(made.id).result() == "half a sent"
    assert store.draft("nobody").result() == ""


def test_an_unknown_session_is_named_in_the_error(store: Store) -> None:
    for attempt in (
        store.rename_session("nobody", "x"),
        store.set_model("nobody", "x"),
        store.save_draft("nobody", "x"),
        store.append("nobody", Role.USER, "x"),
        store.enqueue("nobody", "x"),
    ):
        with pytest.raises(StoreError, match="nobody"):
            attempt.result()


def test_settings_are_remembered_and_replaced(store: Store, path: Path) -> None:
    assert store.setting("theme").result() is None
    store.set_setting("theme", "dawn").result()
    store.set_setting("theme", "dusk").result()
    store.close()
    with Store.open(path) as again:
        assert again.setting("theme").result() == "dusk"
