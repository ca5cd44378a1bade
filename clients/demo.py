"""``demo``: samples reports from a word n-gram model of the index's own corpus."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Iterable
from itertools import islice
from random import Random

from clients.base import Client, Finish, Piece, Request, Sampling, SharedRequest, Usage
from clients.errors import ClientClosedError, ClientError, SpecError
from clients.local_stream import Ending, LocalRequest, LocalStream, Pieces
from clients.ngram_model import NgramModel
from clients.registry import ClientContext
from clients.spec import Spec, allow_options, number, whole_number

DEFAULT_ORDER = 3
LOWEST_ORDER = 2
MAX_REPORTS = 20_000  # enough for a demonstration; a hospital's archive would take minutes


class DemoClient(Client):
    """A real language model, if a simple one: it looks neither at the images nor at the prompt.

    The model is trained once, off the event loop, when the first stream starts or ``check`` is
    called. One word is one token. With a seed the text is the same everywhere. Without ``rate``
    the client is in lockstep; ``rate`` is in words per second, for a decode to look at.
    """

    ignores_images = True
    can_share = True

    def __init__(
        self,
        reports: Callable[[], Iterable[str]],
        *,
        order: int = DEFAULT_ORDER,
        rate: float | None = None,
    ) -> None:
        self.order = order
        self.rate = rate
        self.lockstep = rate is None
        order_word = "" if order == DEFAULT_ORDER else str(order)
        words = [word for word in (order_word, f"rate={rate:g}" if rate else "") if word]
        self.name = "demo" + (":" + ",".join(words) if words else "")
        self._reports = reports
        self._model: NgramModel | None = None
        self._training = threading.Lock()
        self._closed = False

    async def check(self, request: Request, k: int) -> None:
        await self.model()

    def stream(self, request: Request, candidate: int) -> DemoStream:
        if self._closed:
            raise ClientClosedError(f"the client {self.name} is closed; open another")
        return DemoStream(self, request.sampling, candidate)

    def shared(self, request: Request, k: int) -> SharedRequest:
        return LocalRequest(self.stream(request, candidate) for candidate in range(k))

    async def aclose(self) -> None:
        self._closed = True
        self._model = None

    async def model(self) -> NgramModel:
        """The trained model. Raises ``ClientError`` when there is nothing to learn from."""
        if self._closed:
            raise ClientClosedError(f"the client {self.name} is closed; open another")
        return self._model if self._model is not None else await asyncio.to_thread(self._train)

    def _train(self) -> NgramModel:
        with self._training:  # once, however many candidates start at the same time
            model = self._model
            if model is None:
                try:
                    model = NgramModel(islice(self._reports(), MAX_REPORTS), self.order)
                except ValueError as error:
                    raise ClientError(
                        f"the demo client cannot learn from this corpus: {error}; "
                        "name an index that was built from a corpus of reports"
                    ) from None
                self._model = model
            return model


class DemoStream(LocalStream):
    """One sampled report."""

    def __init__(self, client: DemoClient, sampling: Sampling, candidate: int) -> None:
        super().__init__()
        self._client = client
        self._sampling = sampling
        # Seeded with a string, which Random hashes: neighbouring seeds share nothing.
        seed = sampling.seed
        self._random = Random(None if seed is None else str(seed + candidate))

    async def open_pieces(self) -> Pieces:
        return self._sample(await self._client.model())

    def _sample(self, model: NgramModel) -> Pieces:
        rate, sampling = self._client.rate, self._sampling
        top_p = 1.0 if sampling.top_p is None else sampling.top_p
        made = 0
        finish = Finish("stop")
        for text, logprob in model.sample(
            self._random, temperature=sampling.temperature, top_p=top_p
        ):
            if made == sampling.max_tokens:
                finish = Finish("length")
                break
            made += 1
            yield None if rate is None else made / rate, Piece(text, logprob=logprob)
        # No prompt and no image is read, so their tokens are known to be none.
        usage = Usage(prompt_tokens=0, image_tokens=0, output_tokens=made, provenance="counted")
        return Ending(finish, usage)


def open_from_spec(spec: Spec, context: ClientContext) -> DemoClient:
    """``demo[:ORDER][,rate=WORDS_PER_SECOND]``, with the reports of an index as the context."""
    allow_options(spec, "rate")
    order = DEFAULT_ORDER
    if spec.value is not None:
        order = whole_number(spec, spec.value, "order", low=LOWEST_ORDER)
    rate = None
    if "rate" in spec.options:
        rate = number(spec, spec.options["rate"], "rate")
        if not 0 < rate < math.inf:
            raise SpecError(f"demo found rate={rate:g}; expected a number above 0")
    if context.reports is None:
        raise SpecError(
            "the demo client learns from the reports of an index and was given none; "
            "name an index that was built from a corpus"
        )
    return DemoClient(context.reports, order=order, rate=rate)
