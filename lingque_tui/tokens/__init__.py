"""Token counts, each with a mark of how sure it is.

Importing this loads no tokenizer; a vocabulary is loaded when something is first counted with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from lingque_tui.domain.ports import WireMessage
from lingque_tui.tokens.counter import Counter, counter_for
from lingque_tui.tokens.vocabulary import BUNDLED

__all__ = ["Counter", "available_vocabularies", "count_tokens", "counter_for"]


def count_tokens(text_or_messages: str | Sequence[WireMessage], model: str = "gpt-4o") -> int:
    """Tokens of a text, or of OpenAI-style messages with what is sent around them.

    Exact where the vocabulary of `model` is known, else an estimate: `counter_for(model).quality` tells which."""
    counter = counter_for(model)
    if isinstance(text_or_messages, str):
        return counter.count(text_or_messages)
    return sum(map(counter.count_message, text_or_messages))


def available_vocabularies() -> tuple[str, ...]:
    """What `vocabulary` in the config may name and always works. Others may: see `lingque_tui.tokens.exact`."""
    return BUNDLED
