"""Any server that speaks OpenAI's protocol, hosted or on this machine.

It refuses to believe that a connection is a reply. A login page, JSON instead of a stream, keep-alive comments for
ever, an error in the middle: each becomes a `ProviderError`. A stream that just ends is passed on as it is, without
a `FinishPiece`. It never retries; that is the engine's, where a person can see it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lingque_tui.domain.errors import BadReply, ProviderError, Stalled, Unauthorized
from lingque_tui.domain.ports import ChatRequest, ModelInfo, Piece
from lingque_tui.i18n import t
from lingque_tui.providers.chunks import ChunkReader
from lingque_tui.providers.dialect import Dialect
from lingque_tui.providers.errors import Target, error_from_event, error_from_finish, to_provider_error
from lingque_tui.providers.listing import read_models
from lingque_tui.providers.sdk import make_client

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk

_LISTING_S = 10.0
_AFTER_FINISH_S = 2.0
"""How long to wait for usage once the model has said that it is done; some servers never hang up."""


class OpenAIProvider:
    def __init__(
        self,
        name: str,
        base_url: str,
        key: str = "",
        *,
        key_variable: str = "",
        stall_seconds: float = 120.0,
        can_count: bool = False,
        extra_body: Mapping[str, object] | None = None,
    ) -> None:
        """`can_count`: the server is llama.cpp and has `/tokenize`. `extra_body`: options of its own, always sent."""
        self._target = Target(provider=name, url=base_url, variable=key_variable, key=key)
        self._stall_seconds = stall_seconds
        self._can_count = can_count
        self._extra_body = dict(extra_body or {})
        self._dialect = Dialect()
        self._client: AsyncOpenAI | None = None
        self._making = asyncio.Lock()

    @property
    def name(self) -> str:
        return self._target.provider

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        target = replace(self._target, model=request.model)
        reader = ChunkReader()
        try:
            async with await self._open(request) as answer:
                await self._expect_stream(answer, target)
                chunks = aiter(answer)
                while (pieces := await self._next(chunks, reader)) is not None:
                    for piece in pieces:
                        yield piece
                    if reader.error is not None:
                        raise error_from_event(reader.error, target)
            if not reader.chunk_count:
                raise BadReply(provider=self.name, detail=t("provider.detail.empty"))
        except Exception as problem:
            for piece in reader.flush():
                yield piece
            # Once the model has said that it is done, nothing that happens to the connection can spoil the reply.
            if not reader.finish_reason:
                if isinstance(problem, ProviderError):
                    raise
                raise to_provider_error(problem, target, started=reader.chunk_count > 0) from problem
        for piece in reader.flush():
            yield piece
        if error := error_from_finish(reader.finish_reason, target):
            raise error
        for piece in reader.ending():
            yield piece

    async def list_models(self) -> tuple[ModelInfo, ...]:
        try:
            client = await self._connect()
            async with self._patience(_LISTING_S):
                payload = await client.get("/models", cast_to=object)
        except ProviderError:
            raise
        except Exception as problem:
            raise to_provider_error(problem, self._target) from problem
        models = read_models(self.name, payload)
        if models is None:
            raise BadReply(provider=self.name, detail=t("provider.detail.no_list"))
        return models

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        if not self._can_count:
            return None
        url = self._target.url.rstrip("/").removesuffix("/v1") + "/tokenize"
        try:
            client = await self._connect()
            async with asyncio.timeout(_LISTING_S):
                answers = [await client.post(url, cast_to=object, body={"content": text}) for text in texts]
            return [_token_count(answer) for answer in answers]
        except Exception:  # a count is a courtesy: whoever asked has an estimate to fall back on
            return None

    async def warm(self) -> None:
        with contextlib.suppress(Exception):
            await self._connect()

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _connect(self) -> AsyncOpenAI:
        target = self._target
        if not (target.key.isascii() and target.key.isprintable()):  # pasted wrongly; no header can carry it
            raise Unauthorized(provider=self.name, variable=target.variable or t("provider.detail.the_key"))
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(make_client, target.url, target.key)
            return self._client

    async def _open(self, request: ChatRequest) -> AsyncStream[ChatCompletionChunk]:
        """Send the request, again where the server refused an option it can do without."""
        client = await self._connect()
        import openai

        while True:
            arguments = self._dialect.arguments(request)
            try:
                async with self._patience(self._stall_seconds):
                    answer: AsyncStream[ChatCompletionChunk] = await client.chat.completions.create(
                        **arguments, extra_body=self._extra_body or None
                    )
                    return answer
            except openai.APIStatusError as refusal:
                body = json.dumps(refusal.body, ensure_ascii=False, default=str)
                if not self._dialect.learn(request, refusal.status_code, body):
                    raise

    async def _expect_stream(self, answer: AsyncStream[ChatCompletionChunk], target: Target) -> None:
        """A proxy's login page and a server that doesn't stream both answer 200."""
        kind = answer.response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json":
            async with self._patience(self._stall_seconds):
                body = json.loads(await answer.response.aread())
            if isinstance(body, Mapping) and body.get("error"):
                raise error_from_event(body["error"], target)
        if kind in ("application/json", "text/html"):
            raise BadReply(provider=self.name, detail=t("provider.detail.not_a_stream", kind=kind))

    async def _next(self, chunks: AsyncIterator[ChatCompletionChunk], reader: ChunkReader) -> list[Piece] | None:
        """The pieces of the next chunk that says anything. Chunks that don't are no reason to wait longer."""
        async with self._patience(_AFTER_FINISH_S if reader.finish_reason else self._stall_seconds):
            async for chunk in chunks:
                pieces = reader.read(chunk)
                if pieces is not None:
                    return pieces
        return None

    @contextlib.asynccontextmanager
    async def _patience(self, seconds: float) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError as problem:
            raise Stalled(provider=self.name, seconds=f"{seconds:g}") from problem


def _token_count(answer: Any) -> int:
    tokens = answer["tokens"]
    if not isinstance(tokens, list):
        raise TypeError("tokens")
    return len(tokens)
