"""Ask a model for K reports at once, measure each sentence as it closes against a corpus of real
reports, stop the candidates that drift, return the best with an honest account."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Iterable, Sequence
from concurrent.futures import CancelledError
from contextlib import aclosing
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias
from weakref import WeakKeyDictionary

from clients import Client, ClientContext, Image, Request, Sampling, open_client, wrap
from clients.errors import SpecError
from clients.images import ImageSource, load_images
from clients.pricing.facts import Facts
from clients.pricing.prices import Prices
from clients.prompts import PromptTemplate, default_prompt, prompt_from_text
from sdr_decode.background import BackgroundLoop
from sdr_decode.batching import BatchedEncoder
from sdr_decode.calibration.conditions import Conditions, client_asked, warning
from sdr_decode.conclusion import conclude
from sdr_decode.corpus import Corpus
from sdr_decode.decode import Decode
from sdr_decode.defaults import DEFAULT_PRUNE, DEFAULT_SELECT
from sdr_decode.encoder import Encoder
from sdr_decode.errors import DecodeError
from sdr_decode.events import CandidatePruned, Decision, Event
from sdr_decode.guard import checked_usage
from sdr_decode.launch import Chosen, LaunchPlan, launch_plans
from sdr_decode.measure import CorpusMeasure, encoder_for
from sdr_decode.pruning import PrunePolicy, policies
from sdr_decode.pruning.calibrated import Calibrated
from sdr_decode.result import Result
from sdr_decode.rewards import Reward
from sdr_decode.rewards.gate import Gate, open_gates
from sdr_decode.selection import Selector, selectors
from sdr_decode.streams import Streams, Timeouts
from sdr_decode.tariff import tariff_of
from sdr_decode.version import __version__

log = logging.getLogger(__name__)

Images: TypeAlias = "ImageSource | Iterable[ImageSource]"


class SDRDecoder:
    """Decodes chest X-ray reports from K candidate streams (SDR, arXiv 2606.00440).

    ``client`` is a spec (``openai:gpt-4o-mini``), an open ``Client``, or an SDK object that you
    configured (see ``clients.wrap``), then with the ``model`` to ask; ``index`` is an index
    directory or an open ``Corpus``; ``encoder`` a name, a folder or an ``Encoder``, by default the
    one that the index was built with. ``prune``, ``select`` and ``launch`` are specs or objects.
    ``gates`` are rewards that need no reference, as specs or objects (``language:ja``, ``format``,
    ``consistency:at_least=0.8``): a candidate that ends with too low a value is invalid.
    ``prompt`` is a ``PromptTemplate`` or plain text. With ``sections=False`` every sentence
    compares with the whole corpus. ``prices`` and ``facts`` (see ``clients.pricing``) take the
    place of what is known of the client's bills. A client opened from a spec is closed by the
    decoder; one given is not.

    Raises ``SpecError`` for a spec that cannot be used and ``IndexFormatError`` for an index that
    cannot. One decoder serves many decodes, side by side and from several event loops.
    """

    def __init__(
        self,
        client: str | Client | object,
        index: str | Path | Corpus,
        *,
        model: str | None = None,
        encoder: str | Path | Encoder | None = None,
        prune: str | PrunePolicy = DEFAULT_PRUNE,
        select: str | Selector = DEFAULT_SELECT,
        launch: str | LaunchPlan = "parallel",
        gates: Sequence[str | Reward | Gate] = (),
        prompt: str | PromptTemplate | None = None,
        sections: bool = True,
        temperature: float = 1.0,
        top_p: float | None = None,
        max_tokens: int = 512,
        timeouts: Timeouts | None = None,
        api_key: str | None = None,
        prices: Prices | None = None,
        facts: Facts | None = None,
    ) -> None:
        self.corpus = index if isinstance(index, Corpus) else Corpus.open(index)
        self._encoder = BatchedEncoder(partial(encoder_for, self.corpus, encoder))
        self.measure = CorpusMeasure(self.corpus, self._encoder, sections=sections)
        policy = policies.make(prune) if isinstance(prune, str) else prune
        self.policy = policy.within(max_tokens).against(self.measure)
        self.selector = selectors.make(select) if isinstance(select, str) else select
        self.plan = launch_plans.make(launch) if isinstance(launch, str) else launch
        self.gates = open_gates(gates)
        self.prompt = _template(prompt)
        self.sampling = Sampling(temperature, top_p, max_tokens)
        self.timeouts = timeouts or Timeouts()
        self._client = _client(client, model)
        self._context = ClientContext(reports=self.corpus.report_texts, api_key=api_key)
        self._opened: WeakKeyDictionary[asyncio.AbstractEventLoop, Client] = WeakKeyDictionary()
        self._tariff_of = partial(tariff_of, prices=prices, facts=facts)
        self._background: BackgroundLoop | None = None
        self._starting = threading.Lock()
        self._closed = False
        self._settings: dict[str, Any] = {
            "version": __version__,
            "client": self._client if isinstance(self._client, str) else self._client.name,
            "prune": prune if isinstance(prune, str) else repr(prune),
            "select": select if isinstance(select, str) else repr(select),
            "launch": launch if isinstance(launch, str) else repr(launch),
            "sections": sections,
            "index": self.corpus.path.name,
            "encoder": self.corpus.manifest.encoder.name,
            "prompt": self.prompt.version,
        }
        if self.gates:
            self._settings["gates"] = list(map(str, self.gates))

    def generate(self, images: Images = (), **options: Any) -> Result:
        """``agenerate`` for synchronous code; also works where an event loop is running."""
        with self._starting:
            self._refuse_closed()
            background = self._background = self._background or BackgroundLoop()
        try:
            return background.run(self.agenerate(images, **options))
        except CancelledError:
            # Nobody but ``close`` cancels what runs there.
            raise DecodeError("this decoder was closed while it decoded") from None

    async def agenerate(self, images: Images = (), **options: Any) -> Result:
        """Decode one study and return the result. Options and errors are those of ``stream``.

        When the call is cancelled, every stream is closed before it returns.
        """
        async with aclosing(self.stream(images, **options)) as events:
            async for event in events:
                if isinstance(event, Result):
                    return event
        raise AssertionError("a decode ends with its result")

    async def stream(
        self,
        images: Images = (),
        *,
        k: int = 8,
        study: str | None = None,
        seed: int | None = None,
        indication: str | None = None,
        comparison: str | None = None,
    ) -> AsyncGenerator[Event]:
        """Decode one study, yielding every step; the last event is the ``Result``.

        ``images`` are one or several files, bytes or ``Image`` of one examination; ``k`` is how
        many candidates are asked for; ``study`` its id; ``seed`` makes sampling repeatable where
        the client can. Raises ``ImageError``, ``ClientError`` where the request cannot succeed,
        ``EncoderMismatchError`` before anything is spent, and ``DecodeError`` when ``k`` is below
        1 or no candidate gave any text. Close the iterator
        (``contextlib.aclosing``) when you leave it early, so that the streams close at once.
        """
        self._refuse_closed()
        _require_whole(k, seed)
        request = Request(
            self.prompt.fill(indication=indication, comparison=comparison),
            await asyncio.to_thread(_load, images),
            self.sampling.seeded(seed),
            study,
        )
        client = self._client_here()
        await client.check(request, k)
        await asyncio.to_thread(self._encoder.load)
        chosen = await self.plan.choose(client, self._settings["client"], request, k)
        uncalibrated = await self._uncalibrated(client, request, chosen.plan, k)
        shared = client.shared(request, k) if chosen.plan.shared else None
        decode = Decode(self.policy, chosen.plan, self.measure, k, self.gates)

        with decode.noting_what_is_lost():
            async with Streams(client, request, self.timeouts, shared) as streams:
                while True:
                    for launched in decode.launch():
                        streams.open(launched.candidate)
                        yield launched
                    if not decode.race.running:
                        break
                    for heard in decode.hear(await streams.arrivals()):
                        yield heard
                    for event in await decode.decide():
                        if isinstance(event, CandidatePruned):
                            streams.stop(event.candidate)
                        yield event
        for late in decode.hear(streams.pending()):
            yield late
        if shared is not None:
            decode.deal_out(checked_usage(shared.usage))

        # In a thread: a selector may compare all sentences of all candidates.
        result = await asyncio.to_thread(
            conclude,
            decode,
            self.selector,
            self.measure,
            full_tokens=partial(client.full_tokens, request),
            lockstep=client.lockstep,
            tariff=await asyncio.to_thread(self._tariff_of, client.name),
            seed=seed or 0,
            study=study,
            warnings=(*uncalibrated, *self._warnings(client, request, chosen)),
            settings={**self._settings, **self._launched(chosen), "k": k, "seed": seed},
        )
        yield Decision(result.winner, result.reason)
        yield result

    async def aclose(self) -> None:
        """Close the clients that this decoder opened, in whichever event loop, and the encoder;
        decodes that still run end. Idempotent; the decoder cannot be used afterwards."""
        with self._starting:
            self._closed = True
            background, self._background = self._background, None
        if background is not None:
            await asyncio.to_thread(background.cancel)
        while self._opened:
            _, client = self._opened.popitem()
            await client.aclose()
        if background is not None:
            await asyncio.to_thread(background.close)
        await asyncio.to_thread(self._encoder.close)

    def close(self) -> None:
        """``aclose`` for synchronous code. Idempotent."""
        with self._starting:
            self._closed = True
        here = _running_loop()
        client = None if here is None else self._opened.pop(here, None)
        if here is not None and client is not None:
            # It can only close when this loop turns again, so nobody waits for it here.
            closing = here.create_task(client.aclose())
            closing.add_done_callback(lambda done: done.exception())
        if self._background is not None or self._opened:
            loop = BackgroundLoop()
            loop.run(self.aclose())
            loop.close()
        self._encoder.close()

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

    def _refuse_closed(self) -> None:
        if self._closed:
            raise DecodeError("this decoder was closed; make a new one")

    def _client_here(self) -> Client:
        """The client of the running loop: transports cannot move between loops."""
        if isinstance(self._client, Client):
            return self._client
        loop = asyncio.get_running_loop()
        if loop not in self._opened:
            self._opened[loop] = open_client(self._client, self._context)
        return self._opened[loop]

    async def _uncalibrated(
        self, client: Client, request: Request, plan: LaunchPlan, k: int
    ) -> tuple[str, ...]:
        """Where this decode differs from its policy's calibration, in a sentence. Also logged,
        before anything is spent on a promise that does not hold."""
        if not isinstance(self.policy, Calibrated):
            return ()
        asked = await client_asked(client, request, k)
        here = Conditions(self.measure, self.selector, plan, k, self.sampling.max_tokens, asked)
        differs = warning(self.policy.calibration, here)
        if differs is None:
            return ()
        log.warning("%s", differs)
        return (differs,)

    def _launched(self, chosen: Chosen) -> dict[str, str]:
        asked = self._settings["launch"]
        return {"launch": asked if chosen.spec is None else f"{asked} -> {chosen.spec}"}

    def _warnings(self, client: Client, request: Request, chosen: Chosen) -> tuple[str, ...]:
        warnings = [] if chosen.warning is None else [chosen.warning]
        if client.ignores_images and request.images:
            warnings.append(f"the client {client.name} does not look at the images")
        if self._encoder.over_long:
            warnings.append(
                f"sentences so far that are longer than the encoder reads: "
                f"{self._encoder.over_long}; only their beginning was measured"
            )
        return tuple(warnings)


def _client(client: str | Client | object, model: str | None) -> str | Client:
    if not isinstance(client, str | Client):
        return wrap(client, model)
    if model is not None:
        named = client if isinstance(client, str) else client.name
        raise SpecError(f"found the model {model!r} beside the client {named}, which names its own")
    return client


def _require_whole(k: int, seed: int | None) -> None:
    if type(k) is not int or k < 1:
        raise DecodeError(f"k is {k!r}; ask for at least 1 candidate, in a whole number")
    if seed is not None and type(seed) is not int:
        raise DecodeError(f"the seed is {seed!r}; expected a whole number")


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _template(prompt: str | PromptTemplate | None) -> PromptTemplate:
    if prompt is None:
        return default_prompt()
    return prompt_from_text(prompt) if isinstance(prompt, str) else prompt


def _load(images: Images) -> tuple[Image, ...]:
    if isinstance(images, str | Path | bytes | Image) or not isinstance(images, Iterable):
        return load_images([images])
    return load_images(images)
