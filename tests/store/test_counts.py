"""A count is kept for the text it was made from, and for no other."""

from __future__ import annotations

from lingque_tui.domain.messages import MessageState, Role
from lingque_tui.store import NewMessage, Store


def test_counts_come_back_beside_their_messages_by_vocabulary(store: Store) -> None:
    session = store.create_session().result()
    said = store.append_many(session.id, [NewMessage(Role.USER, str(number)) for number in range(4)]).result()
    store.save_counts("glm4", {said[1].id: 11, said[2].id: 0}).result()
    store.save_counts("qwen3", {said[1].id: 99}).result()
    store.save_counts("glm4", {said[1].id: 12}).result()
    assert store.counted(session.id, "glm4").result() == tuple(zip(said, (None, 12, 0, None), strict=True))
    assert store.counted(session.id, "glm4", before=said[2].seq, limit=1).result() == ((said[1], 12),)
    assert store.counted(session.id, "none").result()[-1] == (said[3], None)


def test_a_text_that_still_grows_has_no_count(store: Store) -> None:
    session = store.create_session().result()
    reply = store.append(session.id, Role.ASSISTANT, "half", state=MessageState.STREAMING).result()
    store.save_counts("glm4", {reply.id: 1, "nobody": 5}).result()
    assert store.counted(session.id, "glm4").result() == ((reply, None),)
    ended = store.finish(reply.id, text="whole", reasoning="", state=MessageState.COMPLETE, figures=None).result()
    store.save_counts("glm4", {reply.id: 2}).result()
    assert store.counted(session.id, "glm4").result() == ((ended, 2),)
