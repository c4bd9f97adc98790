"""Each command with good, missing, wrong and hostile arguments, over a desk that writes down what is asked of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from lingque_tui.commands.desk import Desk, PageName
from lingque_tui.commands.registry import load_commands
from lingque_tui.config.schema import Config
from lingque_tui.domain.errors import CommandError, SessionReadOnly, Unauthorized
from lingque_tui.domain.events import ReplyEnded
from lingque_tui.domain.messages import Role
from lingque_tui.session.session import Session
from lingque_tui.session.switchboard import Choice, Switchboard
from lingque_tui.session.workspace import Workspace, working
from lingque_tui.store import Store
from tests.session.players import MODEL, Listener, Puppet, chat, config_with, texts

HOSTILE = "\x1b]52;c;ZXZpbA==\x07[/][@click=app.quit]'; DROP TABLE messages; --"


class NotedDesk:
    """A window without a screen."""

    def __init__(self, workspace: Workspace, session: Session, puppet: Puppet) -> None:
        self.workspace = workspace
        self.session = session
        self.puppet = puppet
        self.asked: list[tuple[str, object]] = []

    def say(self, text: str) -> None:
        self.asked.append(("say", text))

    def open_page(self, name: PageName) -> None:
        self.asked.append(("page", name))

    async def open_session(self, session_id: str | None) -> None:
        self.asked.append(("session", session_id))
        if session_id is None:
            info = await self.workspace.store.create_session()
            self.session = await self.workspace.open(info, self.session.choice)

    async def use_model(self, ref: str) -> None:
        self.asked.append(("model", ref))

    def theme_names(self) -> tuple[str, ...]:
        return ("lingque-dark", "lingque-light")

    def use_theme(self, name: str) -> None:
        self.asked.append(("theme", name))

    def leave(self) -> None:
        self.asked.append(("leave", None))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "lingque.db") as store:
        yield store


@pytest.fixture
async def desk(store: Store) -> AsyncIterator[NotedDesk]:
    puppet = Puppet()
    async with working(store, Switchboard(Config(), {}, {}), Config()) as workspace:
        session = await workspace.open(await store.create_session(), Choice(puppet, MODEL, config_with()))
        yield NotedDesk(workspace, session, puppet)


async def typed(desk: Desk, line: str) -> None:
    parsed = load_commands().parse(line)
    assert parsed is not None, line
    await parsed[0].run(desk, parsed[1])


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("/help", ("page", "help")),
        ("/help me", ("page", "help")),
        ("/connect", ("page", "connect")),
        ("/model", ("page", "models")),
        ("/model deepseek/deepseek-chat", ("model", "deepseek/deepseek-chat")),
        (f"/model {HOSTILE}", ("model", HOSTILE)),
        ("/theme", ("page", "themes")),
        ("/theme lingque-light", ("theme", "lingque-light")),
        ("/sessions", ("page", "sessions")),
        ("/sessions nothing like it", ("page", "sessions")),
        (f"/sessions {HOSTILE}", ("page", "sessions")),
        ("/quit", ("leave", None)),
        ("/quit now", ("leave", None)),
    ],
)
async def test_a_command_asks_the_desk_for_one_thing(desk: NotedDesk, line: str, asked: tuple[str, object]) -> None:
    await typed(desk, line)
    assert desk.asked == [asked]


async def test_sessions_opens_the_only_one_that_fits(desk: NotedDesk, store: Store) -> None:
    garden = await store.create_session(title="Garden plans")
    await store.create_session(title="Tax 2025")
    await store.create_session(title="Tax 2026")
    await typed(desk, "/sessions GARDEN")
    await typed(desk, "/sessions tax")
    assert desk.asked == [("session", garden.id), ("page", "sessions")]


@pytest.mark.parametrize("name", ["no-such-theme", HOSTILE, "LINGQUE-DARK", "../../etc/passwd"])
async def test_a_theme_that_is_not_there_is_told_with_those_that_are(desk: NotedDesk, name: str) -> None:
    with pytest.raises(CommandError) as unknown:
        await typed(desk, f"/theme {name}")
    assert "lingque-light" in unknown.value.what and "\x1b" not in unknown.value.what
    assert desk.asked == []


async def test_rename_names_the_session(desk: NotedDesk, store: Store) -> None:
    await typed(desk, "/rename  My garden \n in spring")
    assert desk.session.info.title == "My garden in spring"
    await typed(desk, f"/rename {HOSTILE}" + "x" * 500)
    title = (await store.sessions())[0].title
    assert "\x1b" not in title and len(title) < 100


@pytest.mark.parametrize("line", ["/rename", "/rename  ", "/rename \x1b[2J"])
async def test_rename_without_a_title_says_what_is_missing(desk: NotedDesk, line: str) -> None:
    with pytest.raises(CommandError) as missing:
        await typed(desk, line)
    assert "/rename title" in missing.value.what


async def test_new_makes_a_session_and_may_name_it(desk: NotedDesk) -> None:
    first = desk.session
    await typed(desk, "/new")
    assert desk.session is not first and desk.session.info.title == ""
    await typed(desk, "/new Holiday")
    assert desk.session.info.title == "Holiday" and first.info.title == ""


async def test_retry_asks_again(desk: NotedDesk, store: Store) -> None:
    listener = Listener(desk.session)
    desk.puppet.give(Unauthorized(provider="puppet", variable="X"))
    await desk.session.submit("question")
    await listener.turns()
    desk.puppet.finish("answer")
    await typed(desk, "/retry")
    await listener.until(ReplyEnded)
    assert await texts(store, desk.session) == ["question", "answer"]


async def test_retry_with_nothing_said_or_a_reply_on_its_way_says_so(desk: NotedDesk) -> None:
    with pytest.raises(CommandError) as nothing:
        await typed(desk, "/retry")
    assert "Nothing" in nothing.value.what
    await desk.session.submit("question")
    await desk.puppet.asked()
    with pytest.raises(CommandError) as busy:
        await typed(desk, "/retry")
    assert "Esc" in busy.value.what


async def test_retry_sends_what_waits_since_the_last_time_even_if_nothing_was_said_yet(
    desk: NotedDesk, store: Store
) -> None:
    info = await store.create_session()
    await store.enqueue(info.id, "left over")
    desk.session = await desk.workspace.open(info, desk.session.choice)
    assert desk.session.is_paused
    listener = Listener(desk.session)
    desk.puppet.finish("answer")
    await typed(desk, "/retry")
    await listener.until(ReplyEnded)
    assert await texts(store, info) == ["left over", "answer"]


async def test_what_would_write_is_refused_in_a_session_of_another_window(desk: NotedDesk, store: Store) -> None:
    with Store.open(store.path) as elsewhere:
        info = await elsewhere.create_session()
        await elsewhere.enqueue(info.id, "theirs")
        await elsewhere.append(info.id, Role.USER, "hi")
        async with chat(elsewhere, Puppet(), info=info):
            desk.session = await desk.workspace.open(info, desk.session.choice)
            for line in ("/rename mine", "/retry"):
                with pytest.raises(SessionReadOnly):
                    await typed(desk, line)
