"""What vLLM's engine tells of the likeliest tokens, in its own classes' shape."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from clients.vllm import _piece


def place(*ranked: tuple[int, str | None, float]) -> dict[int, Any]:
    return {
        token: SimpleNamespace(decoded_token=text, logprob=logprob)
        for token, text, logprob in ranked
    }


def completion(tokens: list[int], logprobs: list[dict[int, Any]] | None) -> Any:
    return SimpleNamespace(text="\n4", token_ids=tokens, logprobs=logprobs)


def test_the_likeliest_tokens_are_those_in_place_of_the_first_that_is_not_blank() -> None:
    first = place((1, "\n", -0.25))
    # The token that was drawn comes first, wherever it ranks.
    second = place((4, "4", -2.0), (5, "5", -0.5), (6, None, -3.0))
    piece = _piece(completion([1, 4], [first, second]), 2)
    assert piece.top_logprobs == (("5", -0.5), ("4", -2.0))
    assert piece.logprob == -2.25


def test_nothing_is_told_where_nothing_was_asked() -> None:
    assert _piece(completion([1, 4], None), 2).top_logprobs is None
