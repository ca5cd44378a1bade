"""Prices by provider, model and date, from ``genai-prices`` or from the user."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clients.errors import MissingPackageError
from clients.pricing.errors import PricingError
from clients.pricing.facts import describe

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per million tokens.

    ``cached`` is the price of input that is read from the prompt cache, ``cache_write`` of input
    that is written to it; ``None`` where no such price is known, and then it is billed as
    ``input``. ``date`` is the day for which the prices hold.
    """

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    cache_write: Decimal | None = None
    source: str = "the caller"
    date: datetime.date | None = None


def prices_for(provider: str, model: str, on: datetime.date) -> Prices | None:
    """The standard prices of ``model`` on the day ``on``, or ``None`` where none are known.

    Long-context surcharges are left out: they begin far above the prompts of a report.
    Raises ``MissingPackageError`` when ``genai-prices`` is not installed.
    """
    snapshot = _snapshot()
    noon = datetime.datetime.combine(on, datetime.time(12), datetime.UTC)
    try:
        _, found_model = snapshot.find_provider_model(model, None, provider, None)
    except LookupError:
        return None
    found = found_model.get_prices(noon)
    paid, written = _base(found.input_mtok), _base(found.output_mtok)
    if paid is None or written is None:
        return None
    return Prices(
        input=paid,
        output=written,
        cached=_base(found.cache_read_mtok),
        cache_write=_base(found.cache_write_mtok),
        source=f"genai-prices {version('genai-prices')}",
        date=on,
    )


def provider_at(url: str) -> str | None:
    """The provider whose API is at ``url``, as ``genai-prices`` names it.

    Raises ``MissingPackageError`` when ``genai-prices`` is not installed.
    """
    try:
        return _snapshot().find_provider(None, None, url).id
    except LookupError:
        return None


def _snapshot() -> DataSnapshot:
    try:
        from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - large
    except ImportError:
        raise MissingPackageError(
            "prices come from the package genai-prices, which is not installed; "
            "run: pip install genai-prices"
        ) from None
    return get_snapshot()


def _base(price: object) -> Decimal | None:
    """The price itself, or that of the first tier."""
    value = getattr(price, "base", price)
    return value if isinstance(value, Decimal) else None


class _PricesFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    input: Annotated[Decimal, Field(ge=0)]
    output: Annotated[Decimal, Field(ge=0)]
    cached: Annotated[Decimal | None, Field(ge=0)] = None
    cache_write: Annotated[Decimal | None, Field(ge=0)] = None
    source: str | None = None
    date: datetime.date | None = None


def load_prices(path: Path) -> Prices:
    """Prices from a JSON file: ``{"input": 0.15, "cached": 0.075, "output": 0.60}``, dollars per
    million tokens, optionally with ``cache_write``, ``source`` and ``date``.

    Raises ``PricingError`` when the file cannot be read or says something else.
    """
    try:
        read = _PricesFile.model_validate_json(path.read_bytes())
    except OSError as error:
        raise PricingError(f"the prices file {path} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        raise PricingError(f"the prices file {path} cannot be used: {describe(error)}") from None
    return Prices(
        input=read.input,
        output=read.output,
        cached=read.cached,
        cache_write=read.cache_write,
        source=read.source or str(path),
        date=read.date,
    )
