"""A model's name tells its vocabulary, or nothing at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.tokens.vocabulary import BUNDLED, vocabulary_for


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("gpt-4o-mini", "o200k_base"),
        ("o3", "o200k_base"),
        ("o4-mini-high", "o200k_base"),
        ("gpt-5.1", "o200k_base"),
        ("ft:gpt-4o-mini:team::x1", "o200k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-35-turbo", "cl100k_base"),
        ("gpt-oss-20b", "gpt_oss"),
        ("text-davinci-003", "p50k_base"),
        ("gpt2", "gpt2"),
        ("openrouter/qwen/qwen3-32b:free", "qwen3"),
        ("Qwen2.5-7B-Instruct-Q4_K_M.gguf", "qwen3"),
        ("qwen-max", "qwen3"),
        ("qwen-7b-chat", "qwen3"),
        ("kimi-dev-72b", "qwen3"),
        ("glm-4.5-air", "glm4"),
        ("zai-org/GLM-4.6", "glm4"),
        ("deepseek-chat", "deepseek_v3"),
        ("deepseek-ai/DeepSeek-V3.2", "deepseek_v3"),
        ("deepseek-r1", "deepseek_v3"),
        ("kimi-k2-0905-preview", "kimi_k2"),
        ("moonshot-v1-8k", "kimi_k2"),
        ("llama3.2:3b", "llama3"),
        ("accounts/fireworks/models/llama-v3p1-8b-instruct", "llama3"),
        ("hermes-3-llama-3.1-8b", "llama3"),
        ("llama2:13b", "llama2"),
        ("codellama", "codellama"),
        ("mistral:7b", "mistral_v2"),
        ("mistral-small-24b-instruct-2501", "mistral_v3"),
        ("mistral-nemo", "mistral_v3"),
        ("phi4", "phi4"),
        ("phi-4-mini-instruct", "o200k_base"),
    ],
)
def test_a_known_family_is_recognised(model: str, vocabulary: str) -> None:
    assert vocabulary_for(model) == vocabulary


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("deepseek-r1-distill-qwen-32b", "qwen3"),
        ("deepseek-r1-distill-llama-70b", "llama3"),
        ("deepseek-r1:14b", "qwen3"),
        ("deepseek-r1:8b-llama-distill-q4_K_M", "llama3"),
        ("deepseek-r1:671b", "deepseek_v3"),
    ],
)
def test_a_distilled_model_counts_like_the_pupil_not_like_the_teacher(model: str, vocabulary: str) -> None:
    assert vocabulary_for(model) == vocabulary


@pytest.mark.parametrize(
    "model",
    [
        "claude-sonnet-4-5",
        "gemini-2.5-pro",
        "gemma3:4b",
        "smollm2:135m",
        "llama-4-scout",
        "llama-30b",
        "qwen3.5-27b",
        "glm-5",
        "chatglm3-6b",
        "deepseek-coder",
        "deepseek-v4-flash",
        "mistral-large-latest",
        "gpt-6",
        "grok-4",
        "yi-34b",
        "turbo-o3",
        "local",
    ],
)
def test_an_unknown_vocabulary_is_not_guessed(model: str) -> None:
    assert vocabulary_for(model) is None


@pytest.mark.parametrize("vocabulary", BUNDLED)
def test_the_name_of_a_vocabulary_means_itself(vocabulary: str) -> None:
    assert vocabulary_for(vocabulary) == vocabulary


@given(st.text(max_size=40))
def test_any_name_has_an_answer_that_ignores_case_and_prefixes(name: str) -> None:
    assert vocabulary_for(f"Somebody/{name}") == vocabulary_for(f"elsewhere/{name.lower()}")
