"""A real HTTP server on loopback that speaks OpenAI's protocol, and misbehaves on demand.

    async with ChatServer() as server:
        server.queue(reply("Hello", delay_s=0.01), http_error(429, {"message": "slow down"}, {"Retry-After": "2"}))
        provider = OpenAIProvider("test", server.url, "key")
        ...
        assert server.exchanges[0].json["model"] == "m"
        await server.exchanges[0].gone.wait()      # the client hung up; `gone_at` says when (time.monotonic)

Each chat request takes the next `Behaviour` of the queue; when the queue is empty, `server.default` answers.
A behaviour is a head and a list of steps, so that tests can also write their own: `Behaviour((chunk("a"), Hang()))`.
`GET /v1/models` answers with `server.models`, `POST /tokenize` with one token for each word.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

STREAM_HEADERS: Mapping[str, str] = {"Content-Type": "text/event-stream; charset=utf-8"}
USAGE: Mapping[str, int] = {"prompt_tokens": 11, "completion_tokens": 7}


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


@dataclass(frozen=True, slots=True)
class Hang:
    """Say nothing more, and keep the line open until the client hangs up."""


@dataclass(frozen=True, slots=True)
class KeepAlives:
    """Comments for ever: signs of life, but no life."""

    every_s: float = 0.01
    line: bytes = b": keep-alive\n\n"


@dataclass(frozen=True, slots=True)
class Cut:
    """Break the connection without ending the answer."""


Step = bytes | Pause | Hang | KeepAlives | Cut


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How one chat request is answered: a head, then the steps, each of which is sent as it comes."""

    steps: tuple[Step, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: STREAM_HEADERS)
    before_head: tuple[Step, ...] = ()
    """Done before so much as the status line is sent."""


@dataclass(slots=True)
class Exchange:
    """One chat request and what became of it."""

    path: str
    headers: dict[str, str]
    json: Any
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client hangs up, during the answer or after it."""
    gone_at: float | None = None
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the whole answer was sent."""

    def mark_gone(self) -> None:
        if self.gone_at is None:
            self.gone_at = time.monotonic()
            self.gone.set()


# What servers send, piece by piece


def event(data: object, name: str = "") -> bytes:
    """One server-sent event. `data` is sent as JSON, or as it is when it is bytes."""
    payload = data if isinstance(data, bytes) else json.dumps(data).encode()
    return (f"event: {name}\n".encode() if name else b"") + b"data: " + payload + b"\n\n"


def chunk(text: str | None = None, *, finish: str | None = None, usage: object = None, **delta: object) -> bytes:
    """One chunk of a reply. Further keywords go into `delta` (`reasoning_content="…"`)."""
    choice: dict[str, object] = {"index": 0, "delta": delta, "finish_reason": finish}
    if text is not None:
        choice["delta"] = {"content": text, **delta}
    return event(_envelope([choice], usage))


def usage_chunk(usage: object = USAGE) -> bytes:
    """The last chunk of the reference: usage, and no choices."""
    return event(_envelope([], usage))


DONE = event(b"[DONE]")


def _envelope(choices: list[dict[str, object]], usage: object = None) -> dict[str, object]:
    body: dict[str, object] = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**body, "choices": choices, **({"usage": usage} if usage is not None else {})}


# Behaviours


def stream(*steps: Step) -> Behaviour:
    return Behaviour(steps)


def reply(
    text: str, *, delay_s: float = 0.0, first_delay_s: float = 0.0, piece_size: int = 4, finish: str = "stop"
) -> Behaviour:
    """A good answer, in pieces of `piece_size` characters."""
    pieces = [text[start : start + piece_size] for start in range(0, len(text), piece_size)]
    body: list[Step] = [Pause(first_delay_s)] if first_delay_s else []
    for piece in pieces:
        body += [chunk(piece), Pause(delay_s)] if delay_s else [chunk(piece)]
    return Behaviour((chunk("", role="assistant"), *body, chunk(finish=finish), usage_chunk(), DONE))


def http_error(status: int, error: object, headers: Mapping[str, str] | None = None) -> Behaviour:
    """`error` goes out as `{"error": error}`; bytes as they are."""
    body = error if isinstance(error, bytes) else json.dumps({"error": error}).encode()
    return Behaviour((body,), status, {"Content-Type": "application/json", **(headers or {})})


def json_200(body: object) -> Behaviour:
    """A server that doesn't stream."""
    return Behaviour((json.dumps(body).encode(),), headers={"Content-Type": "application/json"})


def login_page() -> Behaviour:
    """What a hotel's network answers."""
    page = b"<!doctype html><title>Welcome</title><form>Please log in</form>"
    return Behaviour((page,), headers={"Content-Type": "text/html"})


def empty_200() -> Behaviour:
    return Behaviour()


def no_done(text: str) -> Behaviour:
    """Ends well-formed, but without a finish and without `[DONE]`: Ollama when it fails midway."""
    return stream(chunk(text))


