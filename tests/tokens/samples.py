"""Texts as people really send them, a few of each kind: what the estimate is measured against."""

from __future__ import annotations

import json

CHINESE = (
    """今天早上下了一场大雨，我在地铁口等了二十分钟才走出来。同事说公司门口的路已经积水，建议大家晚一点到。
我索性找了家咖啡馆坐下，把昨天没写完的方案改了一遍。改着改着发现，最初的想法其实更简单，也更容易说清楚。""",
    """人工智能的发展离不开数据、算法与算力三个要素。近年来，大规模预训练语言模型在自然语言处理领域取得了显著进展，
能够完成翻译、摘要、问答等多种任务。然而，模型的上下文长度仍然有限，如何在有限的窗口内保留关键信息，
是工程实践中必须面对的问题。""",
    """外婆的院子里种着一棵石榴树，每到五月便开满火红的花。傍晚，她搬一把竹椅坐在树下，一边择菜，一边讲她年轻时的故事。
萤火虫从墙角飞出来，忽明忽暗，像谁提着灯笼在找路。后来院子拆了，树也不知去向，只有那股淡淡的草木香，还留在梦里。""",
    """会议纪要：一、本周完成登录模块重构，由小李负责，下周三之前提交测试。二、支付接口偶发超时，初步判断是连接池耗尽，
需要运维同事配合抓包。三、国庆期间安排两人值班，名单周五前报给行政。四、下次会议改到周四下午三点。""",
    "请帮我写一封请假邮件，语气礼貌一点，理由是家里有事，需要请两天假，工作已经交接给王芳，紧急情况可以打我电话。",
)

ENGLISH = (
    """I spent most of the weekend trying to understand why the import was so slow. It turned out that a single
module pulled in half of the standard library, and nobody had noticed because it was hidden behind a helper.
Moving that import into the function that needs it cut the start by almost two hundred milliseconds.""",
    """Could you explain the difference between optimistic and pessimistic locking? I know that one of them
assumes conflicts are rare, but I'm never sure which one to pick for a small web application with a handful
of concurrent users. A short example would help me a lot, thanks!""",
    """The committee's unanimous recommendation, published on Thursday, acknowledges that infrastructure investment
has consistently fallen behind demographic projections; nevertheless, it characterises the proposed
intercontinental partnership as "fundamentally incompatible" with existing environmental commitments.""",
    """Preheat the oven to 200 degrees. Chop two onions, three cloves of garlic and a bunch of parsley. Fry the
onions in olive oil until they are golden, then add the garlic. Stir in the tomatoes, season with salt and
pepper, and let it simmer for half an hour. Serve with bread.""",
    "ok so the thing is, I don't really know what he meant... did he say we're meeting at 5 or at 6? lol",
)

MIXED = (
    """我用的是 Python 3.12 和 Textual，运行 `make test` 的时候报了一个 AttributeError，
说 App 没有 `action_toggle` 这个方法。
我查了一下文档，好像应该写成 `action_toggle_dark`，但是改了之后还是不行。你能帮我看看是哪里的问题吗？""",
    """这个 PR 主要做了三件事：第一，把 provider 的重试逻辑统一到 tenacity；第二，给 streaming 加了 watchdog，
超过 timeout 没有新的 token 就断开；第三，更新了 README 和 CHANGELOG。Reviewer 麻烦重点看一下 error handling 部分。""",
    """The Chinese word for context window is 上下文窗口, and people usually say 压缩 for compaction. In our UI
we show 已用 next to the gauge and 剩余 beside it, because “used” and “left” were too long on small screens.""",
    """## 部署步骤

1. 安装 Docker（版本 ≥ 24.0）。
2. 执行 `docker compose up -d`，等待 MySQL 和 Redis 启动。
3. 打开浏览器访问 localhost:8080，默认账号 admin，密码见 `.env` 文件。
4. 如果看到 502 Bad Gateway，请检查 nginx 的 upstream 配置。""",
)

