"""Who can be talked to: every connection found, each provider opened once, closed at the end.

Nothing is ever sent to a hosted service that the person has not chosen: `auto` means the last model used,
else the embedded one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from lingque_tui.config.models import describe_model
from lingque_tui.config.schema import Config
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import LingqueError, NoModel, UnknownProvider
from lingque_tui.domain.ports import ModelInfo, Provider
from lingque_tui.providers.connections import (
    Connection,
    discover_servers,
    find_connections,
    open_provider,
    split_ref,
)

_LIST_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class Choice:
    """A provider and one of its models."""

    provider: Provider
    model: str
    config: Config
    asks_server: bool = False
    """The server knows its own window better than any table: local servers, custom addresses."""

    @property
    def ref(self) -> str:
        return f"{self.provider.name}/{self.model}"

    async def describe(self) -> ModelInfo:
        """Window and prices. Never raises: what can't be found out is unknown."""
        reported = await self._reported() if self.asks_server else None
        return await asyncio.to_thread(describe_model, self.provider.name, self.model, self.config.models, reported)

    async def _reported(self) -> ModelInfo | None:
        try:
            async with asyncio.timeout(_LIST_TIMEOUT_S):
                models = await self.provider.list_models()
        except (LingqueError, TimeoutError):
            return None
        return next((info for info in models if info.name == self.model), None)


@dataclass(frozen=True, slots=True)
class Offer:
    """What one connection has to offer, for the picker. `error` says why it offers nothing."""

    connection: Connection
    models: tuple[ModelInfo, ...]
    error: LingqueError | None = None


class Switchboard:
    def __init__(self, config: Config, environment: Mapping[str, str], credentials: Mapping[str, str]) -> None:
        self._config = config
        self._environment = environment
        self._found = find_connections(config, environment, credentials)
        self._discovered: tuple[Connection, ...] = ()
        self._providers: dict[str, Provider] = {}
        self._retired: list[Provider] = []

    @property
    def connections(self) -> tuple[Connection, ...]:
        names = {connection.name for connection in self._found}
        return self._found + tuple(found for found in self._discovered if found.name not in names)

    def refresh(self, credentials: Mapping[str, str]) -> None:
        """Look again, after the person connected something."""
        before, self._found = self._found, find_connections(self._config, self._environment, credentials)
        for connection in set(before) - set(self._found):
            if provider := self._providers.pop(connection.name, None):
                self._retired.append(provider)  # a reply may still come from it

    async def discover(self) -> tuple[Connection, ...]:
        """Local servers that answer. Takes a fraction of a second, never raises."""
        if self._config.discovery.enabled:
            self._discovered = await discover_servers(self._config.discovery, self._environment)
        return self._discovered

    def choose(self, ref: str, last_used: str = "") -> Choice:
        """Raises `NoModel` or `UnknownProvider`."""
        if ref in ("", "auto"):
            return self._choose_by_itself(last_used)
        name, model = split_ref(clean_line(ref))
        connection = self._named(name)
        if connection is None:
            known = ", ".join(found.name for found in self.connections) or "–"
            raise UnknownProvider(provider=clean_line(name, 40), known=known)
        return self._choice(connection, model)

    async def offers(self) -> tuple[Offer, ...]:
        """Everything that can be reached, asked side by side."""
        return tuple(await asyncio.gather(*map(self._offer, self.connections)))

    def provider(self, connection: Connection) -> Provider:
        if connection.name not in self._providers:
            self._providers[connection.name] = open_provider(connection, self._config)
        return self._providers[connection.name]

    async def close(self) -> None:
        providers = [*self._providers.values(), *self._retired]
        self._providers, self._retired = {}, []
        await asyncio.gather(*(provider.close() for provider in providers), return_exceptions=True)

    def _choose_by_itself(self, last_used: str) -> Choice:
        if last_used:
            name, model = split_ref(last_used)
            if connection := self._named(name):
                return self._choice(connection, model)
        for kind in ("scripted", "local"):
            for connection in self.connections:
                if connection.kind == kind:
                    return self._choice(connection, "")
        raise NoModel(provider="", detail="")

    def _named(self, name: str) -> Connection | None:
        return next((found for found in self.connections if found.name == name), None)

    def _choice(self, connection: Connection, model: str) -> Choice:
        model = model or next(iter(connection.models), "")
        if not model:
            raise NoModel(provider=connection.name, detail="")
        asks = connection.origin in ("discovered", "embedded", "config") or connection.name in ("custom", "scripted")
        return Choice(self.provider(connection), model, self._config, asks_server=asks)

    async def _offer(self, connection: Connection) -> Offer:
        listed: tuple[ModelInfo, ...] = ()
        failure: LingqueError | None = None
        try:
            async with asyncio.timeout(_LIST_TIMEOUT_S):
                listed = await self.provider(connection).list_models()
        except LingqueError as error:
            failure = error
        except TimeoutError:
            pass
        suggested = (ModelInfo(connection.name, model) for model in connection.models)
        # Each once, whatever a server repeats; what it says of a model goes before our suggestion.
        models = {info.name: info for info in (*suggested, *listed)}
        return Offer(connection, await asyncio.to_thread(self._describe, tuple(models.values())), failure)

    def _describe(self, models: tuple[ModelInfo, ...]) -> tuple[ModelInfo, ...]:
        return tuple(describe_model(info.provider, info.name, self._config.models, info) for info in models)
