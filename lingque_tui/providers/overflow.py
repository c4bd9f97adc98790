"""Is this refusal about length? Every server says it in words of its own, and only few with a code.

Code and type are looked at first, then the text of the whole body. What is learned on the way (how many tokens
were asked for, how many fit) is kept: it corrects a wrong idea of the window. Whether a status may mean an overflow
at all is decided here too: a bad key or an empty account never does, whatever its text says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

_NEVER = frozenset({401, 402, 403, 404, 429})
_CODES = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded", "1261"}  # 1261: GLM
)
_N = r"(?P<{}>\d[\d,]*)"
_REQUESTED, _WINDOW = _N.format("requested"), _N.format("window")

_SENTENCES = tuple(
    re.compile(sentence, re.IGNORECASE | re.DOTALL)
    for sentence in (
        rf"request \({_REQUESTED} tokens\) exceeds the available context size \({_WINDOW} tokens\)",  # llama.cpp
        rf"input length \({_REQUESTED}\) exceeds .{{0,40}}context length \({_WINDOW}\)",  # vLLM
        rf"passed {_REQUESTED} input tokens.*?context length is (?:only )?{_WINDOW}",  # vLLM
        rf"maximum context length is {_WINDOW} tokens.*?(?:requested|resulted in)(?: about)? {_REQUESTED}",  # OpenAI…
        rf"input has {_REQUESTED} tokens.*?only supports {_WINDOW}",  # LM Studio
        rf"token limit: ?{_WINDOW} ?\(requested: ?{_REQUESTED}\)",  # Moonshot
        rf"range of input length should be \[\d+, ?{_WINDOW}\]",  # DashScope
        rf"exceeds? .{{0,40}}maximum context length(?: of)? {_WINDOW}",  # GLM
        rf"maximum context length is {_WINDOW}",
        r"maximum context length|exceeds? .{0,40}(?:context size|context length|context window)",
        r"prompt exceeds max length|exceeded model token limit|passed \d+ input tokens",
        r"(?:longer|greater) than the context length|does not fit in context length",
    )
)


@dataclass(frozen=True, slots=True)
class Overflow:
    requested: int | None = None
    window: int | None = None


def find_overflow(status: int, body: object) -> Overflow | None:
    """What `body` says about a context that is too long, or None when it speaks of something else."""
    if status in _NEVER:
        return None
    told = _told_by_fields(body)
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)
    for sentence in _SENTENCES:
        if match := sentence.search(text):
            said = match.groupdict()
            requested, window = _number(said.get("requested")), _number(said.get("window"))
            return Overflow(told.requested or requested, told.window or window) if told else Overflow(requested, window)
    return told


def _told_by_fields(body: object) -> Overflow | None:
    if not isinstance(body, Mapping):
        return None
    if not {str(body.get("code")), str(body.get("type"))} & _CODES:
        return None
    return Overflow(_number(body.get("n_prompt_tokens")), _number(body.get("n_ctx")))


def _number(value: object) -> int | None:
    digits = str(value).replace(",", "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 12 else None
