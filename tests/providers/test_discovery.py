"""Local servers are found by what they answer, in little time, whatever else listens there."""

from __future__ import annotations

import asyncio
import time

import msgspec
import pytest

from lingque_tui.config.schema import Discovery
from lingque_tui.providers.connections import discover_servers
from lingque_tui.providers.discovery import ollama_address
from tests.support.chat_server import ChatServer

NOBODY = "http://127.0.0.1:9"
ALONE = Discovery(ollama=NOBODY, lmstudio=NOBODY, llamacpp=NOBODY, vllm=NOBODY)


async def test_a_server_is_found_with_its_models() -> None:
    async with ChatServer(models=[{"id": "qwen3:8b", "owned_by": "library"}, {"id": "你好"}]) as server:
        (connection,) = await discover_servers(msgspec.structs.replace(ALONE, ollama=server.address), {})
        assert (connection.name, connection.title, connection.origin) == ("ollama", "Ollama", "discovered")
        assert (connection.base_url, connection.models) == (server.url, ("qwen3:8b", "你好"))
        assert connection.key == ""


async def test_a_server_is_recognised_by_its_answer_not_by_its_port() -> None:
    async with ChatServer(models=[{"id": "m", "owned_by": "llamacpp"}]) as server:
        (connection,) = await discover_servers(msgspec.structs.replace(ALONE, vllm=server.address), {})
    assert (connection.name, connection.can_count) == ("llamacpp", True)


async def test_two_of_a_kind_get_different_names() -> None:
    rows = [{"id": "m", "owned_by": "vllm"}]
    async with ChatServer(models=rows) as one, ChatServer(models=rows) as two:
        places = msgspec.structs.replace(ALONE, vllm=one.address, llamacpp=two.address)
        found = await discover_servers(places, {})
    assert {connection.name for connection in found} == {"vllm", "vllm-2"}


async def test_one_address_named_twice_is_one_server() -> None:
    async with ChatServer() as server:
        places = msgspec.structs.replace(ALONE, lmstudio=server.address, vllm=server.address + "/v1/")
        assert [connection.name for connection in await discover_servers(places, {})] == ["lmstudio"]


async def test_proxies_play_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", NOBODY)
    monkeypatch.setenv("http_proxy", NOBODY)
    async with ChatServer() as server:
        assert await discover_servers(msgspec.structs.replace(ALONE, vllm=server.address), {})


async def test_ollama_host_is_asked_instead_of_the_usual_place() -> None:
    async with ChatServer() as server:
        host = server.address.removeprefix("http://")
        (connection,) = await discover_servers(ALONE, {"OLLAMA_HOST": host})
    assert connection.name == "ollama"


async def test_switched_off_nobody_is_asked() -> None:
    async with ChatServer() as server:
        places = msgspec.structs.replace(ALONE, vllm=server.address, enabled=False)
        assert await discover_servers(places, {}) == ()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"rubbish",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n<html>a router</html>",
        b"HTTP/1.1 200 OK\r\n\r\n{}",
        b"HTTP/1.1 404 Not Found\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n{}",
        b"HTTP/1.1 200 OK\r\n" + b"X" * 200_000,
        b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 100_000,
        b"HTTP/1.1 200 OK\r\n\r\n\xff\xfe",
    ],
)
async def test_whatever_else_answers_is_no_server(answer: bytes) -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(respond, "127.0.0.1", 0) as other:
        address = f"http://127.0.0.1:{other.sockets[0].getsockname()[1]}"
        assert await discover_servers(msgspec.structs.replace(ALONE, vllm=address), {}) == ()


async def test_silence_costs_no_more_than_the_time_given() -> None:
    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not reader.at_eof():
                writer.write(b"H")
                await reader.read(1)
                await asyncio.sleep(0.01)
        finally:
            writer.close()

    async with await asyncio.start_server(trickle, "127.0.0.1", 0) as slow:
        address = f"http://127.0.0.1:{slow.sockets[0].getsockname()[1]}"
        places = Discovery(ollama=address, lmstudio=address + "/a", llamacpp=address + "/b", vllm=address + "/c")
        started = time.monotonic()
        assert await discover_servers(places, {}, within_s=0.2) == ()
        assert time.monotonic() - started < 0.6


@pytest.mark.parametrize("address", ["", "nonsense", "http://", "http://127.0.0.1:99999", "http://[::", "ftp://x:1"])
async def test_an_address_that_is_none_finds_nobody(address: str) -> None:
    assert await discover_servers(msgspec.structs.replace(ALONE, vllm=address), {"OLLAMA_HOST": address}) == ()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:1234", "http://127.0.0.1:1234"),
        (":1234", "http://127.0.0.1:1234"),
        ("192.168.1.5", "http://192.168.1.5:11434"),
        ("http://box:5000", "http://box:5000"),
        ("http://box", "http://box:80"),
        ("https://box", "https://box:443"),
        ("[::]:1234", "http://[::1]:1234"),
    ],
)
def test_ollamas_ways_to_name_a_host_are_understood(host: str, expected: str) -> None:
    assert ollama_address(host) == expected
