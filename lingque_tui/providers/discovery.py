"""Knocks at the addresses where local model servers usually listen, all at once, and believes only a list of models.

It is done with asyncio's own streams: proxies play no part, every knock can be given up on time, whatever answers,
and starting the program costs neither the SDK's import nor a thread. It never raises.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.client import HTTPException, parse_headers
from urllib.parse import urlsplit

from lingque_tui.providers.listing import read_models

_LONGEST_BODY = 1 << 20
_KIND_BY_OWNER = {"llamacpp": "llamacpp", "vllm": "vllm", "library": "ollama", "organization_owner": "lmstudio"}
"""What servers write into `owned_by`, which tells them apart wherever they listen."""
_NOT_A_SERVER = (OSError, EOFError, ValueError, OverflowError, RecursionError, HTTPException, asyncio.LimitOverrunError)
"""No connection or none in time, cut off, not HTTP, not JSON, not even a port."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    kind: str
    address: str
    """Without `/v1` and without a slash at the end."""
    models: tuple[str, ...]


async def find_servers(places: Iterable[tuple[str, str]], within_s: float) -> tuple[FoundServer, ...]:
    """Those that answer among `places`, pairs of the kind expected and the address."""
    addresses = {address.rstrip("/").removesuffix("/v1"): kind for kind, address in reversed([*places]) if address}
    knocks = [_knock(kind, address, within_s) for address, kind in reversed(addresses.items())]
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
        async with asyncio.timeout(within_s):
            payload = json.loads(await _get(f"{address}/v1/models"))
    except _NOT_A_SERVER:
        return None
    models = read_models(kind, payload)
    if models is None:
        return None
    return FoundServer(_recognise(payload, kind), address, tuple(model.name for model in models))


async def _get(url: str) -> bytes:
    """The body of a 200. HTTP/1.0, so that nobody answers in chunks or keeps the line open."""
    parts = urlsplit(url)
    is_secure = parts.scheme == "https"
    host, port = parts.hostname or "", parts.port or (443 if is_secure else 80)
    reader, writer = await asyncio.open_connection(host, port, ssl=is_secure or None, limit=1 << 16)
    try:
        writer.write(f"GET {parts.path} HTTP/1.0\r\nHost: {parts.netloc}\r\nAccept: application/json\r\n\r\n".encode())
        status = await reader.readline()
        if status.split()[1:2] != [b"200"]:
            raise ValueError("not a 200")
        headers = parse_headers(io.BytesIO(await reader.readuntil(b"\r\n\r\n")))
        length = headers.get("Content-Length")
        return await (reader.readexactly(min(int(length), _LONGEST_BODY)) if length else _read_all(reader))
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _read_all(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while len(body) < _LONGEST_BODY and (piece := await reader.read(1 << 16)):
        body += piece
    return body


def _recognise(payload: object, expected: str) -> str:
    rows = payload.get("data") if isinstance(payload, Mapping) else payload
    owners = {str(row.get("owned_by")) for row in rows if isinstance(row, Mapping)} if isinstance(rows, list) else set()
    return next((kind for owner, kind in _KIND_BY_OWNER.items() if owner in owners), expected)
