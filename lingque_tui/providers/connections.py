"""Everybody we could talk to, and how: found in the config, the environment, saved keys, on this machine.

Finding is cheap and imports nothing heavy; only `open_provider` makes something that talks.
Where the same name turns up twice, the first counts: what a person wrote down goes before what was found.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, assert_never

from lingque_tui.config.schema import Config, Discovery
from lingque_tui.domain.errors import NoModel
from lingque_tui.domain.ports import Provider
from lingque_tui.i18n import t
from lingque_tui.providers.discovery import find_servers, ollama_address
from lingque_tui.providers.local import LocalProvider, can_run_local, find_weights
from lingque_tui.providers.local_process import LocalModel
from lingque_tui.providers.openai import OpenAIProvider
from lingque_tui.providers.presets import PRESETS, Preset, find_preset
from lingque_tui.providers.scripted import ScriptedProvider

Kind = Literal["openai", "local", "scripted"]
Origin = Literal["environment", "config", "credentials", "discovered", "embedded"]

_TITLES = {"ollama": "Ollama", "lmstudio": "LM Studio", "llamacpp": "llama.cpp", "vllm": "vLLM"}


@dataclass(frozen=True, slots=True)
class Connection:
    name: str
    title: str
    kind: Kind
    base_url: str = ""
    """For the embedded and the scripted provider: the file that it plays."""
    key: str = field(default="", repr=False)
    key_variable: str = ""
    models: tuple[str, ...] = ()
    """Suggestions, or what the server listed when it was found."""
    origin: Origin = "config"
    can_count: bool = False
    """It is llama.cpp, whose tokenizer can be asked."""


def find_connections(
    config: Config, environment: Mapping[str, str], credentials: Mapping[str, str]
) -> tuple[Connection, ...]:
    """All that need no knocking. `credentials`: keys saved by the set-up screen, by the service's name."""
    found = [
        *_from_config(config, environment, credentials),
        *_hosted(environment, credentials),
        *_custom(environment, credentials),
        *_embedded(config),
        *_scripted(environment),
    ]
    return tuple({connection.name: connection for connection in reversed(found)}.values())[::-1]


async def discover_servers(
    discovery: Discovery, environment: Mapping[str, str], within_s: float = 0.4
) -> tuple[Connection, ...]:
    """Model servers that answer on this machine within `within_s` seconds. Never raises."""
    if not discovery.enabled:
        return ()
    places = {kind: getattr(discovery, kind) for kind in _TITLES}
    if host := environment.get("OLLAMA_HOST", "").strip():
        with contextlib.suppress(ValueError, KeyError):  # not an address at all; the usual one may still answer
            places["ollama"] = ollama_address(host)
    connections: list[Connection] = []
    for server in await find_servers(places.items(), within_s):
        namesakes = sum(connection.title == _TITLES[server.kind] for connection in connections)
        connections.append(
            Connection(
                name=f"{server.kind}-{namesakes + 1}" if namesakes else server.kind,
                title=_TITLES[server.kind],
                kind="openai",
                base_url=f"{server.address}/v1",
                models=server.models,
                origin="discovered",
                can_count=server.kind == "llamacpp",
            )
        )
    return tuple(connections)


def open_provider(connection: Connection, config: Config) -> Provider:
    match connection.kind:
        case "openai":
            return OpenAIProvider(
                connection.name,
                connection.base_url,
                connection.key,
                key_variable=connection.key_variable,
                stall_seconds=config.chat.stall_seconds,
                can_count=connection.can_count,
            )
        case "local":
            if not connection.base_url:
                raise NoModel(provider=connection.name)
            local = config.local
            path = Path(connection.base_url)
            return LocalProvider(path, local.window, local.threads, stall_seconds=config.chat.stall_seconds)
        case "scripted":
            return ScriptedProvider.from_file(Path(connection.base_url))
        case _:
            assert_never(connection.kind)


def split_ref(ref: str) -> tuple[str, str]:
    """`deepseek/deepseek-chat` into provider and model. Models may contain slashes; a bare name has no model."""
    provider, _, model = ref.partition("/")
    return provider, model


def _from_config(
    config: Config, environment: Mapping[str, str], credentials: Mapping[str, str]
) -> Iterator[Connection]:
    for name, settings in config.providers.items():
        preset = find_preset(name)
        variables = (settings.api_key_env,) if settings.api_key_env else preset.key_variables if preset else ()
        variable = _first_set(variables, environment)
        yield Connection(
            name=name,
            title=preset.title if preset else name,
            kind="openai",
            base_url=settings.base_url,
            key=environment.get(variable, "").strip() or credentials.get(name, ""),
            key_variable=variable,
            models=settings.models or (preset.models if preset else ()),
            origin="config",
        )


def _hosted(environment: Mapping[str, str], credentials: Mapping[str, str]) -> Iterator[Connection]:
    for preset in PRESETS:
        variable = _first_set(preset.key_variables, environment)
        if key := environment.get(variable, "").strip():
            yield _from_preset(preset, environment, key, variable, "environment")
        elif key := credentials.get(preset.name, ""):
            yield _from_preset(preset, environment, key, variable, "credentials")


def _from_preset(preset: Preset, environment: Mapping[str, str], key: str, variable: str, origin: Origin) -> Connection:
    return Connection(
        name=preset.name,
        title=preset.title,
        kind="openai",
        base_url=environment.get(preset.base_url_variable, "").strip() or preset.base_url,
        key=key,
        key_variable=variable,
        models=preset.models,
        origin=origin,
    )


def _custom(environment: Mapping[str, str], credentials: Mapping[str, str]) -> Iterator[Connection]:
    if base_url := environment.get("LINGQUE_BASE_URL", "").strip():
        yield Connection(
            name="custom",
            title=t("provider.title.custom"),
            kind="openai",
            base_url=base_url,
            key=environment.get("LINGQUE_API_KEY", "").strip() or credentials.get("custom", ""),
            key_variable="LINGQUE_API_KEY",
            origin="environment",
        )


def _embedded(config: Config) -> Iterator[Connection]:
    weights = find_weights(config.local.model_path)
    if weights is not None and can_run_local():
        model = LocalModel(weights, config.local.window)
        title = t("provider.title.local")
        yield Connection("local", title, "local", base_url=str(weights), models=(model.name,), origin="embedded")


def _scripted(environment: Mapping[str, str]) -> Iterator[Connection]:
    if path := environment.get("LINGQUE_SCRIPTED", "").strip():
        title = t("provider.title.scripted")
        yield Connection("scripted", title, "scripted", base_url=path, models=("scripted",), origin="environment")


def _first_set(variables: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """The first variable that holds anything, else the first: the one to name when the key is missing."""
    return next((name for name in variables if environment.get(name, "").strip()), next(iter(variables), ""))
