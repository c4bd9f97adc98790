"""Counts what a model will read: a text, or a whole message with all that is sent around its text.

A counter says how sure it is. It never fails: where a vocabulary can't be had, it estimates and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from lingque_tui.domain.context import Quality
from lingque_tui.domain.messages import Message, Role
from lingque_tui.domain.ports import WireMessage
from lingque_tui.tokens import exact
from lingque_tui.tokens.estimate import estimate
from lingque_tui.tokens.vocabulary import BUNDLED, vocabulary_for

# Templates differ by a token or two; these are what most of them write around a message, a call and a result.
_MESSAGE = 4
_TOOL_CALL = 10
_TOOL_RESULT = 5


class Counter:
    """Cheap to make. The first count loads the vocabulary (about 50 ms), so count off the event loop."""

    def __init__(self, vocabulary: str | None) -> None:
        self._vocabulary = vocabulary

    @property
    def quality(self) -> Quality:
        return Quality.EXACT if self._is_exact else Quality.ESTIMATED

    @property
    def name(self) -> str:
        """The vocabulary, or `estimate`. Counts of the same name may be compared and kept."""
        return self._vocabulary if self._vocabulary and self._is_exact else "estimate"

    def count(self, text: str) -> int:
        encode = exact.encoder(self._vocabulary) if self._vocabulary else None
        return exact.count(encode, text) if encode else estimate(text)

    def count_message(self, message: Message | WireMessage) -> int:
        """Reasoning is not counted: it is shown to the person and never sent back."""
        parts = _parts_of_message(message) if isinstance(message, Message) else _parts_of_wire(message)
        return _MESSAGE + sum(around + self.count(text) for around, text in parts)

    @cached_property
    def _is_exact(self) -> bool:
        # A bundled vocabulary is known to load: no need to do so just to be asked.
        vocabulary = self._vocabulary
        return vocabulary is not None and (vocabulary in BUNDLED or exact.encoder(vocabulary) is not None)


def counter_for(model: str, vocabulary: str = "") -> Counter:
    """The counter of a model; `vocabulary`, from the config, overrules what its name tells."""
    return Counter(vocabulary or vocabulary_for(model))


Part = tuple[int, str]
"""Tokens of structure, and the text inside."""


def _parts_of_message(message: Message) -> Iterator[Part]:
    yield (_TOOL_RESULT if message.role is Role.TOOL else 0, message.text)
    for call in message.tool_calls:
        yield _TOOL_CALL, call.name
        yield 0, call.arguments


def _parts_of_wire(message: WireMessage) -> Iterator[Part]:
    yield (_TOOL_RESULT if message.get("role") == Role.TOOL else 0, _text_of(message.get("content")))
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        yield _TOOL_CALL, str(function.get("name") or "")
        yield 0, str(function.get("arguments") or "")


def _text_of(content: object) -> str:
    """Content is a text, nothing at all, or a list of parts of which only the texts can be counted here."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return str(content or "")
