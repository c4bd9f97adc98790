"""What each picture shows: a stage and what happens on it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from textual.pilot import Pilot

from lingque_tui.domain.messages import Role
from scripts.stage import Stage

Act = Callable[[Pilot[None]], Awaitable[None]]

CHINESE = (
    (Role.USER, "我们的认证服务越来越乱，想拆成三层：存储、令牌、中间件。先从哪一层开始？"),
    (
        Role.ASSISTANT,
        "先做**存储层**，因为另外两层都依赖它：\n\n"
        "1. 原文只追加，不修改；\n2. 摘要和原文分开存储；\n3. 密码用 Argon2id，参数 `m=64 MB, t=3, p=1`。\n\n"
        "```python\nclass UserStore:\n    def add(self, name: str, secret: str) -> User:\n"
        "        return self._insert(name, argon2.hash(secret))\n```\n\n之后再替换 JWT，改为不透明令牌。",
    ),
    (Role.USER, "第三点的参数为什么这样选？"),
    (
        Role.ASSISTANT,
        "`m=64 MB` 让显卡并行破解变得昂贵，`t=3` 在我们的机器上约 90 毫秒，登录时感觉不到；"
        "`p=1` 避免一个登录占满多个核心。\n\n| 参数 | 值 | 登录耗时 |\n|---|---|---|\n"
        "| m | 64 MB | 90 ms |\n| m | 256 MB | 370 ms |\n",
    ),
)
ENGLISH = (
    (Role.USER, "Our auth service has grown wild. I want three layers: storage, tokens, middleware. Where do I start?"),
    (
        Role.ASSISTANT,
        "Start with **storage**; the other two stand on it:\n\n"
        "1. Originals are appended, never rewritten.\n2. Summaries live beside them.\n"
        "3. Passwords with Argon2id, `m=64 MB, t=3, p=1`.\n\n"
        "```python\nclass UserStore:\n    def add(self, name: str, secret: str) -> User:\n"
        "        return self._insert(name, argon2.hash(secret))\n```\n\nThen replace the JWTs by opaque tokens.",
    ),
)
ANSWER = (
    "The third point was the password hash: **Argon2id** with `m=64 MB`.\n\n"
    "- memory makes guessing on graphics cards expensive\n- three passes take about 90 ms here\n"
    "- one lane, so that a login never takes two cores\n\nShall I write the migration?"
)


async def nothing(pilot: Pilot[None]) -> None:
    await pilot.pause(0.3)


def typing(text: str, *keys: str, wait_s: float = 0.4) -> Act:
    async def act(pilot: Pilot[None]) -> None:
        await pilot.pause(0.2)
        for character in text:
            await pilot.press(
                {" ": "space", "/": "slash", ".": "full_stop", ",": "comma", "?": "question_mark"}.get(
                    character, character
                )
            )
        await pilot.press(*keys)
        await pilot.pause(wait_s)

    return act


async def queue_two(pilot: Pilot[None]) -> None:
    await typing("what was the third point", "enter", wait_s=0.6)(pilot)
    await typing("and the middleware", "enter", wait_s=0.1)(pilot)
    await typing("then write the tests", "enter", wait_s=0.3)(pilot)


async def stop_midway(pilot: Pilot[None]) -> None:
    await typing("what was the third point", "enter", wait_s=1.0)(pilot)
    await pilot.press("escape")
    await pilot.pause(0.5)


_ENGLISH = Stage(title="Auth service in three layers", said=ENGLISH)
_CHINESE = Stage(title="重构认证服务", said=CHINESE, language="zh")
_SLOW = replace(_ENGLISH, replies=(ANSWER,), delay_s=0.08)
_THINKING = ({"text": ANSWER, "reasoning": "The person asks about the third item of the list above. " * 6},)
_DOWN = ({"error": "server_failed"},)

SCENES: dict[str, tuple[Stage, Act]] = {
    "empty": (Stage(), nothing),
    "empty-zh": (Stage(language="zh"), nothing),
    "chat": (replace(_ENGLISH, replies=(ANSWER,)), typing("what was the third point", "enter", wait_s=0.8)),
    "chat-zh": (_CHINESE, nothing),
    "chat-light": (replace(_CHINESE, theme="lingque-light"), nothing),
    "chat-contrast": (replace(_ENGLISH, theme="lingque-contrast"), nothing),
    "chat-80x24": (replace(_CHINESE, size=(80, 24)), nothing),
    "chat-200x50": (replace(_CHINESE, size=(200, 50)), nothing),
    "streaming": (_SLOW, typing("what was the third point", "enter", wait_s=1.4)),
    "thinking": (replace(_ENGLISH, replies=_THINKING), typing("why", "enter", wait_s=0.8)),
    "stopped": (_SLOW, stop_midway),
    "queue": (replace(_SLOW, delay_s=0.3), queue_two),
    "error": (replace(_ENGLISH, replies=_DOWN, environment={"LINGQUE_CHAT_RETRIES": "0"}), typing("hello", "enter")),
    "setup": (Stage(with_model=False), nothing),
    "setup-zh": (Stage(with_model=False, language="zh"), nothing),
    "help": (_ENGLISH, typing("", "f1")),
    "commands": (_ENGLISH, typing("/")),
    "sessions": (_ENGLISH, typing("", "ctrl+s")),
    "models": (_ENGLISH, typing("/model", "enter", wait_s=1.0)),
    "themes": (_ENGLISH, typing("/theme", "enter")),
    "leaving": (_ENGLISH, typing("", "ctrl+c")),
}
