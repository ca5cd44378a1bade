"""One answer of the judge's model, and what it says about the rating."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from clients import TokenLogprob
from sdr_decode.rewards.judge.failures import Unrated
from sdr_decode.rewards.judge.rating import RATINGS, Rating, rating_from_weights

LEAST_SHARE = 0.5
"""At least so much of the probability, or so many of the answers, must be ratings."""

_DIGITS = {str(rating): rating for rating in RATINGS}
_WORD_MARKS = "▁Ġ"  # a leading space, as some vocabularies write it
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Answer:
    """``likeliest`` are the tokens that could have stood at its beginning, where they are told."""

    text: str
    likeliest: tuple[TokenLogprob, ...] | None = None

    @property
    def rating(self) -> int | None:
        """The rating where the answer is one and nothing else; a full stop may follow."""
        return _DIGITS.get(self.text.strip().removesuffix("."))

    def unrated(self) -> Unrated:
        text = self.text.strip()
        shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
        return Unrated("the answer is not a rating", repr(shown))


def rating_from_logprobs(answer: Answer) -> Rating:
    """The distribution at the place of the first token. Raises ``Unrated``.

    A model that mostly says something else gave no rating, however its rare digits are spread,
    nor did one that went on to "4/5" or "10". An answer that is no rating although most of the
    probability is on ratings was drawn from the rest, and the distribution holds.
    """
    weights = dict.fromkeys(RATINGS, 0.0)
    for token, logprob in answer.likeliest or ():
        rating = _DIGITS.get(token.strip(_WORD_MARKS).strip())
        if rating is not None and not math.isnan(logprob):
            weights[rating] += math.exp(min(logprob, 0.0))
    says_more = answer.rating is None and answer.text.strip()[:1].isdigit()
    if says_more or math.fsum(weights.values()) < LEAST_SHARE:
        raise answer.unrated()
    return rating_from_weights(weights)


def rating_from_samples(answers: Sequence[Answer | Unrated]) -> Rating:
    """The distribution of the ratings in several answers. Raises ``Unrated``.

    Its entropy is below that of the distribution they were drawn from, the more so the fewer they
    are: a single answer is always sure.
    """
    given = [answer.rating for answer in answers if isinstance(answer, Answer)]
    ratings = [rating for rating in given if rating is not None]
    if not ratings or len(ratings) < LEAST_SHARE * len(answers):
        reasons = (
            each if isinstance(each, Unrated) else each.unrated()
            for each in answers
            if isinstance(each, Unrated) or each.rating is None
        )
        raise next(reasons)
    return rating_from_weights(Counter(ratings))
