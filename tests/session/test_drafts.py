"""What is typed and not sent: on disk after a pause, whatever the disk says in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from lingque_tui.domain.errors import StoreUnwritable
from lingque_tui.session import drafts
from lingque_tui.store import Store
from tests.session.players import Puppet, chat, eventually


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "PAUSE_S", 0.001)


async def test_a_draft_is_saved_and_counted_while_the_session_is_open(store: Store, puppet: Puppet) -> None:
    async with chat(store, puppet) as session:
        session.note_draft("half a thought")
        assert session.draft == "half a thought"
        await eventually(lambda: store.draft(session.id).result() == "half a thought")
        await eventually(lambda: session.gauge.bill().draft > 0)
        session.note_draft("")
        await eventually(lambda: store.draft(session.id).result() == "" and session.gauge.bill().draft == 0)


async def test_a_draft_typed_in_the_last_moment_is_saved_by_closing(
    store: Store, puppet: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "PAUSE_S", 60)
    async with chat(store, puppet) as session:
        session.note_draft("last words")
    async with chat(store, puppet, info=session.info) as again:
        assert again.draft == "last words"


async def test_a_disk_that_fails_once_does_not_end_the_keeping(
    store: Store, puppet: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[str] = []

    def refuse(session_id: str, text: str) -> None:
        refused.append(text)
        raise StoreUnwritable(path=Path("lingque.db"), detail="disk full")

    async with chat(store, puppet) as session:
        with monkeypatch.context() as full:
            full.setattr(store, "save_draft", refuse)
            session.note_draft("one")
            await eventually(lambda: refused == ["one"])
        session.note_draft("one two")
        await eventually(lambda: store.draft(session.id).result() == "one two")


async def test_closing_on_a_full_disk_still_closes(
    store: Store, puppet: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(session_id: str, text: str) -> None:
        raise StoreUnwritable(path=Path("lingque.db"), detail="disk full")

    monkeypatch.setattr(store, "save_draft", refuse)
    async with chat(store, puppet) as session:
        session.note_draft("lost, but nobody is stuck")
    async with chat(store, puppet, info=session.info) as again:
        assert not again.is_read_only
