"""Asks a model about one text and gets a rating, by whatever the model's provider tells."""

from __future__ import annotations

import asyncio
import logging
import threading
from dataclasses import dataclass

from clients import Request, Sampling
from clients.errors import ClientClosedError, ClientError
from sdr_decode.rewards.judge.answer import Answer, rating_from_logprobs, rating_from_samples
from sdr_decode.rewards.judge.failures import Unrated
from sdr_decode.rewards.judge.loop_clients import Line
from sdr_decode.rewards.judge.rating import Rating
from sdr_decode.rewards.judge.spent import Spent

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asking:
    """``top_logprobs`` is of how many tokens the log-probabilities are asked for, 0 for none.
    Where none come, ``samples`` answers are asked for, each of at most ``max_tokens``."""

    samples: int
    max_tokens: int
    top_logprobs: int


class Asker:
    """Asks, and keeps count of what that took."""

    def __init__(self, asking: Asking) -> None:
        self.spent = Spent()
        self._asking = asking
        self._top_logprobs = asking.top_logprobs
        self._counting = threading.Lock()  # loops of several threads may ask

    async def rating(self, line: Line, prompt: str) -> Rating:
        """The rating that the model gives. Raises ``Unrated``.

        Answers are sampled at temperature 1, so that the answer which came without
        log-probabilities is the first of the samples.
        """
        first = await self._first(line, prompt)
        if first.likeliest is not None:
            return rating_from_logprobs(first)
        others = range(1, self._asking.samples)
        more = await asyncio.gather(*(self._sample(line, prompt, number) for number in others))
        return rating_from_samples([first, *more])

    async def _first(self, line: Line, prompt: str) -> Answer:
        try:
            return await self._ask(line, prompt, 0, self._top_logprobs)
        except Unrated as failure:
            # Providers have models that give none, and refuse to be asked.
            if "logprob" not in failure.detail.lower():
                raise
            refusal = failure.detail
        answer = await self._ask(line, prompt, 0)
        if self._top_logprobs:
            self._top_logprobs = 0
            log.warning(
                "%s gives no log-probabilities (%s); asking for %d answers a text instead",
                line.client.name, refusal, self._asking.samples,
            )  # fmt: skip
        return answer

    async def _sample(self, line: Line, prompt: str, number: int) -> Answer | Unrated:
        try:
            return await self._ask(line, prompt, number)
        except Unrated as failure:
            return failure

    async def _ask(self, line: Line, prompt: str, number: int, top_logprobs: int = 0) -> Answer:
        sampling = Sampling(
            temperature=1.0,
            max_tokens=self._asking.max_tokens,
            top_logprobs=top_logprobs or None,
        )
        async with line.turns:
            stream = line.client.stream(Request(prompt, sampling=sampling), number)
            pieces = []
            try:
                async for piece in stream:
                    pieces.append(piece)  # noqa: PERF401 - what came before a failure is kept
            except ClientClosedError:
                raise
            except ClientError as error:
                raise Unrated("the request failed", str(error)) from error
            finally:
                if stream.finish is None:
                    await stream.cancel()
                with self._counting:
                    self.spent = self.spent.plus(stream.usage)
        finish = stream.finish
        if finish is not None and finish.reason not in ("stop", "length"):
            raise Unrated("the judge refused", finish.detail or finish.reason)
        answer = Answer(
            "".join(piece.text for piece in pieces),
            next((piece.top_logprobs for piece in pieces if piece.text.strip()), None),
        )
        if not answer.text.strip():
            raise Unrated("the answer is empty", (finish and finish.detail) or "")
        return answer
