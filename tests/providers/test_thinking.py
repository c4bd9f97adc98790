"""Thinking in tags is told apart from the answer, however the stream was cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.domain.ports import ReasoningPiece, TextPiece
from lingque_tui.providers.thinking import ThinkSplitter


def split(pieces: list[str]) -> tuple[str, str]:
    """Reasoning and text."""
    splitter = ThinkSplitter()
    out = [piece for text in pieces for piece in splitter.feed(text)] + splitter.finish()
    assert all(piece.text for piece in out)
    reasoning = "".join(piece.text for piece in out if isinstance(piece, ReasoningPiece))
    return reasoning, "".join(piece.text for piece in out if isinstance(piece, TextPiece))


@pytest.mark.parametrize(
    ("whole", "reasoning", "text"),
    [
        ("hello", "", "hello"),
        ("<think>why</think>because", "why", "because"),
        ("\n <think>why</think>\n\nbecause\n", "why", "because\n"),
        ("<think></think>answer", "", "answer"),
        ("<think>never ends", "never ends", ""),
        ("<think>cut </thi", "cut </thi", ""),
        ("<thin air", "", "<thin air"),
        ("<thi", "", "<thi"),
        ("  \n", "", "  \n"),
        ("so <think>quoted</think>", "", "so <think>quoted</think>"),
        ("<think>a</think>b<think>c</think>", "a", "b<think>c</think>"),
        ("<think>1 < 2 </ 3</think>ok", "1 < 2 </ 3", "ok"),
        ("", "", ""),
    ],
)
def test_tags_at_the_start_are_thinking_and_others_are_text(whole: str, reasoning: str, text: str) -> None:
    assert split([whole]) == (reasoning, text)
    assert split([*whole]) == (reasoning, text)


TAGGED = st.lists(st.sampled_from(["<think>", "</think>", "<", "</th", "ink>", "a", " ", "\n", "你"]), max_size=12)


@given(TAGGED.map("".join), st.data())
def test_a_stream_cut_anywhere_gives_the_same(whole: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert split(pieces) == split([whole])


def test_thinking_is_passed_on_as_it_comes() -> None:
    splitter = ThinkSplitter()
    assert splitter.feed("<think>first") == [ReasoningPiece("first")]
    assert splitter.feed(" then") == [ReasoningPiece(" then")]
    assert splitter.feed("</think>so") == [TextPiece("so")]
