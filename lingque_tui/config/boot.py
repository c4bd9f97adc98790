"""What a start is given: where things live, what is set, what the command line asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lingque_tui.config.loading import Loaded
from lingque_tui.config.paths import Paths


@dataclass(frozen=True, slots=True)
class Boot:
    """What the command line asked for."""

    paths: Paths
    loaded: Loaded
    environment: Mapping[str, str]
    session: str = ""
    """Id, beginning of an id, or title; empty: the last one."""
    is_new: bool = False
    model: str = ""
