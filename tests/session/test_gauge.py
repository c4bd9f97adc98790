"""The bill is always what a recomputation from the store would say, and no message is counted twice."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lingque_tui.config.schema import Compaction, Config, ModelSettings
from lingque_tui.domain.context import ContextBill, Quality
from lingque_tui.domain.errors import StoreError
from lingque_tui.domain.events import ReplyEnded, ReplyStarted, TurnFailed
from lingque_tui.domain.messages import Message, MessageState, Role
from lingque_tui.session.assembler import Counted, assemble
from lingque_tui.session.gauge import budget_for, own_counter
from lingque_tui.session.ledger import Ledger
from lingque_tui.session.measurer import Measurer
from lingque_tui.session.session import Session
from lingque_tui.session.switchboard import Choice
from lingque_tui.session.system_prompt import SOUL, system_message
from lingque_tui.store import Store
from lingque_tui.tokens import counter_for
from tests.session.players import MODEL, Listener, Puppet, WordCounter, chat, eventually, log

OTHER = "gpt-4o"
CONFIG = Config(models={MODEL: ModelSettings(window=300), OTHER: ModelSettings(window=180)})


async def recomputed(store: Store, session: Session) -> ContextBill:
    """The bill from nothing but the store and the tokenizer."""
    counter = own_counter(session.choice, CONFIG)
    system = system_message(session.id)
    history = [Counted(message, counter.count_message(message)) for message in await log(store, session)]
    budget = budget_for(CONFIG.models[session.choice.model].window, CONFIG)
    head = Counted(system, counter.count_message(system))
    return assemble(head, history, budget, quality=counter.quality).bill


words = st.text("abcde 中文字", min_size=1, max_size=300).filter(lambda text: text.strip())
steps = st.one_of(
    st.tuples(st.just("send"), words),
    st.tuples(st.just("stop"), words),
    st.tuples(st.just("import"), words),
    st.tuples(st.just("switch"), st.sampled_from([MODEL, OTHER])),
    st.tuples(st.just("retry"), words),
    st.tuples(st.just("reload"), st.just("")),
)


async def play(session: Session, puppet: Puppet, step: tuple[str, str]) -> None:
    listener = Listener(session)
    match step:
        case "send", text:
            puppet.finish(text[::-1])
            await session.submit(text)
            await listener.turns()
        case "stop", text:
            await session.submit(text)
            puppet.say(text)
            await listener.until(ReplyStarted)
            session.stop()
            await listener.turns()
        case "import", text:
            session.import_messages([{"role": "user", "content": text}, {"role": "assistant", "content": ""}])
        case "switch", model:
            await session.use_model(Choice(puppet, model, CONFIG))
        case "retry", text:
            if any(message.role is Role.USER for message in await session.page(limit=1000)):
                puppet.finish(text)
                session.retry()
                await listener.turns()
        case _:
            session.gauge.reload()


@settings(max_examples=15, deadline=None)
@given(st.lists(steps, max_size=7))
def test_after_any_conversation_the_bill_equals_a_recomputation(script: list[tuple[str, str]]) -> None:
    async def converse() -> None:
        with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "lingque.db") as store:
            puppet = Puppet()
            async with chat(store, puppet, config=CONFIG) as session:
                for step in script:
                    await play(session, puppet, step)
                expected = await recomputed(store, session)
                await eventually(lambda: session.gauge.bill() == expected)

    asyncio.run(converse())


def kept_counts(store: Store, session: Session) -> list[int]:
    rows = store.counted(session.id, "counting/scripted").result()
    return [tokens for _, tokens in rows if tokens is not None]


async def test_counts_are_made_once_and_found_again(store: Store) -> None:
    first = WordCounter()
    async with chat(store, first) as session:
        listener = Listener(session)
        for text in ("one two three", "four five"):
            first.finish("answer " + text)
            await session.submit(text)
            await listener.turns()
        await eventually(lambda: len(kept_counts(store, session)) == 4)
        await eventually(lambda: session.gauge.bill().recent == sum(kept_counts(store, session)))
        bill = session.gauge.bill()
        assert bill.quality is Quality.EXACT
        spoken = [text for text in first.counted if text not in ("灵雀", SOUL)]
        assert sorted(spoken) == sorted(["one two three", "answer one two three", "four five", "answer four five"])
    again = WordCounter()
    async with chat(store, again, info=session.info) as reopened:
        await eventually(lambda: reopened.gauge.bill() == bill)
        assert set(again.counted) == {"灵雀", SOUL}, "a second opening counts nothing anew"


async def test_another_model_counts_anew_and_going_back_does_not(store: Store) -> None:
    counting, other = WordCounter("a"), WordCounter("b")
    config = Config(models={"small": ModelSettings(window=1000), "large": ModelSettings(window=5000)})
    async with chat(store, counting, config=config, model="small") as session:
        session.import_messages([{"role": "user", "content": "some words here"}])
        await eventually(lambda: "some words here" in counting.counted and session.gauge.bill().recent > 0)
        session.note_draft("a draft of five words")
        await eventually(lambda: session.gauge.bill().draft == 5)
        counting.counted.clear()
        await session.use_model(Choice(other, "large", config))
        await eventually(lambda: session.gauge.bill().window == 5000)
        assert "some words here" in other.counted
        await eventually(lambda: "a draft of five words" in other.counted)
        await session.use_model(Choice(counting, "small", config))
        await eventually(lambda: session.gauge.bill().window == 1000)
        assert session.gauge.window == 1000
        assert "some words here" not in counting.counted


async def test_the_gauge_grows_while_the_reply_streams(store: Store, puppet: Puppet) -> None:
    text = "several words of a reply that grows "
    async with chat(store, puppet, model="gpt-4o") as session:
        listener = Listener(session)
        await session.submit("q")
        await puppet.asked()
        before = session.gauge.bill().recent
        puppet.say(text)
        await listener.until(ReplyStarted)
        await eventually(lambda: session.gauge.bill().recent == before + counter_for("gpt-4o").count(text))
        puppet.say("on")
        await eventually(lambda: session.gauge.bill().recent > before + counter_for("gpt-4o").count(text))
        session.gauge.reload()
        await eventually(session.gauge._ready.is_set)
        streaming = session.gauge.bill().recent
        puppet.finish()
        ended = await listener.until(ReplyEnded)
        whole = counter_for("gpt-4o").count_message(ended.message)
        await eventually(lambda: session.gauge.bill().recent == before + whole)
        assert abs(streaming - (before + whole)) <= 5, "a reload in the middle must not count the reply twice"


class SlowDraftCounter(WordCounter):
    """Takes its time over the draft, as a server does that is busy with a reply."""

    def __init__(self) -> None:
        super().__init__()
        self.is_counting, self.may_answer = asyncio.Event(), asyncio.Event()

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        if "typing on" in texts:
            self.is_counting.set()
            await self.may_answer.wait()
        return await super().count(texts)


async def test_a_question_that_overtakes_the_reply_before_it_is_not_lost(store: Store) -> None:
    """While the gauge waits for the draft's count, the next question reaches the ledger before the last reply."""
    slow = SlowDraftCounter()
    async with chat(store, slow) as session:
        listener = Listener(session)
        await session.submit("q1")
        await slow.asked()
        session.gauge.note_draft("typing on")
        await slow.is_counting.wait()
        await session.submit("q2")
        slow.finish("a1")
        slow.finish("a2")
        await listener.turns(2)
        slow.may_answer.set()
        await eventually(lambda: session.gauge.bill().draft == 2 and session.gauge.bill().recent > 0)
        bill = session.gauge.bill()
    assert [wire["content"] for wire in slow.requests[1].messages[1:]] == ["q1", "a1", "q2"]
    assert bill.left_out == 0


