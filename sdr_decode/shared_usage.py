"""What each candidate has of the token counts of a request that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from clients import Usage
from sdr_decode.counts import Count

_NO_PROMPT = Usage(prompt_tokens=0, image_tokens=0, cached_tokens=0)


def usages_of(whole: Usage | None, own: Mapping[int, Usage], k: int) -> dict[int, Usage]:
    """The usage of each of ``k`` candidates. The first has the prompt, the others sent none.

    ``whole`` is what the provider told of the request, ``own`` of single candidates. The output of
    the whole request belongs to no candidate: see ``shares_of``.
    """
    prompt = whole or next(iter(own.values()), Usage())
    usages = {number: own.get(number, Usage()) for number in range(k)}
    usages[0] = replace(
        usages[0],
        prompt_tokens=prompt.prompt_tokens,
        image_tokens=prompt.image_tokens,
        cached_tokens=prompt.cached_tokens,
        provenance=prompt.provenance,
    )
    for number in range(1, k):
        usages[number] = replace(
            usages[number],
            prompt_tokens=_NO_PROMPT.prompt_tokens,
            image_tokens=_NO_PROMPT.image_tokens,
            cached_tokens=_NO_PROMPT.cached_tokens,
        )
    return usages


def shares_of(whole: Usage | None, arrived: Sequence[Count]) -> dict[int, Count]:
    """The output of the whole request, dealt out in proportion to what arrived of each candidate.

    The shares sum to what the provider told, hidden reasoning included; each is an estimate, but
    that of a single candidate. Empty where the provider told nothing, or just what was counted.
    """
    if whole is None or whole.output_tokens is None:
        return {}
    weights = [count.value or 0 for count in arrived]
    total = whole.output_tokens
    if sum(weights) == total:
        return {}
    if len(arrived) == 1:
        return {0: Count(total, whole.provenance)}
    if not any(weights):
        weights = [1] * len(weights)
    shares, dealt, weighed = {}, 0, 0
    for number, weight in enumerate(weights):
        weighed += weight
        upto = round(total * weighed / sum(weights))
        shares[number] = Count(upto - dealt, "estimated")
        dealt = upto
    return shares
