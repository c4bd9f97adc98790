"""Messages are counted with what is sent around them, and every count says how sure it is."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lingque_tui
from lingque_tui.domain.context import Quality
from lingque_tui.domain.messages import Message, Role, ToolCall
from lingque_tui.domain.ports import WireMessage
from lingque_tui.tokens import Counter, available_vocabularies, count_tokens, counter_for
from lingque_tui.tokens.estimate import estimate


def message(text: str, role: Role = Role.USER, reasoning: str = "", calls: tuple[ToolCall, ...] = ()) -> Message:
    return Message("m1", 1, "s1", role, text, created_at=0.0, reasoning=reasoning, tool_calls=calls)


def test_a_known_model_is_counted_exactly() -> None:
    counter = counter_for("deepseek/deepseek-chat")
    assert (counter.quality, counter.name) == (Quality.EXACT, "deepseek_v3")
    assert counter.count("你好，世界") == 3


def test_an_unknown_model_is_estimated_and_says_so() -> None:
    counter = counter_for("smollm2-135m")
    assert (counter.quality, counter.name) == (Quality.ESTIMATED, "estimate")
    assert counter.count("你好，世界") == estimate("你好，世界")


def test_the_config_overrules_the_name() -> None:
    assert counter_for("gpt-4o", vocabulary="qwen3").name == "qwen3"
    assert counter_for("my-own-model", vocabulary="glm4").quality is Quality.EXACT


def test_a_vocabulary_that_can_not_be_had_is_estimated_and_says_so() -> None:
    counter = counter_for("gpt-4o", vocabulary="no-such-thing")
    assert (counter.quality, counter.name) == (Quality.ESTIMATED, "estimate")
    assert counter.count("hello") == estimate("hello")


def test_each_message_costs_four_more_than_its_text() -> None:
    counter = Counter("o200k_base")
    assert counter.count_message(message("hello there")) == counter.count("hello there") + 4


def test_reasoning_is_not_counted_because_it_is_not_sent() -> None:
    counter = Counter("o200k_base")
    assert counter.count_message(message("42", reasoning="well, " * 500)) == counter.count_message(message("42"))


def test_tool_calls_and_results_cost_their_structure() -> None:
    counter = Counter("o200k_base")
    call = ToolCall("c1", "get_weather", '{"city": "杭州"}')
    asked = counter.count_message(message("", Role.ASSISTANT, calls=(call, call)))
    assert asked == 4 + 2 * (10 + counter.count(call.name) + counter.count(call.arguments))
    assert counter.count_message(message("26°", Role.TOOL)) == 4 + 5 + counter.count("26°")


@given(st.sampled_from(["glm4", None]), st.sampled_from(Role), st.text(max_size=30), st.lists(st.text(max_size=9)))
def test_a_message_counts_the_same_stored_and_on_the_wire(
    vocabulary: str | None, role: Role, text: str, arguments: list[str]
) -> None:
    calls = tuple(ToolCall(f"c{i}", "look", given) for i, given in enumerate(arguments))
    wire: WireMessage = {
        "role": str(role),
        "content": text,
        "tool_calls": [{"id": c.id, "function": {"name": c.name, "arguments": c.arguments}} for c in calls],
    }
    counter = Counter(vocabulary)
    assert counter.count_message(wire) == counter.count_message(message(text, role, calls=calls))


@pytest.mark.parametrize("content", [None, "", [], [{"type": "image_url", "image_url": {}}]])
def test_content_without_text_costs_only_the_message(content: object) -> None:
    assert count_tokens([{"role": "assistant", "content": content}]) == 4


def test_content_in_parts_counts_like_the_whole() -> None:
    parts = [{"type": "text", "text": "hello "}, {"type": "text", "text": "there"}]
    assert count_tokens([{"role": "user", "content": parts}]) == count_tokens(
        [{"role": "user", "content": "hello there"}]
    )


def test_messages_add_up() -> None:
    messages: list[WireMessage] = [{"role": "user", "content": "你好"}, {"role": "assistant", "content": "你好！"}]
    assert count_tokens(messages, model="glm-4") == sum(count_tokens([one], model="glm-4") for one in messages)
    assert lingque_tui.count_tokens("你好，世界", model="glm-4") == 3


def test_the_vocabularies_on_offer_are_exact() -> None:
    assert all(Counter(name).quality is Quality.EXACT for name in available_vocabularies())


def test_no_tokenizer_is_loaded_before_something_is_counted() -> None:
    program = (
        "import sys; from lingque_tui.tokens import counter_for; c = counter_for('gpt-4o'); c.quality, c.name;"
        "early = {'splintr', 'tiktoken'} & sys.modules.keys();"
        "c.count('x'); sys.exit(bool(early) or 'splintr' not in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
