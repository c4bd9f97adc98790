"""Chunks of any shape become pieces; none makes the reader fall over."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.domain.clean import is_clean
from lingque_tui.domain.ports import FinishPiece, ReasoningPiece, TextPiece, UsagePiece
from lingque_tui.providers.chunks import ChunkReader


def said(content: object = None, **more: object) -> dict[str, object]:
    return {"choices": [{"delta": {"content": content, **more}}]}


def test_text_and_reasoning_are_told_apart() -> None:
    reader = ChunkReader()
    assert reader.read(said(None, reasoning_content="hm")) == [ReasoningPiece("hm")]
    assert reader.read(said(None, reasoning="so")) == [ReasoningPiece("so")]
    assert reader.read(said("yes")) == [TextPiece("yes")]


def test_a_chunk_that_says_nothing_is_told_from_one_that_holds_back() -> None:
    reader = ChunkReader()
    assert reader.read(said("", role="assistant")) is None
    assert reader.read(said("a\x1b")) == [TextPiece("a")]
    assert reader.read(said("\x1b")) == []
    assert reader.read(said(None, tool_calls=[{"index": 0, "id": "", "function": {"name": ""}}])) == []


def test_what_is_held_back_comes_out_at_the_end() -> None:
    reader = ChunkReader()
    assert reader.read(said("<thi")) == []
    assert reader.flush() == [TextPiece("<thi")]
    assert reader.flush() == []


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
        {"choices": [{"delta": {}, "usage": {"prompt_tokens": 3, "completion_tokens": 4}}]},
        {"choices": None, "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}},
    ],
)
def test_usage_is_found_where_servers_put_it(chunk: dict[str, object]) -> None:
    reader = ChunkReader()
    assert reader.read(chunk) == []
    assert reader.ending() == [UsagePiece(3, 4)]


def test_usage_told_many_times_is_passed_on_once_and_before_the_finish() -> None:
    reader = ChunkReader()
    for count in (1, 2, 3):
        reader.read({**said("a"), "usage": {"prompt_tokens": 9, "completion_tokens": count}})
    reader.read({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    assert reader.ending() == [UsagePiece(9, 3), FinishPiece("stop")]


@pytest.mark.parametrize(
    "usage", [{}, {"prompt_tokens": None, "completion_tokens": 1}, {"prompt_tokens": True, "completion_tokens": 1}, 7]
)
def test_usage_that_is_rubbish_is_ignored(usage: object) -> None:
    reader = ChunkReader()
    reader.read({"choices": [], "usage": usage})
    assert reader.ending() == []


@pytest.mark.parametrize(
    "chunk", [{"object": "error", "message": "m", "code": 400}, {"message": "m", "type": "x"}, {"object": "error"}]
)
def test_an_error_without_the_word_error_is_seen(chunk: dict[str, object]) -> None:
    reader = ChunkReader()
    reader.read(chunk)
    assert isinstance(reader.error, dict)
    assert reader.error["message"] == chunk.get("message")


RUBBISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "delta", "content", "usage", "finish_reason", "reasoning", "message"]), inner
        )
    ),
    max_leaves=12,
)


@given(st.lists(RUBBISH, max_size=4))
def test_rubbish_never_raises_and_what_comes_out_is_clean(chunks: list[Any]) -> None:
    reader = ChunkReader()
    pieces = [piece for chunk in chunks for piece in reader.read(chunk) or []] + reader.flush()
    assert all(is_clean(piece.text) for piece in pieces if isinstance(piece, TextPiece | ReasoningPiece))
