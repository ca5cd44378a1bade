"""What asking costs: prices, facts about billing, and the plan that compares the ways of asking."""

from __future__ import annotations

from clients.pricing.bill import BilledTokens, Dollars, bill
from clients.pricing.errors import PricingError
from clients.pricing.facts import Cancellation, Facts, load_facts
from clients.pricing.image_tokens import AUTO
from clients.pricing.planner import Plan, plan
from clients.pricing.prices import Prices, load_prices, prices_for
from clients.pricing.providers import provider_and_model
from clients.pricing.strategies import Strategy

__all__ = [
    "AUTO",
    "BilledTokens",
    "Cancellation",
    "Dollars",
    "Facts",
    "Plan",
    "Prices",
    "PricingError",
    "Strategy",
    "bill",
    "load_facts",
    "load_prices",
    "plan",
    "prices_for",
    "provider_and_model",
]
