"""A refusal that names an option teaches us to do without it."""

from __future__ import annotations

from lingque_tui.domain.ports import ChatRequest
from lingque_tui.providers.dialect import Dialect

REQUEST = ChatRequest("m", ({"role": "user", "content": "hi"},), max_tokens=5, temperature=0.5)


def test_the_reference_form_comes_first() -> None:
    arguments = Dialect().arguments(REQUEST)
    assert arguments["stream_options"] == {"include_usage": True}
    assert (arguments["max_tokens"], arguments["temperature"]) == (5, 0.5)


def test_options_nobody_asked_for_are_not_sent() -> None:
    arguments = Dialect().arguments(ChatRequest("m", ()))
    assert {"max_tokens", "temperature"}.isdisjoint(arguments)


def test_stream_options_are_dropped_for_the_whole_server() -> None:
    dialect = Dialect()
    assert dialect.learn(REQUEST, 422, "extra fields not permitted: stream_options")
    assert "stream_options" not in dialect.arguments(ChatRequest("other", ()))


def test_max_tokens_gets_its_new_name_for_that_model() -> None:
    dialect = Dialect()
    assert dialect.learn(REQUEST, 400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    assert dialect.arguments(REQUEST)["max_completion_tokens"] == 5
    assert dialect.arguments(ChatRequest("other", (), max_tokens=5))["max_tokens"] == 5


def test_a_fixed_temperature_is_left_to_that_model() -> None:
    dialect = Dialect()
    assert dialect.learn(REQUEST, 400, "invalid temperature: only 1 is allowed for this model")
    assert "temperature" not in dialect.arguments(REQUEST)


def test_the_same_lesson_is_learned_once() -> None:
    dialect = Dialect()
    assert dialect.learn(REQUEST, 400, "stream_options")
    assert not dialect.learn(REQUEST, 400, "stream_options")


def test_other_refusals_and_other_statuses_teach_nothing() -> None:
    dialect = Dialect()
    assert not dialect.learn(REQUEST, 400, "messages must not be empty")
    assert not dialect.learn(REQUEST, 500, "stream_options")
    assert not dialect.learn(REQUEST, 400, "max_tokens is too large: 99999")
    assert dialect.arguments(REQUEST) == Dialect().arguments(REQUEST)
