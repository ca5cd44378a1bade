"""Turns ``openai:gpt-4o-mini`` into a client."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module

from clients.base import Client
from clients.errors import SpecError
from clients.spec import Spec, parse_spec


@dataclass(frozen=True, slots=True)
class ClientContext:
    """What some clients need beside their spec.

    ``reports`` gives the training reports as text, for clients that learn from them; it is called
    only by those. ``api_key`` overrides the environment.
    """

    reports: Callable[[], Iterable[str]] | None = None
    api_key: str | None = None


# Each module has ``open_from_spec(spec: Spec, context: ClientContext) -> Client`` and is imported
# only when it is asked for, so that no vendor's package is needed by those who do not use it.
MODULES = {
    "demo": "clients.demo",
    "gemini": "clients.gemini",
    "mistral": "clients.mistral",
    "openai": "clients.openai",
    "recorded": "clients.recorded",
    "vllm": "clients.vllm",
    "vllm-server": "clients.vllm_server",
}


def open_client(spec: str | Spec, context: ClientContext | None = None) -> Client:
    """Open the client that ``spec`` names, such as ``recorded:val.jsonl.gz``.

    Raises ``SpecError`` for an unknown name (the message lists the known ones) and whatever the
    client itself finds wrong, such as ``MissingKeyError`` or ``MissingPackageError``.
    """
    parsed = parse_spec(spec) if isinstance(spec, str) else spec
    if parsed.name not in MODULES:
        known = ", ".join(sorted(MODULES))
        raise SpecError(f"unknown client {parsed.name!r}; known: {known}")
    client: Client = import_module(MODULES[parsed.name]).open_from_spec(
        parsed, context or ClientContext()
    )
    return client
