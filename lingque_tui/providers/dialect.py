"""What one server turned out not to understand.

Compatible servers differ in the options they accept, and only say so when asked. So a request goes out in the
reference form; a refusal that names an option teaches us to leave it out or to call it otherwise, for this server
from then on. Nothing is guessed from names of hosts or models.
"""

from __future__ import annotations

import re
from typing import Any

from lingque_tui.domain.ports import ChatRequest

_OPTION = re.compile(r"stream_options|include_usage|max_tokens|temperature")


class Dialect:
    def __init__(self) -> None:
        self._without_usage = False
        self._renamed: set[str] = set()
        """Models that want `max_completion_tokens`."""
        self._fixed: set[str] = set()
        """Models whose temperature can't be chosen."""

    def arguments(self, request: ChatRequest) -> dict[str, Any]:
        """The request as keyword arguments of the SDK."""
        arguments: dict[str, Any] = {"model": request.model, "messages": list(request.messages), "stream": True}
        if not self._without_usage:
            arguments["stream_options"] = {"include_usage": True}
        if request.max_tokens is not None:
            name = "max_completion_tokens" if request.model in self._renamed else "max_tokens"
            arguments[name] = request.max_tokens
        if request.temperature is not None and request.model not in self._fixed:
            arguments["temperature"] = request.temperature
        return arguments

    def learn(self, request: ChatRequest, status: int, refusal: str) -> bool:
        """Whether `refusal` taught something that makes it worth while to send the request again."""
        if status not in (400, 422):
            return False
        before = self.arguments(request)
        match _OPTION.search(refusal):
            case None:
                return False
            case option if option[0] == "max_tokens":
                if "max_completion_tokens" in refusal:
                    self._renamed.add(request.model)
            case option if option[0] == "temperature":
                self._fixed.add(request.model)
            case _:
                self._without_usage = True
        return self.arguments(request) != before
