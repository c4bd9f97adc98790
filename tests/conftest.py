"""What holds for every test: no network beyond this machine, no key of the person's, a home of its own, English."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lingque_tui import i18n

_SYSTEM_CONNECT = socket.socket.connect
_SYSTEM_CONNECT_EX = socket.socket.connect_ex
_SYSTEM_LOOKUP = socket.getaddrinfo


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", _connect)
    monkeypatch.setattr(socket.socket, "connect_ex", _connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", _look_up)


@pytest.fixture(autouse=True)
def home_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in [name for name in os.environ if name.startswith("LINGQUE_") or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("LINGQUE_HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    i18n.use("en")
    yield
    i18n.use("en")


def _connect(self: socket.socket, address: Any) -> None:
    _refuse_strangers(self, address)
    _SYSTEM_CONNECT(self, address)


def _connect_ex(self: socket.socket, address: Any) -> int:
    _refuse_strangers(self, address)
    return _SYSTEM_CONNECT_EX(self, address)


def _refuse_strangers(connecting: socket.socket, address: Any) -> None:
    if connecting.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address[0]):
        raise ConnectionRefusedError(f"a test tried to reach {address}")


def _look_up(host: Any, *rest: Any, **options: Any) -> Any:
    name = host.decode() if isinstance(host, bytes) else host
    if name not in (None, "", "localhost") and not _is_loopback(name):
        raise socket.gaierror(socket.EAI_NONAME, f"a test tried to look up {name}")
    return _SYSTEM_LOOKUP(host, *rest, **options)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
