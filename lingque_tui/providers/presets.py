"""Hosted services as data. The models are suggestions for a first choice; the service's own list is the truth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    name: str
    title: str
    base_url: str
    key_variables: tuple[str, ...]
    """Environment variables that may hold the key; the first one set is used."""
    models: tuple[str, ...]
    base_url_variable: str = ""
    """Environment variable that moves the service elsewhere, for instance behind a gateway."""


PRESETS: tuple[Preset, ...] = (
    Preset(
        name="openai",
        title="OpenAI",
        base_url="https://api.openai.com/v1",
        key_variables=("OPENAI_API_KEY",),
        models=("gpt-5.4", "gpt-5.4-mini", "gpt-4.1", "gpt-4o"),
        base_url_variable="OPENAI_BASE_URL",
    ),
    Preset(
        name="deepseek",
        title="DeepSeek",
        base_url="https://api.deepseek.com/v1",
        key_variables=("DEEPSEEK_API_KEY",),
        models=("deepseek-chat", "deepseek-reasoner"),
    ),
    Preset(
        name="zhipu",
        title="智谱 GLM",
        base_url="https://open.bigmodel.cn/api/paas/v4",
        key_variables=("ZHIPUAI_API_KEY",),
        models=("glm-5", "glm-4.7", "glm-4.5-air"),
    ),
    # The same company abroad: the models are the same, keys and address are not.
    Preset(
        name="zai",
        title="Z.ai GLM",
        base_url="https://api.z.ai/api/paas/v4",
        key_variables=("ZAI_API_KEY",),
        models=("glm-5", "glm-4.7", "glm-4.5-air"),
    ),
    Preset(
        name="dashscope",
        title="通义千问 Qwen",
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        key_variables=("DASHSCOPE_API_KEY",),
        models=("qwen-max", "qwen-plus", "qwen-turbo"),
    ),
    Preset(
        name="moonshot",
        title="月之暗面 Kimi",
        base_url="https://api.moonshot.cn/v1",
        key_variables=("MOONSHOT_API_KEY",),
        models=("kimi-k2.5", "kimi-k2-thinking", "moonshot-v1-32k"),
    ),
    Preset(
        name="openrouter",
        title="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        key_variables=("OPENROUTER_API_KEY",),
        models=("deepseek/deepseek-v3.2", "qwen/qwen3-max", "openai/gpt-5-mini"),
    ),
)


def find_preset(name: str) -> Preset | None:
    return next((preset for preset in PRESETS if preset.name == name), None)
