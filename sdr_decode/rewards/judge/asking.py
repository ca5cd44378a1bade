"""Asks a model about one text and gets a rating, by whatever the model's provider tells."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from clients import Request, Sampling
from clients.errors import ClientClosedError, ClientError
from sdr_decode.rewards.judge.answer import Answer, rating_from_logprobs, rating_from_samples
from sdr_decode.rewards.judge.failures import Unrated
from sdr_decode.rewards.judge.loop_clients import Line
from sdr_decode.rewards.judge.rating import Rating
from sdr_decode.rewards.judge.spent import Spent

TOP_LOGPROBS = 20  # the most that providers give; the five ratings are among the likeliest


@dataclass(frozen=True, slots=True)
class Asking:
    """``samples`` answers are asked for where no log-probabilities come, each of at most
    ``max_tokens``. ``logprobs`` is whether to ask for them at all."""

    samples: int
    max_tokens: int
    logprobs: bool


class Asker:
    """Asks, and keeps count of what that took."""

    def __init__(self, asking: Asking) -> None:
        self.spent = Spent()
        self._asking = asking
        self._logprobs = asking.logprobs

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
            return await self._ask(line, prompt, 0, logprobs=self._logprobs)
        except Unrated as failure:
            # Providers know models that give none, and refuse to be asked.
            if not self._logprobs or "logprob" not in failure.detail.lower():
                raise
        answer = await self._ask(line, prompt, 0, logprobs=False)
        self._logprobs = False
        return answer

    async def _sample(self, line: Line, prompt: str, number: int) -> Answer | Unrated:
        try:
            return await self._ask(line, prompt, number, logprobs=False)
        except Unrated as failure:
            return failure

    async def _ask(self, line: Line, prompt: str, number: int, *, logprobs: bool) -> Answer:
        sampling = Sampling(
            temperature=1.0,
            max_tokens=self._asking.max_tokens,
            top_logprobs=TOP_LOGPROBS if logprobs else None,
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