def cut_mid_chunk(text: str) -> Behaviour:
    """The connection breaks in the middle of an event."""
    return stream(chunk(text), chunk("lost")[:25], Cut())


def half_json(text: str) -> Behaviour:
    """A complete event whose JSON isn't."""
    return stream(chunk(text), event(b'{"choices": [{"delta": {"cont'))


def error_event(error: object, text: str = "") -> Behaviour:
    """`data: {"error": …}` in the middle, then the end: llama.cpp."""
    return stream(*([chunk(text)] if text else []), event({"error": error}))


def keep_alives_forever(text: str = "") -> Behaviour:
    return stream(*([chunk(text)] if text else []), KeepAlives())


def silence() -> Behaviour:
    """Takes the request and never answers."""
    return Behaviour(before_head=(Hang(),))


def hang_after(text: str) -> Behaviour:
    return stream(chunk(text), Hang())


class ChatServer:
    def __init__(self, *, key: str = "", models: Sequence[Mapping[str, object]] = ({"id": "m"},)) -> None:
        """`key`: refuse with 401 whoever doesn't send it."""
        self.key = key
        self.models: object = {"object": "list", "data": [dict(model) for model in models]}
        self.default = reply("Hello from the test server.")
        self.exchanges: list[Exchange] = []
        self.arrived = asyncio.Event()
        """Set when a chat request has arrived; clear it to wait for the next."""
        self._queue: deque[Behaviour] = deque()
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.Task[None]] = set()

    def queue(self, *behaviours: Behaviour) -> None:
        self._queue.extend(behaviours)

    @property
    def address(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def url(self) -> str:
        """What a provider calls its base URL."""
        return f"{self.address}/v1"

    @property
    def requests(self) -> list[Any]:
        """The bodies of all chat requests."""
        return [exchange.json for exchange in self.exchanges]

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._on_connection, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for line in [*self._lines]:
            line.cancel()
        await asyncio.gather(*self._lines, return_exceptions=True)

    async def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = asyncio.create_task(_Line(self, reader, writer).serve())
        self._lines.add(line)
        line.add_done_callback(self._lines.discard)

    def _next(self, exchange: Exchange) -> Behaviour:
        if self.key and exchange.headers.get("authorization") != f"Bearer {self.key}":
            return http_error(401, {"message": "Invalid API Key", "type": "authentication_error"})
        match exchange.path:
            case "/v1/models":
                return json_200(self.models)
            case "/tokenize":
                return json_200({"tokens": list(range(len(exchange.json["content"].split())))})
            case "/v1/chat/completions":
                self.exchanges.append(exchange)
                self.arrived.set()
                return self._queue.popleft() if self._queue else self.default
            case _:
                return http_error(404, {"message": "File Not Found", "type": "not_found_error"})


class _Line:
    """One connection, on which requests follow each other."""

    def __init__(self, server: ChatServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._server = server
        self._reader = reader
        self._writer = writer
        self._exchanges: list[Exchange] = []

    async def serve(self) -> None:
        try:
            while exchange := await self._read_request():
                self._exchanges.append(exchange)
                if not await self._answer_or_see_it_go(exchange, self._server._next(exchange)):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            for exchange in self._exchanges:
                exchange.mark_gone()
            self._writer.close()
            with contextlib.suppress(ConnectionError):
                await self._writer.wait_closed()

    async def _read_request(self) -> Exchange | None:
        try:
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        except asyncio.IncompleteReadError:
            return None
        first, *rest = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        body = await self._reader.readexactly(int(headers.get("content-length", 0)))
        return Exchange(first.split()[1], headers, json.loads(body) if body else None)

    async def _answer_or_see_it_go(self, exchange: Exchange, behaviour: Behaviour) -> bool:
        """Whether the line can be used again. A client sends nothing before the answer's end: if it reads, it left."""
        answering = asyncio.create_task(self._answer(behaviour))
        leaving = asyncio.create_task(self._reader.read(1))
        try:
            await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
            if leaving.done() and not answering.done():
                return False
            exchange.answered.set()
            return await answering
        finally:
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)

    async def _answer(self, behaviour: Behaviour) -> bool:
        if not await self._play(behaviour.before_head):
            return False
        head = f"HTTP/1.1 {behaviour.status} Whatever\r\nTransfer-Encoding: chunked\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in behaviour.headers.items())
        self._writer.write(head.encode() + b"\r\n")
        if not await self._play(behaviour.steps):
            return False
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()
        return True

    async def _play(self, steps: Iterable[Step]) -> bool:
        """Whether the answer goes on after these steps."""
        for step in steps:
            match step:
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case Hang():
                    await asyncio.get_running_loop().create_future()
                case KeepAlives(every_s, line):
                    while True:
                        await self._send(line)
                        await asyncio.sleep(every_s)
                case Cut():
                    self._writer.transport.abort()
                    return False
                case bytes() if step:
                    await self._send(step)
        return True

    async def _send(self, part: bytes) -> None:
        self._writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        await self._writer.drain()
