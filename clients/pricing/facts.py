"""What is known about providers and models beside their prices: dated, sourced, replaceable."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Sequence
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError

from clients.pricing.errors import PricingError
from clients.pricing.image_tokens import AnyFormula

Billing = Literal["stops", "full", "unknown"]
Evidence = Literal["documented", "measured", "read", "reported"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Sourced(_Model):
    """Where a fact comes from: the source, the day it was read, and the kind of evidence."""

    source: Annotated[str, Field(min_length=1)]
    date: datetime.date
    evidence: Evidence

    @property
    def told(self) -> str:
        return f"{self.evidence}, {self.date}: {self.source}"


class Rule(Sourced):
    """A fact about the models of some providers, both given as shell patterns."""

    provider: Annotated[tuple[str, ...], Field(min_length=1)]
    model: Annotated[tuple[str, ...], Field(min_length=1)] = ("*",)

    def fits(self, provider: str, model: str) -> bool:
        return any(fnmatchcase(provider, pattern) for pattern in self.provider) and any(
            fnmatchcase(model, pattern) for pattern in self.model
        )


class Cancellation(Rule):
    """What a stream costs that is cancelled: its output ``stops`` being billed at the cut, it is
    billed in ``full``, or it is ``unknown``."""

    billing: Billing

    @property
    def certain(self) -> bool:
        """Whether a saving may be counted on: third parties' word alone leaves a range."""
        return self.billing == "full" or (self.billing == "stops" and self.evidence != "reported")


class PromptCache(Rule):
    """Prompts of at least ``minimum`` tokens are cached, and read back in steps of ``step``.

    ``writes``: what is not read back is written, at the cache-write price.
    """

    minimum: PositiveInt
    step: PositiveInt = 1
    writes: bool = False

    def cacheable(self, prompt: int) -> int:
        """How many tokens of a repeated prompt the cache can give back."""
        return prompt // self.step * self.step if prompt >= self.minimum else 0


class Choices(Rule):
    """Whether one request may ask for several choices (n=K), with its input billed once."""

    supported: bool
    streaming: bool
    maximum: PositiveInt | None = None


class ImageTokens(Rule):
    formula: AnyFormula


class ModelEnd(Rule):
    """The day from which a model no longer answers."""

    ends: datetime.date


class Staged(Sourced):
    """How many of ``of`` prompts the staged launch ``launch`` sends on average."""

    launch: str
    launches: Annotated[Decimal, Field(ge=1)]
    of: PositiveInt


class Engines(_Model):
    own: tuple[str, ...] = ()


AnyRule = TypeVar("AnyRule", bound=Rule)


class FactsFile(_Model):
    """The tables of a facts file. All may be left out in a file that adds to the built-in ones."""

    clients: dict[str, str] = {}
    engines: Engines = Engines()
    staged: Staged | None = None
    cancellation: tuple[Cancellation, ...] = ()
    prompt_cache: tuple[PromptCache, ...] = ()
    choices: tuple[Choices, ...] = ()
    image_tokens: tuple[ImageTokens, ...] = ()
    model_end: tuple[ModelEnd, ...] = ()


class Facts(FactsFile):
    """All facts. Each lookup gives the first rule that fits, or ``None`` where nothing is known."""

    staged: Staged

    def cancellation_of(self, provider: str, model: str) -> Cancellation | None:
        return _first(self.cancellation, provider, model)

    def prompt_cache_of(self, provider: str, model: str) -> PromptCache | None:
        return _first(self.prompt_cache, provider, model)

    def choices_of(self, provider: str, model: str) -> Choices | None:
        return _first(self.choices, provider, model)

    def image_tokens_of(self, provider: str, model: str) -> ImageTokens | None:
        return _first(self.image_tokens, provider, model)

    def end_of(self, provider: str, model: str) -> ModelEnd | None:
        return _first(self.model_end, provider, model)

    def is_own_engine(self, provider: str) -> bool:
        return provider in self.engines.own


def _first(rules: Sequence[AnyRule], provider: str, model: str) -> AnyRule | None:
    return next((rule for rule in rules if rule.fits(provider, model)), None)


def load_facts(path: Path | None = None) -> Facts:
    """The built-in facts, with those of the TOML file ``path`` before them.

    Raises ``PricingError`` when the file is missing, is not TOML, or has a table that is not known.
    """
    built_in = _built_in()
    if path is None:
        return built_in
    own = _read(path)
    return Facts(
        clients={**built_in.clients, **own.clients},
        engines=Engines(own=own.engines.own + built_in.engines.own),
        staged=own.staged or built_in.staged,
        cancellation=own.cancellation + built_in.cancellation,
        prompt_cache=own.prompt_cache + built_in.prompt_cache,
        choices=own.choices + built_in.choices,
        image_tokens=own.image_tokens + built_in.image_tokens,
        model_end=own.model_end + built_in.model_end,
    )


@cache
def _built_in() -> Facts:
    return Facts.model_validate(tomllib.loads(_text(Path(__file__).with_name("facts.toml"))))


def _read(path: Path) -> FactsFile:
    try:
        return FactsFile.model_validate(tomllib.loads(_text(path)))
    except tomllib.TOMLDecodeError as error:
        raise PricingError(f"the facts file {path} is not TOML: {error}") from None
    except ValidationError as error:
        raise PricingError(f"the facts file {path} cannot be used: {describe(error)}") from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise PricingError(f"the facts file {path} cannot be read: {reason}") from None


def describe(error: ValidationError) -> str:
    """The first complaint of pydantic in one line: where, what was expected, what was found."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "the file"
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{where}: {first['msg'][0].lower()}{first['msg'][1:]}{more}"
