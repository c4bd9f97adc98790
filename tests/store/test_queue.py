"""What waits goes out in order, can be changed or taken back until then, and is never in two places."""

from __future__ import annotations

import pytest

from lingque_tui.domain.errors import StoreError
from lingque_tui.domain.messages import Role, SessionInfo
from lingque_tui.store import Store


@pytest.fixture
def session(store: Store) -> SessionInfo:
    return store.create_session("talk").result()


def test_what_waits_keeps_its_order_and_its_session(store: Store, session: SessionInfo) -> None:
    other = store.create_session().result()
    one = store.enqueue(session.id, "one").result()
    store.enqueue(other.id, "elsewhere").result()
    two = store.enqueue(session.id, "two").result()
    assert store.queued(session.id).result() == (one, two)


def test_a_waiting_message_can_be_changed_and_taken_back(store: Store, session: SessionInfo) -> None:
    item = store.enqueue(session.id, "draft").result()
    assert store.edit_queued(item.id, "better").result()
    assert store.remove_queued(item.id).result() == "better"
    assert store.queued(session.id).result() == ()
    assert store.remove_queued(item.id).result() is None
    assert not store.edit_queued(item.id, "too late").result()


def test_a_promoted_message_leaves_the_queue_for_the_log_under_its_id(store: Store, session: SessionInfo) -> None:
    item = store.enqueue(session.id, "go").result()
    message = store.promote(item.id).result()
    assert (message.id, message.role, message.text) == (item.id, Role.USER, "go")
    assert store.queued(session.id).result() == ()
    assert store.messages(session.id).result() == (message,)
    with pytest.raises(StoreError, match=item.id):
        store.promote(item.id).result()


def test_a_promotion_that_fails_leaves_the_message_waiting(store: Store, session: SessionInfo) -> None:
    item = store.enqueue(session.id, "go").result()
    store.append(session.id, Role.USER, "thief of its id", id=item.id).result()
    with pytest.raises(StoreError):
        store.promote(item.id).result()
    assert store.queued(session.id).result() == (item,)
    assert store.count(session.id).result() == 1


def test_every_change_of_the_queue_counts_as_talk(store: Store, session: SessionInfo) -> None:
    def updated() -> float:
        info = store.session(session.id).result()
        assert info is not None
        return info.updated_at

    times = [session.updated_at]
    first, second = store.enqueue(session.id, "a").result(), store.enqueue(session.id, "b").result()
    times.append(updated())
    for change in (
        lambda: store.edit_queued(first.id, "c").result(),
        lambda: store.remove_queued(first.id).result(),
        lambda: store.promote(second.id).result(),
    ):
        change()
        times.append(updated())
    assert times == sorted(set(times))
