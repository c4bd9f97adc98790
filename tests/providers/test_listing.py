"""Lists of models, as different servers write them."""

from __future__ import annotations

import pytest

from lingque_tui.domain.ports import ModelInfo
from lingque_tui.providers.listing import read_models


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"id": "m"}, ModelInfo("p", "m")),
        ({"id": "m", "meta": {"n_ctx": 4096, "n_ctx_train": 8192}}, ModelInfo("p", "m", window=4096)),
        ({"id": "m", "meta": {"n_ctx_train": 8192}}, ModelInfo("p", "m")),
        ({"id": "m", "max_model_len": 32768}, ModelInfo("p", "m", window=32768)),
        (
            {
                "id": "qwen/qwen3",
                "context_length": 131072,
                "pricing": {"prompt": "0.00000025", "completion": "0.0000015"},
                "top_provider": {"max_completion_tokens": 16384},
            },
            ModelInfo("p", "qwen/qwen3", 131072, 16384, 0.25, 1.5),
        ),
        ({"id": "auto", "pricing": {"prompt": "-1", "completion": "what"}}, ModelInfo("p", "auto")),
        ({"id": "m", "max_model_len": True, "context_length": "big", "meta": 3}, ModelInfo("p", "m")),
        ({"id": "a\x1b[2Jb\n"}, ModelInfo("p", "ab")),
    ],
)
def test_each_servers_fields_are_understood(row: dict[str, object], expected: ModelInfo) -> None:
    assert read_models("p", {"object": "list", "data": [row]}) == (expected,)


def test_an_empty_list_is_a_list() -> None:
    assert read_models("p", {"object": "list", "data": None}) == ()
    assert read_models("p", []) == ()


@pytest.mark.parametrize("payload", [None, "<html>", 3, {}, {"data": "x"}, {"error": {"message": "no"}}])
def test_what_is_no_list_is_said_to_be_none(payload: object) -> None:
    assert read_models("p", payload) is None


def test_rows_without_a_name_are_left_out() -> None:
    assert read_models("p", {"data": [{"id": 3}, "x", None, {"id": "m"}]}) == (ModelInfo("p", "m"),)
