"""The scripted provider says what it was told to, and keeps a provider's promises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lingque_tui.domain.clean import clean
from lingque_tui.domain.errors import ConfigError, RateLimited, ServerFailed
from lingque_tui.domain.ports import ChatRequest, FinishPiece, ModelInfo, Piece, ReasoningPiece, TextPiece, UsagePiece
from lingque_tui.providers.scripted import Reply, ScriptedProvider


def request(text: str = "hi") -> ChatRequest:
    return ChatRequest("scripted", ({"role": "user", "content": text},))


async def collect(provider: ScriptedProvider) -> list[Piece]:
    return [piece async for piece in provider.stream(request())]


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


async def test_a_reply_is_cut_into_pieces_and_ends_with_usage_and_finish() -> None:
    assert await collect(ScriptedProvider(["abcdef"], piece_size=4)) == [
        TextPiece("abcd"),
        TextPiece("ef"),
        UsagePiece(0, 2),
        FinishPiece("stop"),
    ]


async def test_entries_follow_each_other_and_the_last_repeats() -> None:
    provider = ScriptedProvider(["one", "two"])
    assert [text_of(await collect(provider)) for _ in range(3)] == ["one", "two", "two"]


async def test_requests_are_kept() -> None:
    provider = ScriptedProvider(["a"])
    await collect(provider)
    assert provider.requests == [request()]


async def test_reasoning_comes_first() -> None:
    pieces = await collect(ScriptedProvider([Reply("so", reasoning="hm")]))
    assert pieces[:2] == [ReasoningPiece("hm"), TextPiece("so")]


async def test_a_cut_reply_has_neither_usage_nor_finish() -> None:
    provider = ScriptedProvider([Reply("abcdef", cut_after=2)], piece_size=2)
    assert await collect(provider) == [TextPiece("ab"), TextPiece("cd")]


async def test_an_exception_in_the_script_is_raised_at_once() -> None:
    provider = ScriptedProvider([RateLimited(provider="p", detail="d"), "then"])
    with pytest.raises(RateLimited):
        await collect(provider)
    assert text_of(await collect(provider)) == "then"


async def test_an_error_may_come_after_some_pieces() -> None:
    provider = ScriptedProvider([Reply("abcdef", cut_after=1, error=ServerFailed(provider="p", detail="d"))], 0.0, 2)
    got: list[Piece] = []
    with pytest.raises(ServerFailed):
        async for piece in provider.stream(request()):
            got.append(piece)
    assert got == [TextPiece("ab")]


async def test_what_it_says_is_clean_however_it_is_cut() -> None:
    dirty = "a\x1b]52;c;aGk=\x07b\x1b[2Jc \u202e"
    for size in range(1, len(dirty)):
        assert text_of(await collect(ScriptedProvider([dirty], piece_size=size))) == clean(dirty)


async def test_it_offers_one_model_with_a_known_window() -> None:
    assert await ScriptedProvider(["a"]).list_models() == (ModelInfo("scripted", "scripted", 8192),)
    assert (await ScriptedProvider(["a"], window=100).list_models())[0].window == 100


def test_an_empty_script_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        ScriptedProvider([])


async def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    replies = ["你好", {"text": "abc", "cut_after": 1, "error": "rate_limited"}]
    path.write_text(json.dumps({"replies": replies, "delay_s": 0.0, "piece_size": 1}), encoding="utf-8")
    provider = ScriptedProvider.from_file(path)
    assert text_of(await collect(provider)) == "你好"
    with pytest.raises(RateLimited):
        await collect(provider)


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"replies": []}', '{"replies": [{"txt": 1}]}', '{"replies": ["a"], "speed": 3}',
     '{"replies": [{"error": "no_such_error"}]}', '{"replies": [3]}'],
)  # fmt: skip
def test_a_file_that_is_no_script_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "script.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"script\.json"):
        ScriptedProvider.from_file(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.json"):
        ScriptedProvider.from_file(tmp_path / "nowhere.json")
