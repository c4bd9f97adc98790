"""Knocks at the addresses where local model servers usually listen, all at once, and believes only a list of models.

The standard library does it, in threads: proxies play no part, and starting the program costs no import of the SDK.
Every knock is given up on time, whatever answers. It never raises.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urlsplit

from lingque_tui.providers.listing import read_models

_LONGEST_BODY = 1 << 20
_BODY_S = 2.0
_KIND_BY_OWNER = {"llamacpp": "llamacpp", "vllm": "vllm", "library": "ollama", "organization_owner": "lmstudio"}
"""What servers write into `owned_by`, which tells them apart wherever they listen."""
_NOT_A_SERVER = (OSError, ValueError, OverflowError, RecursionError, HTTPException)
"""No connection or none in time, cut off, not HTTP, not JSON, not even a port."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    kind: str
    address: str
    """Without `/v1` and without a slash at the end."""
    models: tuple[str, ...]


async def find_servers(places: Iterable[tuple[str, str]], within_s: float) -> tuple[FoundServer, ...]:
    """Those that answer among `places`, pairs of the kind expected and the address."""
    addresses: dict[str, str] = {}
    for kind, address in places:
        if address:
            addresses.setdefault(address.rstrip("/").removesuffix("/v1"), kind)
    knocks = [_knock(kind, address, within_s) for address, kind in addresses.items()]
    return tuple(server for server in await asyncio.gather(*knocks) if server is not None)


def ollama_address(host: str) -> str:
    """`OLLAMA_HOST` as an address: it may lack scheme, port or host, and name what to bind to rather than to call."""
    url = urlsplit(host if "://" in host else f"http://{host}")
    name = url.hostname or "127.0.0.1"
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(name, f"[{name}]" if ":" in name else name)
    default = {"http": 80, "https": 443}[url.scheme] if "://" in host else 11434
    return f"{url.scheme}://{name}:{url.port or default}"


async def _knock(kind: str, address: str, within_s: float) -> FoundServer | None:
    try:
        line = _line(address, within_s)
        try:
            async with asyncio.timeout(within_s):
                payload = json.loads(await asyncio.to_thread(_get, line, f"{urlsplit(address).path}/v1/models"))
        finally:
            _hang_up(line)
    except _NOT_A_SERVER:
        return None
    models = read_models(kind, payload)
    if models is None:
        return None
    return FoundServer(_recognise(payload, kind), address, tuple(model.name for model in models))


def _line(address: str, within_s: float) -> HTTPConnection:
    parts = urlsplit(address)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    return kind(parts.hostname or "127.0.0.1", parts.port, timeout=within_s)


def _get(line: HTTPConnection, path: str) -> bytes:
    with contextlib.closing(line):
        line.request("GET", path, headers={"Accept": "application/json", "Connection": "close"})
        with line.getresponse() as answer:
            if answer.status != 200:
                raise ValueError(answer.status)
            return _read(answer, time.monotonic() + _BODY_S)


def _read(answer: HTTPResponse, deadline: float) -> bytes:
    """The body, as much of it as comes in time: once an answer has begun, nobody can hang up for it any more."""
    body = b""
    while len(body) < _LONGEST_BODY and time.monotonic() < deadline and (piece := answer.read1(1 << 16)):
        body += piece
    return body


def _hang_up(line: HTTPConnection) -> None:
    """End the wait of a thread that nobody waits for any more: a server that trickles would keep it for ever."""
    sock = line.sock
    if isinstance(sock, socket.socket):
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


def _recognise(payload: object, expected: str) -> str:
    rows = payload.get("data") if isinstance(payload, Mapping) else payload
    owners = {str(row.get("owned_by")) for row in rows if isinstance(row, Mapping)} if isinstance(rows, list) else set()
    return next((kind for owner, kind in _KIND_BY_OWNER.items() if owner in owners), expected)
