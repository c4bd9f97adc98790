"""Makes the SDK's client. Importing the SDK takes about a second, so this happens in a thread, on first use.

The SDK reads OPENAI_* variables by itself. Here they are told to nobody but OpenAI: the key is always the one given,
and organisation and project don't travel to other companies' servers.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_CONNECT_S = 10.0
_OPENAI_HOST = "api.openai.com"
_NO_KEY = "none"
"""The SDK insists on a key. Where there is none, this one is taken off again before the request leaves."""


def make_client(base_url: str, key: str) -> AsyncOpenAI:
    import openai

    host = _host(base_url)
    headers: dict[str, Any] = {"Authorization": f"Bearer {key or _NO_KEY}"}
    if host != _OPENAI_HOST:
        headers |= {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
    client = openai.AsyncOpenAI(
        base_url=base_url,
        api_key=key or _NO_KEY,
        max_retries=0,  # the engine retries, in one place, where a person sees it
        # Reads are watched by the provider: a time limit per read is defeated by keep-alive comments.
        timeout=openai.Timeout(None, connect=_CONNECT_S, write=60.0, pool=_CONNECT_S),
        default_headers=headers,
        http_client=openai.DefaultAsyncHttpxClient(
            trust_env=not _is_loopback(host),  # a proxy can't reach our own loopback
            event_hooks={"request": [] if key else [_without_authorization]},
        ),
    )
    _ = client.chat.completions  # imported by the SDK on first touch, and not cheap
    return client


async def _without_authorization(request: Any) -> None:
    del request.headers["Authorization"]


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
