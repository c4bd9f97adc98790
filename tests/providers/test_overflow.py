"""Whatever a server calls it, a context that is too long is recognised, and nothing else is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.providers.overflow import Overflow, find_overflow

_LONG = (
    "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens "
    "(139000 in the messages, 1000 in the completion). Please reduce the length."
)
OVERFLOWS = [
    pytest.param(400, {"code": "context_length_exceeded", "message": "too long"}, None, None, id="openai-code"),
    pytest.param(
        400,
        {
            "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001"
            " tokens. Please reduce the length of the messages.",
            "type": "invalid_request_error",
        },
        9001,
        8192,
        id="openai-text",
    ),
    pytest.param(
        400,
        {
            "code": 400,
            "type": "exceed_context_size_error",
            "message": "request (9031 tokens) exceeds the available context size (8192 tokens), try increasing it",
            "n_prompt_tokens": 9031,
            "n_ctx": 8192,
        },
        9031,
        8192,
        id="llamacpp",
    ),
    pytest.param(
        400,
        {"type": "exceed_context_size_error", "message": "no numbers", "n_prompt_tokens": 12, "n_ctx": 8},
        12,
        8,
        id="llamacpp-fields",
    ),
    pytest.param(
        500,
        {"code": 500, "message": "the request exceeds the available context size. try increasing the context size"},
        None,
        None,
        id="llamacpp-old",
    ),
    pytest.param(400, {"message": _LONG, "code": "invalid_request_error"}, 140000, 131072, id="deepseek"),
    pytest.param(
        400,
        {"message": "Input length (9000) exceeds model's maximum context length (8192)."},
        9000,
        8192,
        id="vllm-input-length",
    ),
    pytest.param(
        400,
        {
            "message": "You passed 9000 input tokens and requested 100 output tokens. However, the model's context "
            "length is only 8192 tokens."
        },
        9000,
        8192,
        id="vllm-passed",
    ),
    pytest.param(
        400,
        {"object": "error", "message": "This model's maximum context length is 4096 tokens.", "code": 400},
        None,
        4096,
        id="vllm-flat",
    ),
    pytest.param(
        400,
        {"message": "the prompt is longer than the context length currently available to the model"},
        None,
        None,
        id="ollama",
    ),
    pytest.param(
        500,
        "Input does not fit in context length. The input has 5000 tokens, but the context length only supports 4096 "
        "tokens.",
        5000,
        4096,
        id="lmstudio",
    ),
    pytest.param(
        500,
        {"message": "The number of tokens to keep from the initial prompt is greater than the context length."},
        None,
        None,
        id="lmstudio-keep",
    ),
    pytest.param(400, {"code": "1261", "message": "Prompt exceeds max length"}, None, None, id="glm-1261"),
    pytest.param(
        400,
        {"code": "1210", "message": "The input exceeds the model's maximum context length 128000"},
        None,
        128000,
        id="glm-1210",
    ),
    pytest.param(
        400,
        {
            "code": "invalid_parameter_error",
            "message": "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
        },
        None,
        129024,
        id="dashscope",
    ),
    pytest.param(
        400,
        {"message": "Invalid request: Your request exceeded model token limit: 8192 (requested: 10240)"},
        10240,
        8192,
        id="moonshot",
    ),
    pytest.param(
        400,
        {"message": "This endpoint's maximum context length is 163,840 tokens. However, you requested about 200,000"},
        200000,
        163840,
        id="openrouter",
    ),
]


@pytest.mark.parametrize(("status", "body", "requested", "window"), OVERFLOWS)
def test_every_servers_overflow_is_recognised_with_its_numbers(
    status: int, body: object, requested: int | None, window: int | None
) -> None:
    assert find_overflow(status, body) == Overflow(requested, window)


@pytest.mark.parametrize("never", [401, 402, 403, 404, 429])
@pytest.mark.parametrize(("status", "body", "requested", "window"), OVERFLOWS)
def test_a_status_that_means_something_else_is_never_an_overflow(
    never: int, status: int, body: object, requested: int | None, window: int | None
) -> None:
    assert find_overflow(never, body) is None


@pytest.mark.parametrize(
    "body",
    [
        {"message": "Range of max_tokens should be [1, 8192]"},
        {"message": "max_tokens is too large: 99999. This model supports at most 16384 completion tokens"},
        {"code": "1210", "message": "API 调用参数有误"},
        {"message": "Missing required parameter: messages"},
        {"message": None, "code": None},
        "Bad Gateway",
        None,
        ["a", 1],
    ],
)
def test_other_refusals_are_not_taken_for_an_overflow(body: object) -> None:
    assert find_overflow(400, body) is None


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_numbers_are_learned_whatever_their_size(requested: int, window: int) -> None:
    text = f"exceeded model token limit: {window} (requested: {requested})"
    assert find_overflow(400, {"message": text}) == Overflow(requested, window)
