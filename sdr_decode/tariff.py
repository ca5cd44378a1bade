"""What a client's tokens cost, and what its provider does with a stopped stream."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from clients.errors import ClientError
from clients.pricing.errors import PricingError
from clients.pricing.facts import Cancellation, Facts, PromptCache, load_facts
from clients.pricing.prices import Prices, prices_for
from clients.pricing.providers import provider_and_model


@dataclass(frozen=True, slots=True)
class Tariff:
    """The prices of a client's model and what is known of its provider's bills.

    ``why`` says why there are no prices, if there are none.
    """

    prices: Prices | None = None
    cancellation: Cancellation | None = None
    prompt_cache: PromptCache | None = None
    why: str | None = None

    @property
    def stopped(self) -> str:
        """How a stopped stream is billed, in words."""
        fact = self.cancellation
        return "unknown" if fact is None else f"{fact.billing} ({fact.told})"

    def cached(self, prompt: int | None, told: int | None) -> int | None:
        """The cached tokens of a prompt, none where it is too short for the cache to hold it."""
        if told is None and prompt is not None and self.prompt_cache is not None:
            return None if self.prompt_cache.cacheable(prompt) else 0
        return told


def tariff_of(
    client: str,
    *,
    prices: Prices | None = None,
    facts: Facts | None = None,
    on: datetime.date | None = None,
) -> Tariff:
    """The tariff of a client's spec, such as ``openai:gpt-4o-mini``.

    Without ``prices`` those that ``genai-prices`` has for the day ``on`` (today by default) are
    used; the first call loads it, which takes a fifth of a second. Never raises: what goes wrong
    with prices is no reason to lose a report, and stands in ``why``.
    """
    try:
        known = facts or load_facts()
        provider, model = provider_and_model(client, known)
        if prices is None and not known.is_own_engine(provider):
            prices = prices_for(provider, model, on or datetime.datetime.now(datetime.UTC).date())
    except PricingError:  # it bills nobody, as a recording
        return _bare(prices, f"no price is known for the client {client}")
    except ClientError as error:  # such as a package that is not installed
        return _bare(prices, str(error))
    except Exception as error:  # noqa: BLE001 - of a price list that is not ours
        return _bare(prices, f"the prices of the client {client} cannot be read: {error!r}")
    if prices is None:
        return _bare(None, f"no price is known for the client {client}")
    return Tariff(
        prices, known.cancellation_of(provider, model), known.prompt_cache_of(provider, model)
    )


def _bare(prices: Prices | None, why: str) -> Tariff:
    """A tariff without facts; prices that were given hold all the same."""
    return Tariff(prices, why=why if prices is None else None)