PYTHON = (
    '''from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Order:
    """One order of a customer."""

    id: str
    items: tuple[str, ...] = ()
    total: float = 0.0

    @property
    def is_empty(self) -> bool:
        return not self.items


async def fetch_all(urls: list[str], limit: int = 8) -> list[bytes]:
    gate = asyncio.Semaphore(limit)

    async def one(url: str) -> bytes:
        async with gate, client.stream("GET", url) as response:
            response.raise_for_status()
            return b"".join([chunk async for chunk in response.aiter_bytes()])

    return await asyncio.gather(*(one(url) for url in urls))
''',
    """import numpy as np
import pandas as pd

df = pd.read_csv("sales.csv", parse_dates=["date"])
df = df[df["amount"] > 0].copy()
df["month"] = df["date"].dt.to_period("M")

monthly = df.groupby(["month", "region"])["amount"].agg(["sum", "mean", "count"]).reset_index()
for region, group in monthly.groupby("region"):
    x = np.arange(len(group))
    slope, intercept = np.polyfit(x, group["sum"].to_numpy(), deg=1)
    print(f"{region:<12} {slope:+.2f} {intercept:10.2f}")
""",
    """class LRUCache(OrderedDict):
    def __init__(self, maxsize=128, *args, **kwds):
        self.maxsize = maxsize
        super().__init__(*args, **kwds)

    def __getitem__(self, key):
        value = super().__getitem__(key)
        self.move_to_end(key)
        return value

    def __setitem__(self, key, value):
        if key in self:
            self.move_to_end(key)
        super().__setitem__(key, value)
        if len(self) > self.maxsize:
            oldest = next(iter(self))
            del self[oldest]
""",
)

JSON = (
    json.dumps(
        {
            "model": "glm-4.5-air",
            "messages": [
                {"role": "system", "content": "You are a helpful assistant."},
                {"role": "user", "content": "What's the weather like in Hangzhou today?"},
            ],
            "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}],
            "stream": True,
            "temperature": 0.7,
            "max_tokens": 1024,
        },
        indent=2,
    ),
    json.dumps(
        {"data": [{"id": i, "name": f"user_{i}", "active": i % 3 == 0, "tags": ["admin", "beta"]} for i in range(12)]}
    ),
    json.dumps(
        {
            "name": "lingque",
            "version": "1.4.2",
            "scripts": {"build": "tsc -p tsconfig.json", "test": "vitest run --coverage", "lint": "eslint src"},
            "dependencies": {"react": "^18.3.1", "zod": "^3.23.8", "@tanstack/react-query": "^5.51.1"},
            "repository": {"type": "git", "directory": "packages/client"},
        },
        indent=4,
    ),
    json.dumps(
        [{"城市": "杭州", "天气": "多云", "温度": 26, "湿度": 0.71}, {"城市": "成都", "天气": "小雨", "温度": 22}],
        ensure_ascii=False,
        indent=2,
    ),
)

EMOJI = (
    "哈哈哈太好笑了😂😂😂 你看到他发的那个视频了吗？🐱 我笑了一整天🤣 晚上一起吃火锅吧🍲🔥 我请客😎",
    "Happy birthday!! 🎉🎂🥳 Hope you have an amazing day ❤️ See you at the party tonight 🍕🍻 love you all 😘",
    "Deploy finished ✅ tests green ✅ docs updated 📝 next: release notes 🚀 and then weekend 🌴☀️ great team 👏👏👏",
    "早上好☀️ 今天又是元气满满的一天💪 记得喝水💧 记得吃早饭🥐 下午开会别迟到⏰ 加油加油👍🏻",
)

URLS = (
    """See https://docs.python.org/3/library/asyncio-task.html#asyncio.TaskGroup and
https://github.com/Textualize/textual/blob/main/src/textual/app.py#L1024 for details.""",
    """https://www.example.com/search?q=context+window&page=2&sort=desc&lang=zh-CN
https://api.example.cn/v1/chat/completions
https://cdn.example.org/assets/img/2024/06/banner-large.png?width=1200&format=webp""",
    "参考链接：https://zhuanlan.example.com/p/681234567 还有 https://www.example.com/video/BV1xx411c7mD?t=95",
    "wget https://mirrors.example.edu.cn/ubuntu-releases/24.04/ubuntu-24.04-desktop-amd64.iso && sha256sum ubuntu*.iso",
)

KINDS = {
    "chinese": CHINESE,
    "english": ENGLISH,
    "mixed": MIXED,
    "python": PYTHON,
    "json": JSON,
    "emoji": EMOJI,
    "urls": URLS,
}
