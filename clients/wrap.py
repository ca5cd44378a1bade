"""Turns an SDK object that a caller configured into a client."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from clients.base import Client
from clients.errors import SpecError


class _Wrapping(NamedTuple):
    """An SDK's class, known by its package and name, so that none is imported to find out."""

    package: str
    sdk: str
    module: str
    client: str
    argument: str


WRAPPINGS = (
    _Wrapping("openai", "AsyncOpenAI", "clients.openai", "OpenAIClient", "sdk"),
    _Wrapping("google.genai", "Client", "clients.gemini", "GeminiClient", "sdk"),
    _Wrapping("mistralai", "Mistral", "clients.mistral", "MistralClient", "sdk"),
    _Wrapping("vllm", "AsyncLLM", "clients.vllm", "VLLMClient", "engine"),
)
INSTEAD = {
    ("openai", "OpenAI"): "AsyncOpenAI",
    ("openai", "AzureOpenAI"): "AsyncAzureOpenAI",
    ("google.genai", "AsyncClient"): "the genai.Client that it belongs to",
    ("vllm", "LLM"): "AsyncLLM",
}
EXPECTED = "AsyncOpenAI, AsyncAzureOpenAI, genai.Client, Mistral or AsyncLLM"


def wrap(sdk: object, model: str | None, **options: Any) -> Client:
    """The client that streams over ``sdk``, an ``AsyncOpenAI``, ``AsyncAzureOpenAI``,
    ``genai.Client``, ``Mistral`` or vLLM ``AsyncLLM``, or of a class derived from one.

    ``model`` is the model's name at that provider (with Azure, the deployment's). ``options`` are
    those of the client's own class. The caller's object is used as it is, with its keys, addresses
    and proxies, except that retries are the client's; closing the client leaves it open.

    Raises ``SpecError`` for any other object, and without a model.
    """
    if isinstance(sdk, Client):
        raise SpecError(f"{type(sdk).__name__} is a client already; use it as it is")
    for home, name in _lineage(sdk):
        for wrapping in WRAPPINGS:
            if name == wrapping.sdk and _lies_in(home, wrapping.package):
                if not model:
                    raise SpecError(
                        f"found {type(sdk).__name__} without a model; name it, as in "
                        "wrap(sdk, model='...') or SDRDecoder(client=sdk, model='...')"
                    )
                maker = getattr(import_module(wrapping.module), wrapping.client)
                client: Client = maker(model, **{wrapping.argument: sdk}, **options)
                return client
        for (package, wrong), right in INSTEAD.items():
            if name == wrong and _lies_in(home, package):
                raise SpecError(
                    f"found {wrong} of {package}, which streams one report at a time; "
                    f"expected {right}"
                )
    found = getattr(type(sdk), "__qualname__", "an object")
    raise SpecError(f"found {found} as the client; expected a spec, a Client, or {EXPECTED}")


def _lineage(sdk: object) -> list[tuple[str, str]]:
    """Module and name of the object's class and of those that it is derived from."""
    return [(each.__module__, each.__name__) for each in type(sdk).__mro__]


def _lies_in(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")
