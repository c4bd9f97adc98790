"""Which vocabulary a model counts with, told from its name alone.

A wrong vocabulary looks exact and isn't, so this refuses to guess: a name that no row recognises (Claude, Gemini,
SmolLM, Llama 4, …) gives None, and the caller shows an estimate that is marked as one.
"""

from __future__ import annotations

import re
from functools import cache

BUNDLED = (
    "cl100k_base",
    "codellama",
    "deepseek_v3",
    "glm4",
    "gpt_oss",
    "kimi_k2",
    "llama2",
    "llama3",
    "mistral_v2",
    "mistral_v3",
    "o200k_base",
    "olmo2",
    "phi4",
    "qwen3",
)
"""Those that come with the program: no download, no failure."""


@cache
def vocabulary_for(model: str) -> str | None:
    """The vocabulary of `model`, which may carry prefixes and a tag, as in `openrouter/qwen/qwen3-32b:free`."""
    name = _bare(model)
    if name in BUNDLED:
        return name
    return next((vocabulary for pattern, vocabulary in _FAMILIES if pattern.search(name)), None)


def _bare(model: str) -> str:
    """The model's own name. The tag stays: with Ollama it alone tells a distilled model from its teacher."""
    return model.strip().lower().rpartition("/")[2].removeprefix("ft:")


def _family(pattern: str, vocabulary: str | None) -> tuple[re.Pattern[str], str | None]:
    """Looked for at the beginning of any word, since names may start with the tuner's: `hermes-3-llama-3.1`."""
    return re.compile(rf"(?:^|[-_.])(?:{pattern})"), vocabulary


# The first row that matches wins, so exceptions stand above their family, and those that others are tuned from
# or distilled into (Qwen, Llama) above the rest.
_FAMILIES = (
    # Since 3.5, Qwen has a new vocabulary that is not bundled. `qwen-7b` is a size, not a version.
    _family(r"qwen-?(?:3\.[5-9]|[4-9](?!\d*b))", None),
    _family(r"qwen|qwq|qvq", "qwen3"),
    _family(r"kimi-dev|baichuan-?m2", "qwen3"),  # tuned from Qwen 2.5
    _family(r"deepseek-r1:(?:latest|1\.5b|7b|8b|14b|32b)(?!-llama)", "qwen3"),  # Ollama's distilled sizes
    _family(r"deepseek-r1:(?:8b|70b)|distill-llama", "llama3"),
    _family(r"(?:phind-)?code-?llama", "codellama"),
    _family(r"tiny-?llama|vicuna|llama-?v?2(?![0-9])", "llama2"),
    _family(r"llama-?v?3(?![0-9b])", "llama3"),  # `llama-30b` and `llama-3b` are sizes of the first Llama
    _family(r"glm-?4\.7-flash", None),  # the vocabulary of GLM-5, not bundled
    _family(r"glm-?(?:4|z1)", "glm4"),
    _family(r"kimi-?(?:k[23]|linear|vl|latest|thinking)|moonshot-v1|moonlight", "kimi_k2"),
    _family(r"deepseek-(?:v3|r1|chat|reasoner)", "deepseek_v3"),  # the V2 and Coder generations had others
    _family(r"gpt-oss", "gpt_oss"),
    _family(r"(?:chat)?gpt-4o|gpt-4\.[15]|gpt-5|codex-mini|^o[134]\b", "o200k_base"),
    _family(r"gpt-?3\.?5|gpt-4(?![.0-9])|(?:davinci|babbage)-002$", "cl100k_base"),
    _family(r"text-davinci-00[23]|code-(?:davinci|cushman)", "p50k_base"),
    _family(r"gpt-?2(?![0-9])", "gpt2"),
    _family(r"phi-?4-m", "o200k_base"),  # mini and multimodal took OpenAI's
    _family(r"phi-?4", "phi4"),
    _family(r"olmo-?2", "olmo2"),
    # Mistral went from SentencePiece to Tekken in 2024, model by model; only names that say which are listed.
    # Versions 1 and 2 differ in control tokens only, so one of them counts for both.
    _family(r"mi[sx]tral(?::|$)|mistral-7b|mixtral-8x|mathstral", "mistral_v2"),
    _family(r"mistral-small(?:-2[34][01]|:22b)|mistral-large-24|codestral(?:-|:)22b", "mistral_v2"),
    _family(r"mistral-(?:nemo|small|medium-3)|ministral|pixtral-12b|magistral|devstral", "mistral_v3"),
)
