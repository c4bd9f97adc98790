"""The engine as other Python programs use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lingque_tui as lq
from lingque_tui.config.schema import Chat, Config, ModelSettings
from lingque_tui.domain.errors import CommandError, StoreError, UnknownProvider
from lingque_tui.domain.events import ReplyEnded
from lingque_tui.domain.messages import Role, ToolCall
from lingque_tui.providers.scripted import ScriptedProvider
from lingque_tui.session.importing import to_new_messages
from lingque_tui.store import NewMessage
from tests.session.players import eventually

TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "What is in a.txt?", "id": "m1", "created_at": "2026-01-02T03:04:05+00:00"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a.txt"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "42"},
    {"role": "assistant", "content": [{"type": "text", "text": "It says"}, {"type": "text", "text": "42."}]},
]


async def test_the_snippet_of_the_readme_works(tmp_path: Path) -> None:
    provider = ScriptedProvider(["Hello!"])
    path = tmp_path / "own.db"
    async with lq.open_session(store=path, provider=provider, model="gpt-4o", window=8192) as s:
        s.import_messages(TALK)
        events = [event async for event in s.send("hi")]
        context = s.context_for("and now?")
    assert [event.message.text for event in events if isinstance(event, ReplyEnded)] == ["Hello!"]
    assert [wire["content"] for wire in context[1:]] == [
        "What is in a.txt?",
        "",
        "42",
        "It says\n42.",
        "hi",
        "Hello!",
        "and now?",
    ]
    assert context[2]["tool_calls"] == TALK[1]["tool_calls"]
    assert context[3] == {"role": "tool", "content": "42", "tool_call_id": "c1"}
    async with lq.open_session(store=path, provider=provider, session=s.id) as again:
        assert len(await again.page()) == 6


async def test_without_a_store_nothing_is_left_behind() -> None:
    async with lq.open_session(provider=ScriptedProvider(["x"])) as session:
        path = session._store.path
        assert path.exists()
    assert not path.parent.exists()


async def test_a_session_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no session"):
        async with lq.open_session(store=tmp_path / "s.db", provider=ScriptedProvider(["x"]), session="gone"):
            pass


async def test_a_model_without_its_provider_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UnknownProvider):
        async with lq.open_session(store=tmp_path / "s.db", model="nowhere/model"):
            pass


# What would be sent


@pytest.mark.parametrize("window", [400, 1000, 50_000])
async def test_the_preview_is_exactly_what_is_sent(window: int) -> None:
    provider = ScriptedProvider(["A reply."])
    talk = [{"role": ("user", "assistant")[n % 2], "content": f"{n} lorem ipsum dolor " * 5} for n in range(40)]
    async with lq.open_session(provider=provider, model="gpt-4o", window=window) as session:
        session.import_messages(talk)
        preview = session.context_for("the question")
        async for _ in session.send("the question"):
            pass
        assert list(provider.requests[0].messages) == preview
        assert (len(preview) == len(talk) + 2) is (window == 50_000)
        await eventually(lambda: session.gauge.window == window)


async def test_a_budget_bounds_the_history() -> None:
    async with lq.open_session(provider=ScriptedProvider(["x"]), model="gpt-4o") as session:
        session.import_messages([{"role": "user", "content": f"message number {n}"} for n in range(50)])
        for budget in (0, 8, 9, 100, 10_000):
            context = session.context_for("question?", budget=budget)
            assert (context[0]["role"], context[-1]["content"]) == ("system", "question?")
            assert lq.count_tokens(context[1:-1], model="gpt-4o") <= budget
        assert len(session.context_for("question?", budget=0)) == 2
        assert len(session.context_for("question?", budget=10_000)) == 52
        assert len(session.context_for("question?")) == 52, "asking changes nothing"


async def test_the_window_given_goes_before_what_the_config_says() -> None:
    config = Config(
        chat=Chat(reply_reserve=0),
        models={"scripted/m": ModelSettings(window=9000, vocabulary="cl100k_base")},
    )
    async with lq.open_session(provider=ScriptedProvider(["x"]), model="m", window=77, config=config) as session:
        await eventually(lambda: session.gauge.bill().window == 77)
        assert session.gauge.bill().quality == "exact", "the vocabulary that was set stays in force"


# Importing


def test_a_tool_call_and_its_result_keep_their_ids() -> None:
    asked, called, found, told = to_new_messages(TALK)
    assert asked == NewMessage(Role.USER, "What is in a.txt?", created_at=1767323045.0, id="m1")
    assert called.tool_calls == (ToolCall("c1", "read", '{"path":"a.txt"}'),) and called.text == ""
    assert (found.role, found.tool_call_id, found.text) == (Role.TOOL, "c1", "42")
    assert told.text == "It says\n42."


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "developer", "content": "x"}, NewMessage(Role.SYSTEM, "x")),
        ({"role": "function", "content": "x"}, NewMessage(Role.TOOL, "x")),
        ({"role": "user"}, NewMessage(Role.USER, "")),
        ({"role": "user", "content": "a\x1b[2Jb"}, NewMessage(Role.USER, "ab")),
        ({"role": "user", "content": ["a", {"type": "image_url"}, {"text": None}, 7]}, NewMessage(Role.USER, "a")),
        ({"role": "user", "content": {"answer": "四"}}, NewMessage(Role.USER, '{"answer": "四"}')),
        ({"role": "user", "content": "x", "created_at": 12}, NewMessage(Role.USER, "x", created_at=12.0)),
        ({"role": "user", "content": "x", "id": 7}, NewMessage(Role.USER, "x", id="7")),
        (
            {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {"a": 1}}}]},
            NewMessage(Role.ASSISTANT, "", tool_calls=(ToolCall("c", "f", '{"a": 1}'),)),
        ),
    ],
)
def test_the_dialects_of_other_programs_are_understood(message: dict[str, Any], expected: NewMessage) -> None:
    assert to_new_messages([message]) == [expected]


@pytest.mark.parametrize(
    ("message", "clue"),
    [
        ({"role": "wizard\x1b[2J", "content": "x"}, "wizard"),
        ({"content": "x"}, "None"),
        ({"role": "user", "content": "x", "created_at": "yesterday"}, "yesterday"),
        ({"role": "assistant", "tool_calls": ["f"]}, "str"),
        ({"role": "assistant", "tool_calls": 5}, "int"),
        ("not a dict", "str"),
    ],
)
async def test_what_cannot_be_understood_is_refused_by_its_place(message: Any, clue: str) -> None:
    async with lq.open_session(provider=ScriptedProvider(["x"])) as session:
        with pytest.raises(CommandError) as refused:
            session.import_messages([{"role": "user", "content": "fine"}, message])
        assert "1" in refused.value.what and clue in refused.value.what and "\x1b" not in refused.value.what
        assert await session.count() == 0, "all or nothing"


async def test_an_id_that_is_taken_imports_nothing() -> None:
    async with lq.open_session(provider=ScriptedProvider(["x"])) as session:
        session.import_messages([{"role": "user", "content": "x", "id": "same"}])
        with pytest.raises(StoreError):
            session.import_messages([{"role": "user", "content": "y"}, {"role": "user", "content": "z", "id": "same"}])
        assert [message.text for message in await session.page()] == ["x"]


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
fields = st.sampled_from(["role", "content", "id", "created_at", "tool_calls", "tool_call_id"])


@given(st.lists(st.dictionaries(fields, anything | st.sampled_from(["user", "tool"]))))
def test_whatever_comes_is_taken_or_refused_and_nothing_else(messages: list[dict[str, Any]]) -> None:
    try:
        taken = to_new_messages(messages)
    except CommandError as refused:
        assert refused.what
    else:
        assert len(taken) == len(messages)
