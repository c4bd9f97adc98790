"""What the model sees, and what it costs: the value behind the gauge."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Quality(StrEnum):
    EXACT = "exact"
    ESTIMATED = "estimated"


@dataclass(frozen=True, slots=True)
class ContextBill:
    """Tokens by part, in the order of the context. `window` is None where nobody knows it."""

    system: int = 0
    recent: int = 0
    draft: int = 0
    reserve: int = 0
    window: int | None = None
    line: float | None = None
    """Share of the window at which compaction starts; None: never by itself."""
    quality: Quality = Quality.ESTIMATED
    left_out: int = 0
    """Messages too old to fit. They stay in the store."""

    @property
    def used(self) -> int:
        return self.system + self.recent + self.draft

    @property
    def share(self) -> float | None:
        return self.used / self.window if self.window else None
