"""The provider against a real server on loopback that does all the things real servers do."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

import pytest

from lingque_tui.domain.errors import (
    BadReply,
    ContextOverflow,
    ModelNotFound,
    ProviderError,
    RateLimited,
    RequestRefused,
    ServerFailed,
    Stalled,
    Unauthorized,
    Unreachable,
)
from lingque_tui.domain.ports import ChatRequest, FinishPiece, ModelInfo, Piece, ReasoningPiece, TextPiece, UsagePiece
from lingque_tui.providers.openai import OpenAIProvider
from tests.support import chat_server as fake
from tests.support.chat_server import Behaviour, ChatServer

KEY = "sk-loopback-secret-42"
REQUEST = ChatRequest("m", ({"role": "user", "content": "你好"},))


@pytest.fixture
async def server() -> AsyncIterator[ChatServer]:
    async with ChatServer(key=KEY) as server:
        yield server


@pytest.fixture
async def provider(server: ChatServer) -> AsyncIterator[OpenAIProvider]:
    provider = OpenAIProvider("acme", server.url, KEY, key_variable="ACME_API_KEY", stall_seconds=5.0)
    yield provider
    await provider.close()


async def collect(provider: OpenAIProvider, request: ChatRequest = REQUEST) -> list[Piece]:
    return [piece async for piece in provider.stream(request)]


async def collect_until_error(provider: OpenAIProvider) -> tuple[list[Piece], ProviderError]:
    pieces: list[Piece] = []
    with pytest.raises(ProviderError) as caught:
        async for piece in provider.stream(REQUEST):
            pieces.append(piece)
    return pieces, caught.value


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


def reasoning_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, ReasoningPiece))


async def test_a_reply_arrives_in_pieces_with_usage_and_finish(server: ChatServer, provider: OpenAIProvider) -> None:
    server.queue(fake.reply("Hello 世界 👩‍👩‍👧!", piece_size=3))
    pieces = await collect(provider)
    assert text_of(pieces) == "Hello 世界 👩‍👩‍👧!"
    assert pieces[-2:] == [UsagePiece(11, 7), FinishPiece("stop")]
    assert all(piece.text for piece in pieces if isinstance(piece, TextPiece))


async def test_the_request_is_what_was_asked_for(server: ChatServer, provider: OpenAIProvider) -> None:
    await collect(provider, ChatRequest("m", REQUEST.messages, max_tokens=9, temperature=0.1))
    assert server.requests[0] == {
        "model": "m",
        "messages": [{"role": "user", "content": "你好"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 9,
        "temperature": 0.1,
    }


async def test_what_belongs_to_openai_is_not_told_to_others(
    server: ChatServer, provider: OpenAIProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-mine")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    await collect(provider)
    assert server.exchanges[0].headers["authorization"] == f"Bearer {KEY}"
    assert {"openai-organization", "openai-project"}.isdisjoint(server.exchanges[0].headers)


async def test_without_a_key_no_authorization_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    async with ChatServer() as server:
        provider = OpenAIProvider("free", server.url)
        assert text_of(await collect(provider))
        assert "authorization" not in server.exchanges[0].headers
        await provider.close()


async def test_proxies_are_not_asked_for_what_is_on_this_machine(
    provider: OpenAIProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert text_of(await collect(provider))


async def test_a_server_without_stream_options_is_asked_without_them_from_then_on(
    server: ChatServer, provider: OpenAIProvider
) -> None:
    server.queue(fake.http_error(400, {"message": "Unrecognized request argument: stream_options"}))
    assert text_of(await collect(provider))
    assert text_of(await collect(provider))
    assert ["stream_options" in request for request in server.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("steps", "text", "reasoning"),
    [
        ((fake.chunk(reasoning_content="hm "), fake.chunk(reasoning="so"), fake.chunk("ok")), "ok", "hm so"),
        ((fake.chunk("<th"), fake.chunk("ink>why</thi"), fake.chunk("nk>\n\nbecause")), "because", "why"),
        ((fake.chunk("a\x1b]52;c;"), fake.chunk("aGk=\x07b\x1b[2"), fake.chunk("Jc")), "abc", ""),
        ((fake.chunk(reasoning_content="x\x1b["), fake.chunk(reasoning_content="2Jy")), "", "xy"),
        ((fake.chunk("tail \x1b"),), "tail ", ""),
        (
            (
                fake.event(b'{"choices":[{"delta":{"content":"\\ud83d"}}]}'),
                fake.event(b'{"choices":[{"delta":{"content":"\\ude00 \\ud800!"}}]}'),
            ),
            "😀 \ufffd!",
            "",
        ),
        ((fake.event({"choices": None}), fake.event({}), fake.event([1]), fake.event(5), fake.chunk("a")), "a", ""),
        (
            (
                fake.chunk(tool_calls=[{"index": 0, "id": "", "function": {"name": "", "arguments": ""}}]),
                fake.chunk(tool_calls=[{"index": 0, "id": "", "function": {"name": None, "arguments": "{}"}}]),
                fake.chunk("after"),
            ),
            "after",
            "",
        ),
        ((fake.chunk("x" * 2_000_000),), "x" * 2_000_000, ""),
    ],
    ids=[
        "reasoning",
        "think-tags",
        "escapes",
        "escapes-in-reasoning",
        "lone-escape",
        "surrogates",
        "odd",
        "tools",
        "huge",
    ],
)
async def test_what_arrives_is_read_and_clean(
    server: ChatServer, provider: OpenAIProvider, steps: tuple[bytes, ...], text: str, reasoning: str
) -> None:
    server.queue(fake.stream(*steps, fake.chunk(finish="stop"), fake.DONE))
    pieces = await collect(provider)
    assert (text_of(pieces), reasoning_of(pieces)) == (text, reasoning)
    assert pieces[-1] == FinishPiece("stop")


async def test_usage_inside_the_choice_is_found(server: ChatServer, provider: OpenAIProvider) -> None:
    last = {"choices": [{"delta": {}, "finish_reason": "stop", "usage": dict(fake.USAGE)}]}
    server.queue(fake.stream(fake.chunk("a"), fake.event(last), fake.DONE))
    assert UsagePiece(11, 7) in await collect(provider)


async def test_a_stream_that_just_ends_has_no_finish(server: ChatServer, provider: OpenAIProvider) -> None:
    server.queue(fake.no_done("half a"))
    pieces = await collect(provider)
    assert text_of(pieces) == "half a"
    assert not any(isinstance(piece, FinishPiece) for piece in pieces)


@pytest.mark.parametrize(
    ("behaviour", "text", "expected"),
    [
        (fake.http_error(401, {"message": f"Incorrect API key provided: {KEY}"}), "", Unauthorized),
        (fake.http_error(404, {"message": "The model `m` does not exist"}), "", ModelNotFound),
        (fake.http_error(429, {"message": "slow"}, {"Retry-After": "2"}), "", RateLimited),
        (fake.http_error(400, {"code": "1261", "message": "Prompt exceeds max length"}), "", ContextOverflow),
        (fake.http_error(400, b'{"object":"error","message":"maximum context length is 9"}'), "", ContextOverflow),
        (fake.http_error(500, b"<html>"), "", ServerFailed),
        (fake.http_error(400, b"\xff\xfe rubbish"), "", RequestRefused),
        (fake.login_page(), "", BadReply),
        (fake.json_200({"choices": [{"message": {"content": "whole"}}]}), "", BadReply),
        (fake.json_200({"error": {"code": 429, "message": "busy"}}), "", RateLimited),
        (Behaviour((b"not json",), headers={"Content-Type": "application/json"}), "", BadReply),
        (fake.empty_200(), "", BadReply),
        (fake.stream(fake.DONE), "", BadReply),
        (fake.half_json("some "), "some ", BadReply),
        (fake.cut_mid_chunk("some "), "some ", ServerFailed),
        (fake.error_event({"code": 500, "message": "out of memory"}, "some "), "some ", ServerFailed),
        (fake.error_event("overloaded"), "", ServerFailed),
        (fake.stream(fake.event({"error": "Input does not fit in context length."}, "error")), "", ContextOverflow),
        (fake.stream(fake.event({"message": "Input does not fit in context length."}, "error")), "", ContextOverflow),
        (fake.stream(fake.chunk("so"), fake.chunk(finish="sensitive"), fake.DONE), "so", RequestRefused),
        (fake.stream(fake.chunk("so"), fake.chunk(finish="network_error"), fake.DONE), "so", ServerFailed),
        (fake.stream(fake.chunk("so", finish="model_context_window_exceeded")), "so", ContextOverflow),
        (fake.stream(fake.event(b"[" * 100_000)), "", BadReply),
        (Behaviour(before_head=(fake.Cut(),)), "", Unreachable),
    ],
)  # fmt: skip
async def test_every_misbehaviour_becomes_an_error_of_ours_and_keeps_what_arrived(
    server: ChatServer, provider: OpenAIProvider, behaviour: Behaviour, text: str, expected: type[ProviderError]
) -> None:
    server.queue(behaviour)
    pieces, error = await collect_until_error(provider)
    assert type(error) is expected
    assert text_of(pieces) == text
    assert error.__cause__ is not error  # whoever prints the chain of causes must reach its end
    assert KEY not in f"{error!r} {error} {error.what} {error.next_step} {error.values}"


async def test_text_held_back_is_not_lost_when_the_connection_breaks(
    server: ChatServer, provider: OpenAIProvider
) -> None:
    server.queue(fake.stream(fake.chunk("<thi"), fake.Cut()))
    pieces, _ = await collect_until_error(provider)
    assert text_of(pieces) == "<thi"


async def test_nobody_there_is_unreachable() -> None:
    async with ChatServer() as server:
        url = server.url
    provider = OpenAIProvider("acme", url, KEY)
    with pytest.raises(Unreachable) as caught:
        await collect(provider)
    assert url in caught.value.what
    await provider.close()


@pytest.mark.parametrize("url", ["127.0.0.1:80/v1", "http://", "nonsense", "http://[::1"])
async def test_an_address_that_is_none_is_an_error_of_ours(url: str) -> None:
    provider = OpenAIProvider("acme", url, KEY)
    with pytest.raises(ProviderError):
        await collect(provider)
    await provider.close()


async def test_a_key_no_header_can_carry_is_said_to_be_the_key(server: ChatServer) -> None:
    provider = OpenAIProvider("acme", server.url, "密钥\n", key_variable="ACME_API_KEY")
    with pytest.raises(Unauthorized, match="ACME_API_KEY"):
        await collect(provider)


@pytest.mark.parametrize(
    "behaviour",
    [
        fake.keep_alives_forever(),
        fake.keep_alives_forever("some"),
        fake.stream(fake.chunk("some"), fake.KeepAlives(line=fake.chunk(""))),
        fake.hang_after("some"),
        fake.silence(),
    ],
    ids=["comments", "comments-after-text", "empty-chunks", "hang", "silence"],
)
async def test_signs_of_life_without_a_word_are_a_stall(server: ChatServer, behaviour: Behaviour) -> None:
    provider = OpenAIProvider("acme", server.url, KEY, stall_seconds=0.3)
    await provider.warm()
    server.queue(behaviour)
    started = time.monotonic()
    with pytest.raises(Stalled):
        await collect(provider)
    assert 0.25 < time.monotonic() - started < 2.0
    await asyncio.wait_for(server.exchanges[0].gone.wait(), 1.0)
    await provider.close()


async def test_a_slow_reply_is_no_stall_as_long_as_words_come(server: ChatServer) -> None:
    provider = OpenAIProvider("acme", server.url, KEY, stall_seconds=0.4)
    server.queue(fake.reply("slowly but surely", delay_s=0.15, first_delay_s=0.2))
    assert text_of(await collect(provider)) == "slowly but surely"
    await provider.close()


@pytest.mark.parametrize("after", [fake.Cut(), fake.event({"error": "late"}), fake.event(b"{half")])
async def test_once_the_model_is_done_nothing_can_spoil_the_reply(
    server: ChatServer, provider: OpenAIProvider, after: fake.Step
) -> None:
    server.queue(fake.stream(fake.chunk("all said"), fake.chunk(finish="stop"), after))
    pieces = await collect(provider)
    assert (text_of(pieces), pieces[-1]) == ("all said", FinishPiece("stop"))


async def test_a_server_that_never_hangs_up_after_the_end_is_left(
    server: ChatServer, provider: OpenAIProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lingque_tui.providers.openai._AFTER_FINISH_S", 0.1)
    server.queue(fake.stream(fake.chunk("all said", finish="stop"), fake.Hang()))
    assert (await collect(provider))[-1] == FinishPiece("stop")


@pytest.mark.parametrize(
    ("behaviour", "first"),
    [(fake.hang_after("some"), True), (fake.keep_alives_forever("some"), True), (fake.silence(), False)],
    ids=["mid-stream", "keep-alives", "before-the-head"],
)
async def test_cancelling_closes_the_connection_at_once(
    server: ChatServer, provider: OpenAIProvider, behaviour: Behaviour, first: bool
) -> None:
    await provider.warm()
    server.queue(behaviour)
    arrived = asyncio.Event()

    async def consume() -> None:
        async for _ in provider.stream(REQUEST):
            arrived.set()

    task = asyncio.create_task(consume())
    await asyncio.wait_for((arrived if first else server.arrived).wait(), 5.0)
    cancelled_at = time.monotonic()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
    exchange = server.exchanges[0]
    await asyncio.wait_for(exchange.gone.wait(), 1.0)
    assert exchange.gone_at is not None
    assert exchange.gone_at - cancelled_at < 0.2


async def test_closing_the_stream_closes_the_connection_at_once(server: ChatServer, provider: OpenAIProvider) -> None:
    server.queue(fake.hang_after("some"))
    stream = provider.stream(REQUEST)
    assert await anext(stream) == TextPiece("some")
    closed_at = time.monotonic()
    await stream.aclose()
    exchange = server.exchanges[0]
    await asyncio.wait_for(exchange.gone.wait(), 1.0)
    assert exchange.gone_at is not None
    assert exchange.gone_at - closed_at < 0.2


async def test_two_replies_stream_side_by_side(server: ChatServer, provider: OpenAIProvider) -> None:
    server.queue(fake.reply("first", delay_s=0.01), fake.reply("first", delay_s=0.01))
    both = await asyncio.gather(collect(provider), collect(provider))
    assert [text_of(pieces) for pieces in both] == ["first", "first"]


async def test_models_are_listed(server: ChatServer, provider: OpenAIProvider) -> None:
    server.models = {"object": "list", "data": [{"id": "a", "max_model_len": 4096}, {"id": "b"}]}
    assert await provider.list_models() == (ModelInfo("acme", "a", 4096), ModelInfo("acme", "b"))


async def test_a_list_of_models_that_is_none_is_a_bad_reply(server: ChatServer, provider: OpenAIProvider) -> None:
    server.models = {"hello": "world"}
    with pytest.raises(BadReply):
        await provider.list_models()


async def test_listing_with_a_wrong_key_says_so(server: ChatServer) -> None:
    provider = OpenAIProvider("acme", server.url, "wrong", key_variable="ACME_API_KEY")
    with pytest.raises(Unauthorized, match="ACME_API_KEY"):
        await provider.list_models()
    await provider.close()


async def test_only_a_server_known_to_count_is_asked_to(server: ChatServer, provider: OpenAIProvider) -> None:
    assert await provider.count(["a b"]) is None
    counting = OpenAIProvider("acme", server.url, KEY, can_count=True)
    assert await counting.count(["a b c", ""]) == [3, 0]
    await counting.close()


async def test_a_count_that_fails_is_none(server: ChatServer) -> None:
    wrong = OpenAIProvider("acme", server.url, "wrong", can_count=True)
    assert await wrong.count(["a"]) is None
    await wrong.close()


async def test_extra_options_go_with_every_request(server: ChatServer) -> None:
    provider = OpenAIProvider("acme", server.url, KEY, extra_body={"repeat_penalty": 1.1})
    await collect(provider)
    assert server.requests[0]["repeat_penalty"] == 1.1
    await provider.close()


async def test_the_key_shows_nowhere(provider: OpenAIProvider) -> None:
    await provider.warm()
    assert KEY not in repr(provider)
    assert KEY not in repr(vars(provider))