async def test_a_retry_after_a_reply_that_fills_the_window_still_asks_the_question(
    store: Store, puppet: Puppet
) -> None:
    async with chat(store, puppet, config=CONFIG) as session:
        listener = Listener(session)
        puppet.finish("word " * 900)
        puppet.finish("short")
        await session.submit("the question")
        await listener.turns()
        session.retry()
        await listener.turns()
    assert [wire["content"] for wire in puppet.requests[1].messages[1:]] == ["the question"]


async def test_a_context_that_could_not_be_read_is_tried_again(
    store: Store, puppet: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with chat(store, puppet) as session:
        listener = Listener(session)
        with monkeypatch.context() as broken:
            broken.setattr(store, "counted", _fail)
            await session.submit("q")
            assert (await listener.until(TurnFailed)).error.values["detail"] == "no luck"
        puppet.finish("ok")
        session.retry()
        await listener.until(ReplyEnded)


def test_the_reserve_never_takes_more_than_a_quarter_of_a_small_window() -> None:
    assert budget_for(2000, Config()).reserve == 500
    assert budget_for(100_000, Config()).reserve == 1024
    assert budget_for(None, Config()).room is None
    assert budget_for(2000, Config(compaction=Compaction(enabled=False))).line is None


# The ledger by itself


async def ledger_over(store: Store, session_id: str, room: int | None, up_to: int | None = None) -> Ledger:
    ledger = Ledger(store, session_id, Measurer(counter_for("gpt-4o"), Puppet(), "gpt-4o"))
    await ledger.load(room, up_to=up_to)
    return ledger


async def said(store: Store, count: int) -> list[Message]:
    info = await store.create_session()
    return [await store.append(info.id, Role.USER, f"message {number}") for number in range(count)]


async def test_a_long_log_is_read_only_as_far_as_it_fits(store: Store) -> None:
    messages = await said(store, 450)
    each = counter_for("gpt-4o").count_message(messages[0])
    ledger = await ledger_over(store, messages[0].session_id, room=each * 210)
    assert len(ledger.entries) == 400 and ledger.older == 50
    assert [entry.message for entry in ledger.entries] == messages[50:]
    everything = await ledger_over(store, messages[0].session_id, room=None)
    assert len(everything.entries) == 450 and everything.older == 0


async def test_told_in_whatever_order_the_ledger_keeps_the_logs(store: Store) -> None:
    first, second, third = await said(store, 3)
    ledger = await ledger_over(store, first.session_id, room=None, up_to=first.seq)
    for message in (third, second, second, third):
        await ledger.add(message)
    assert [entry.message for entry in ledger.entries] == [first, second, third]
    assert ledger._tokens == sum(entry.tokens for entry in ledger.entries)


async def test_what_streams_or_holds_nothing_is_not_in_the_ledger(store: Store) -> None:
    info = await store.create_session()
    await store.append(info.id, Role.ASSISTANT, "", reasoning="only thought")
    await store.append(info.id, Role.USER, "hello")
    live = await store.append(info.id, Role.ASSISTANT, "still com", state=MessageState.STREAMING)
    ledger = await ledger_over(store, info.id, room=None)
    await ledger.add(live)
    assert [entry.message.text for entry in ledger.entries] == ["hello"]
    assert ledger.older == 0


async def test_what_was_left_out_does_not_come_back(store: Store) -> None:
    messages = await said(store, 250)
    each = counter_for("gpt-4o").count_message(messages[0])
    ledger = await ledger_over(store, messages[0].session_id, room=each * 20)
    before = (list(ledger.entries), ledger.older)
    await ledger.add(messages[3])
    assert (list(ledger.entries), ledger.older) == before


def _fail(*_: object, **__: object) -> None:
    raise StoreError(path="lingque.db", detail="no luck")
