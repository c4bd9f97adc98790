"""`lq.open_session(…)`: the engine for other Python programs, without a screen."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from lingque_tui.config.schema import Config, ModelSettings
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import CommandError
from lingque_tui.domain.messages import SessionInfo
from lingque_tui.domain.ports import Provider
from lingque_tui.i18n import t
from lingque_tui.session.session import Session, opened
from lingque_tui.session.switchboard import Choice, Switchboard
from lingque_tui.store import Store


@asynccontextmanager
async def open_session(
    store: str | Path | None = None,
    provider: Provider | None = None,
    model: str = "auto",
    window: int | None = None,
    session: str | None = None,
    config: Config | None = None,
) -> AsyncIterator[Session]:
    """A session over `store` (None: a private temporary one), a new one or the one that `session` names.

    `provider` is any object with the Provider protocol; None: `model` is a `provider/model` name, as in the chat.
    """
    config = config or Config()
    opened_store = await asyncio.to_thread(Store.open, None if store is None else Path(store))
    switchboard = Switchboard(config, os.environ, {})
    try:
        choice = Choice(provider, model, config) if provider else switchboard.choose(model)
        if window is not None:
            config = _with_window(config, choice, window)
            choice = replace(choice, config=config)
        info = await _find(opened_store, session) if session else await opened_store.create_session(model=choice.ref)
        async with opened(opened_store, info, choice, config) as live:
            yield live
    finally:
        await switchboard.close()
        await asyncio.to_thread(opened_store.close)


async def _find(store: Store, name: str) -> SessionInfo:
    found = await store.find_session(name)
    if found is None:
        raise CommandError(detail=t("session_not_found", name=clean_line(name, 80)))
    return found


def _with_window(config: Config, choice: Choice, window: int) -> Config:
    from msgspec import structs

    own = config.models.get(choice.ref) or config.models.get(choice.model) or ModelSettings()
    return structs.replace(config, models={**config.models, choice.ref: structs.replace(own, window=window)})
