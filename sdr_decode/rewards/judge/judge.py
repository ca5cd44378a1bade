"""``judge``: a language model rates the report."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from clients import Client
from sdr_decode.background import BackgroundLoop
from sdr_decode.errors import RewardError
from sdr_decode.rewards.base import Reward, Values
from sdr_decode.rewards.completions import Completion, completion_text, reference_texts
from sdr_decode.rewards.judge.asking import Asker, Asking
from sdr_decode.rewards.judge.cache import RatingCache, cache_key
from sdr_decode.rewards.judge.failures import Failures, Unrated
from sdr_decode.rewards.judge.loop_clients import Line, LoopClients
from sdr_decode.rewards.judge.rating import LOWEST, Rating
from sdr_decode.rewards.judge.rubric import VERSION, judge_prompt
from sdr_decode.rewards.judge.spent import Spent

Value = TypeVar("Value")
Texts = Sequence[str | None]

log = logging.getLogger(__name__)


class Judge(Reward):
    """The expected rating of a language model for safety and evidence, times its confidence.

    ``client`` is a spec (``openai:gpt-4o-mini``), an open ``Client``, or an SDK object that you
    configured, then with the ``model`` to ask. The model answers a frozen rubric
    (``rubric.VERSION``) with one digit from 1 to 5. Its distribution over the ratings comes from
    the log-probabilities of that digit, among ``top_logprobs`` tokens, where the provider tells
    them, else from ``samples`` answers. The value is (E - 1) / 4 x (1 - H / log 5), in [0, 1],
    with E the expected rating and H the entropy: an unsure judge counts less.

    ``reference`` is the column with the report to compare with; with ``None`` the report is judged
    by itself, and the judge can be a gate of the decoder or rank candidates. The judge sees text
    only, no image.

    A text without a rating (a refusal, an answer that is no rating, a request that failed after
    the client's own retries, an absent reference) is ``None``, and ``failures`` says why. A blank
    text is rated lowest without asking. ``spent`` is the tokens used so far. Ratings are kept in
    memory, and from run to run in the file ``cache``, which several processes may share. At most
    ``concurrency`` requests are open at a time; ``max_tokens`` bounds an answer, and must be
    raised for models that reason before they answer. Raises ``SpecError`` and ``RewardError`` for
    what cannot be used.

    The rubric takes some 400 tokens beside the texts. It rates the right words in an order that
    states nothing as no report, which overlap of words or concepts cannot.

    As a reward it is a coroutine function, which TRL takes as it is:

    >>> judge = Judge("openai:gpt-4o-mini", cache="ratings.jsonl")  # doctest: +SKIP
    >>> GRPOTrainer(model, reward_funcs=[judge], train_dataset=reports)  # doctest: +SKIP

    In synchronous code, also in a notebook, ``rate``, ``values`` and ``rank`` do without await:

    >>> with Judge("openai:gpt-4o-mini", reference=None) as judge:  # doctest: +SKIP
    ...     best, *others = judge.rank(reports)
    ...     print(judge.values([reports[best]]), judge.spent, judge.failures)
    """

    gate_bound = 0.5

    def __init__(
        self,
        client: str | Client | object,
        *,
        model: str | None = None,
        reference: str | None = "reference",
        samples: int = 8,
        top_logprobs: int = 20,
        max_tokens: int = 8,
        concurrency: int = 16,
        cache: str | Path | None = None,
        api_key: str | None = None,
    ) -> None:
        super().__init__("judge")
        counts = {"samples": samples, "max_tokens": max_tokens, "concurrency": concurrency}
        for word, count in counts.items():
            _require_whole(word, count, least=1)
        _require_whole("top_logprobs", top_logprobs, least=0)
        self.needs_reference = reference is not None
        self.failures = Failures()
        self._column = reference
        self._clients = LoopClients(client, model, api_key, concurrency)
        self._asker = Asker(Asking(samples, max_tokens, top_logprobs))
        self._settings = (self._clients.name, VERSION, samples, max_tokens, top_logprobs)
        self._cache = RatingCache(cache)
        self._background: BackgroundLoop | None = None
        self._starting = threading.Lock()
        self._closed = False

    def __repr__(self) -> str:
        return f"Judge({self._clients.name!r}, reference={self._column!r})"

    @property
    def spent(self) -> Spent:
        """The requests and tokens used so far."""
        return self._asker.spent

    async def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Completion] = (),
        completion_ids: Sequence[Any] | None = None,
        **columns: Any,
    ) -> Values:
        texts = [completion_text(completion) for completion in completions]
        references: Texts | None = None
        if self._column is not None:
            references = reference_texts(columns, self._column, len(texts), self.name)
        asked = None if prompts is None else [_prompt_text(prompt) for prompt in prompts]
        ratings = await self.arate(texts, references, asked)
        return [None if rating is None else rating.value for rating in ratings]

    async def arate(
        self, texts: Sequence[str], references: Texts | None = None, prompts: Texts | None = None
    ) -> list[Rating | None]:
        """The rating of each text, ``None`` where there is none. Each distinct question is asked
        once.

        ``references`` and ``prompts``, one a text, are what the texts are compared with and what
        they were asked for. Raises ``RewardError`` where their numbers differ, and
        ``ClientClosedError`` for a client of yours that is closed or belongs to another loop.
        """
        if self._closed:
            raise RewardError("this judge was closed; make a new one")
        line = self._clients.here()
        count = len(texts)
        compared, asked = self._compared(references, count), _each(prompts, count, "prompts")
        questions = list(zip(texts, compared, asked, strict=True))
        distinct = list(dict.fromkeys(questions))
        before = len(self.failures)
        ratings = await _all([self._rate(line, *question) for question in distinct])
        if len(self.failures) > before:
            log.warning("judge: %s", self.failures)
        known = dict(zip(distinct, ratings, strict=True))
        return [known[question] for question in questions]

    def rate(
        self, texts: Sequence[str], references: Texts | None = None, prompts: Texts | None = None
    ) -> list[Rating | None]:
        """``arate`` for synchronous code; also works where an event loop is running."""
        return self._run(self.arate(texts, references, prompts))

    def values(
        self, texts: Sequence[str], references: Texts | None = None, prompts: Texts | None = None
    ) -> Values:
        """The reward of each text, in [0, 1], ``None`` where there is none."""
        ratings = self.rate(texts, references, prompts)
        return [None if rating is None else rating.value for rating in ratings]

    def rank(
        self, texts: Sequence[str], reference: str | None = None, prompt: str | None = None
    ) -> list[int]:
        """The numbers of the texts, best first. Ties keep their order; texts without a rating
        come last."""
        references = None if self._column is None else [reference] * len(texts)
        values = self.values(texts, references, [prompt] * len(texts))
        return sorted(range(len(texts)), key=lambda at: _worst_last(values[at]))

    async def aclose(self) -> None:
        """Close the clients that this judge opened. Idempotent; it cannot be used afterwards."""
        with self._starting:
            self._closed = True
            background, self._background = self._background, None
        if background is not None:
            await asyncio.to_thread(background.cancel)
        await self._clients.aclose()
        if background is not None:
            await asyncio.to_thread(background.close)

    def close(self) -> None:
        """``aclose`` for synchronous code. Idempotent."""
        if not self._closed:
            loop = BackgroundLoop()
            loop.run(self.aclose())
            loop.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, coroutine: Coroutine[Any, Any, Value]) -> Value:
        with self._starting:
            if self._closed:
                coroutine.close()
                raise RewardError("this judge was closed; make a new one")
            background = self._background = self._background or BackgroundLoop()
        return background.run(coroutine)

    def _compared(self, references: Texts | None, count: int) -> Texts:
        if self._column is None and references is not None:
            raise RewardError(
                "judge found references, and was made without one; make it with reference='COLUMN'"
            )
        return _each(references, count, "references")

    async def _rate(
        self, line: Line, text: str, reference: str | None, prompt: str | None
    ) -> Rating | None:
        if not text.strip():
            return LOWEST
        try:
            if self._column is not None and not (reference or "").strip():
                raise Unrated("there is no reference to compare with")
            key = cache_key(*self._settings, text, reference, prompt)
            rating = self._cache.get(key)
            if rating is None:
                rating = await self._asker.rating(line, judge_prompt(text, reference, prompt))
                self._cache.put(key, rating)
            return rating
        except Unrated as failure:
            self.failures.add(failure)
            return None


async def _all(coroutines: Sequence[Coroutine[Any, Any, Value]]) -> list[Value]:
    """Run side by side; where one fails, or the caller is cancelled, none runs on."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _each(values: Texts | None, count: int, word: str) -> Texts:
    if values is None:
        return [None] * count
    if len(values) != count:
        raise RewardError(f"judge found {len(values)} {word} for {count} texts; expected one each")
    return values


def _prompt_text(prompt: Any) -> str:
    """A prompt as text: of a conversation, what everybody but the assistant said."""
    if isinstance(prompt, str):
        return prompt
    said = [message for message in prompt if isinstance(message, Mapping)]
    return "\n".join(
        completion_text([{**message, "role": "assistant"}])
        for message in said
        if message.get("role") != "assistant"
    )


def _require_whole(word: str, count: int, *, least: int) -> None:
    if type(count) is not int or count < least:
        raise RewardError(
            f"judge found {count!r} as its {word}; expected a whole number of at least {least}"
        )


def _worst_last(value: float | None) -> float:
    return 1.0 if value is None else -value
