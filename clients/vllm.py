"""Candidates from vLLM's engine in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from clients.base import Client, Finish, Piece, Request, TokenLogprob, Usage
from clients.chat_chunks import BROKEN_OFF, FINISH_REASONS
from clients.errors import ClientError, SpecError, StreamError
from clients.hosted import HostedClient
from clients.reader import Event, Pace, Reading
from clients.registry import ClientContext
from clients.spec import Spec, allow_options, number, true_or_false, whole_number
from clients.vllm_engine import explain, in_one_line, start_engine
from clients.vllm_prompt import check_length, decode_image, render

if TYPE_CHECKING:
    from vllm.outputs import CompletionOutput, RequestOutput
    from vllm.sampling_params import SamplingParams
    from vllm.v1.engine.async_llm import AsyncLLM

REMEMBERED_STUDIES = 16


class VLLMClient(HostedClient):
    """Streams candidates from an ``AsyncLLM``, one request each, seeded ``seed + candidate``.

    The requests of a study share the engine's prefix cache and image cache. The model's chat
    template is applied where it has one. A cancel aborts the request and is awaited.

    ``model`` is a folder or a hub name. Without ``engine`` the client starts one with
    ``engine_args`` (those of vLLM's ``AsyncEngineArgs``) at the first ``check`` or stream, and
    shuts it down on ``aclose``. With ``engine``, one that the caller configured, that one is used,
    and left running; ``model`` is then only its name.

    ``more_sampling`` are further fields of vLLM's ``SamplingParams``, such as ``top_k``. Those that
    neither it nor the request gives are the model's own defaults, as on vLLM's server.

    All token counts are the engine's own. Raises ``MissingPackageError`` without vLLM and
    ``ClientError`` where the engine does not start or a prompt is longer than the model takes.
    """

    def __init__(
        self,
        model: str,
        *,
        engine: AsyncLLM | None = None,
        engine_args: dict[str, Any] | None = None,
        more_sampling: Mapping[str, Any] | None = None,
        logprobs: bool = False,
        max_concurrency: int = 256,
        pace: Pace | None = None,
    ) -> None:
        super().__init__(max_concurrency=max_concurrency, pace=pace)
        if not model:
            raise SpecError("vllm found no model; expected a folder or a name, as in vllm:MODEL")
        if engine is not None and engine_args:
            raise SpecError("vllm found both an engine and engine_args; give one of the two")
        self.model = model
        self.name = f"vllm:{model}"
        self._engine = engine
        self.engine_args = engine_args or {}
        self._more_sampling = {**(more_sampling or {}), "logprobs": 0 if logprobs else None}
        self._starting: Future[None] | None = None
        self._studies: dict[tuple[str, ...], asyncio.Task[list[Any]]] = {}

    def __repr__(self) -> str:
        return f"VLLMClient({self.name!r})"

    async def check(self, request: Request, k: int) -> None:
        """Start the engine where that is still to do, measure the prompt, look at the settings."""
        await super().check(request, k)
        engine = await self.start()
        _sampling(engine, request, 0, self._more_sampling)
        await self._pictures(engine, request)

    async def attempt(self, request: Request, candidate: int) -> AsyncGenerator[Event, None]:
        engine = await self.start()
        sampling = _sampling(engine, request, candidate, self._more_sampling)
        prompt = await render(engine, request, await self._pictures(engine, request))
        request_id = f"sdr-{uuid4().hex}"
        outputs = engine.generate(prompt.rendered, sampling, request_id)
        generated = 0
        try:
            while (output := await _next(outputs, engine)) is not None:
                if not output.outputs:
                    continue
                completion = output.outputs[0]
                word = completion.finish_reason
                if word in BROKEN_OFF:
                    # Such as an image that the engine no longer has: it is sent again next time.
                    raise StreamError(f"vLLM broke the report off ({word})", retryable=True)
                generated += len(completion.token_ids)
                yield Usage(prompt.tokens, prompt.image_tokens, output.num_cached_tokens, generated)
                if completion.token_ids or completion.text:
                    yield _piece(completion, generated)
                if word is not None:
                    reason = FINISH_REASONS.get(word, "stop")
                    yield Finish(reason, None if word == reason else word)
        finally:
            await outputs.aclose()
            # A request that was cancelled on its way into the engine is aborted by nothing else.
            if not engine.errored:
                await engine.abort(request_id)

    async def aclose(self) -> None:
        await super().aclose()
        # Where the client's event loop is gone its requests are too, but not the engine.
        await self.close_transport()

    async def close_transport(self) -> None:
        loop = asyncio.get_running_loop()
        # Those of a loop that is gone went with it.
        measuring = [task for task in self._studies.values() if task.get_loop() is loop]
        self._studies.clear()
        for task in measuring:
            task.cancel()
        await asyncio.gather(*measuring, return_exceptions=True)
        starting, self._starting = self._starting, None
        if starting is None:
            return
        with suppress(ClientError):
            await asyncio.wrap_future(starting)
        engine, self._engine = self._engine, None
        if engine is None:
            return
        if engine.output_handler is not None:
            engine.output_handler.cancel()  # else it reports the engine's end as a failure
        await asyncio.to_thread(engine.shutdown)

    @asynccontextmanager
    async def _admit(self, reading: Reading[Any]) -> AsyncIterator[None]:
        async with super()._admit(reading):
            await self.start()  # not on the stream's time
            yield

    async def start(self) -> AsyncLLM:
        """The engine, which the first call starts. Raises as the class says."""
        self._bind()
        if self._engine is None:
            if self._starting is None:
                self._starting = Future()
                Thread(target=self._start, args=(self._starting,), daemon=True).start()
            await asyncio.shield(asyncio.wrap_future(self._starting))
        assert self._engine is not None
        return self._engine

    def _start(self, starting: Future[None]) -> None:
        try:
            self._engine = start_engine(self.model, self.engine_args)
        except BaseException as error:  # noqa: BLE001 - raised to whoever waits for the engine
            starting.set_exception(error)
        else:
            starting.set_result(None)

    async def _pictures(self, engine: AsyncLLM, request: Request) -> list[Any]:
        """The decoded images of a request whose prompt fits; worked out once a study."""
        study = (request.prompt, *(image.sha256 for image in request.images))
        task = self._studies.pop(study, None)
        if task is None or task.cancelled():
            task = asyncio.create_task(_fitting_pictures(engine, request))
        self._studies[study] = task
        while len(self._studies) > REMEMBERED_STUDIES:
            del self._studies[next(iter(self._studies))]
        return await asyncio.shield(task)


async def _fitting_pictures(engine: AsyncLLM, request: Request) -> list[Any]:
    pictures = [await asyncio.to_thread(decode_image, image) for image in request.images]
    check_length(
        await render(engine, request, pictures, dry=True), engine.model_config.max_model_len
    )
    return pictures


async def _next(outputs: AsyncGenerator[RequestOutput, None], engine: AsyncLLM) -> Any:
    try:
        return await anext(outputs, None)
    except Exception as error:
        raise explain(error, engine) from error


def _sampling(
    engine: AsyncLLM, request: Request, candidate: int, more: Mapping[str, Any]
) -> SamplingParams:
    from vllm.sampling_params import RequestOutputKind, SamplingParams  # noqa: PLC0415

    wanted = request.sampling
    settings = {
        **engine.model_config.get_diff_sampling_param(),
        **more,
        "temperature": wanted.temperature,
        "max_tokens": wanted.max_tokens,
    }
    if wanted.top_logprobs:
        settings["logprobs"] = wanted.top_logprobs
    if wanted.top_p is not None:
        settings["top_p"] = wanted.top_p
    if wanted.seed is not None:
        settings["seed"] = wanted.seed + candidate
    try:
        return SamplingParams(**settings, output_kind=RequestOutputKind.DELTA)
    except Exception as error:
        raise StreamError(f"vLLM does not take these settings: {in_one_line(error)}") from error


def _piece(completion: CompletionOutput, generated: int) -> Piece:
    logprob = None
    if completion.logprobs:
        logprob = sum(
            choices[token].logprob
            for token, choices in zip(completion.token_ids, completion.logprobs, strict=True)
        )
    likeliest = _likeliest(completion)
    return Piece(completion.text, len(completion.token_ids), generated, logprob, likeliest)


def _likeliest(completion: CompletionOutput) -> tuple[TokenLogprob, ...] | None:
    """The likeliest tokens at the place of the first token that is not blank."""
    for chosen, choices in zip(completion.token_ids, completion.logprobs or (), strict=False):
        if (choices[chosen].decoded_token or "").strip():
            ranked = sorted(choices.values(), key=lambda each: -each.logprob)
            return tuple(
                TokenLogprob(each.decoded_token, each.logprob)
                for each in ranked
                if each.decoded_token is not None
            )
    return None


def open_from_spec(spec: Spec, context: ClientContext) -> Client:
    """``vllm:MODEL`` with the engine's options ``block_size``, ``dtype``, ``enforce_eager`` (true,
    false), ``gpu_memory_utilization``, ``max_model_len``, ``max_num_seqs`` and
    ``tensor_parallel_size``, and the client's ``logprobs`` (true, false) and
    ``max_concurrency``."""
    sizes = ("block_size", "max_model_len", "max_num_seqs", "tensor_parallel_size")
    allow_options(
        spec, *sizes, "dtype", "enforce_eager", "gpu_memory_utilization", "logprobs",
        "max_concurrency",
    )  # fmt: skip
    options = spec.options
    arguments: dict[str, Any] = {
        name: whole_number(spec, options[name], name, low=1) for name in sizes if name in options
    }
    if "dtype" in options:
        arguments["dtype"] = options["dtype"]
    if "gpu_memory_utilization" in options:
        arguments["gpu_memory_utilization"] = number(
            spec, options["gpu_memory_utilization"], "gpu_memory_utilization", high=1.0
        )
    if "enforce_eager" in options:
        arguments["enforce_eager"] = true_or_false(spec, "enforce_eager")
    return VLLMClient(
        spec.value or "",
        engine_args=arguments,
        logprobs=true_or_false(spec, "logprobs"),
        max_concurrency=whole_number(
            spec, options.get("max_concurrency", "256"), "max_concurrency", low=1
        ),
    )
