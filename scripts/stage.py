"""A conversation made for a picture: a private home folder, scripted replies, a few messages already said."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from textual.pilot import Pilot

from lingque_tui import i18n
from lingque_tui.config.boot import Boot
from lingque_tui.config.loading import load_config
from lingque_tui.config.paths import find_paths
from lingque_tui.domain.messages import MessageState, Role
from lingque_tui.providers import connections
from lingque_tui.store import NewMessage, Store
from lingque_tui.ui.app import LingqueApp


@dataclass(frozen=True)
class Stage:
    size: tuple[int, int] = (120, 36)
    theme: str = "lingque-dark"
    language: str = "en"
    title: str = ""
    said: Sequence[tuple[Role, str]] = ()
    interrupted: bool = False
    """The last message said was stopped in the middle."""
    replies: Sequence[object] = ("Hello.",)
    delay_s: float = 0.0
    with_model: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)


@asynccontextmanager
async def acted(stage: Stage) -> AsyncIterator[Pilot[None]]:
    """The running app on that stage."""
    with TemporaryDirectory() as folder:
        environment = _environment(stage, Path(folder))
        paths = find_paths(environment)
        _fill(stage, paths.store)
        i18n.use(stage.language)
        can_run_local = patch.object(connections, "can_run_local", lambda: False)
        app = LingqueApp(Boot(paths, load_config(paths, environment), environment))
        with can_run_local:
            try:
                async with app.run_test(size=stage.size, notifications=True) as pilot:
                    await ready(pilot)
                    yield pilot
            finally:
                await app.close_conversation()


async def ready(pilot: Pilot[None]) -> None:
    """Until the session is on the screen."""
    for _ in range(500):
        await pilot.pause(0.01)
        conversation = getattr(pilot.app.screen_stack[0], "conversation", None) if pilot.app.screen_stack else None
        if conversation is not None and conversation.is_open and conversation.registry.commands:
            return
    raise TimeoutError("the session did not open")


def _environment(stage: Stage, folder: Path) -> dict[str, str]:
    environment = {
        "LINGQUE_HOME": str(folder),
        "LINGQUE_UI_THEME": stage.theme,
        "LINGQUE_UI_LANGUAGE": stage.language,
        "LINGQUE_DISCOVERY_ENABLED": "false",
        **stage.environment,
    }
    if stage.with_model:
        script = folder / "script.json"
        script.write_text(json.dumps({"replies": list(stage.replies), "delay_s": stage.delay_s, "piece_size": 6}))
        environment["LINGQUE_SCRIPTED"] = str(script)
    return environment


def _fill(stage: Stage, path: Path) -> None:
    if not stage.said:
        return
    store = Store.open(path)
    info = store.create_session(title=stage.title).result()
    last = len(stage.said) - 1
    rows = [
        NewMessage(role=role, text=text, state=_state(stage, index == last))
        for index, (role, text) in enumerate(stage.said)
    ]
    store.append_many(info.id, rows).result()
    store.close()


def _state(stage: Stage, is_last: bool) -> MessageState:
    return MessageState.INTERRUPTED if is_last and stage.interrupted else MessageState.COMPLETE
