"""Which provider bills a client's requests."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from clients.pricing.errors import PricingError
from clients.pricing.facts import Facts, load_facts
from clients.pricing.prices import provider_at
from clients.spec import Spec, parse_spec


def provider_and_model(client: str | Spec, facts: Facts | None = None) -> tuple[str, str]:
    """The provider, as ``genai-prices`` names it, and the model of a client's spec.

    A ``base_url`` decides before the client's name, unless that names an engine of one's own; a
    server that nobody knows is named by its host. Raises ``PricingError`` for a client that bills
    nobody, and for a spec without a model.
    """
    spec = parse_spec(client) if isinstance(client, str) else client
    facts = facts or load_facts()
    if spec.name not in facts.clients:
        known = ", ".join(sorted(facts.clients))
        raise PricingError(f"found the client {spec.name!r}; a plan is for one of {known}")
    if not spec.value:
        raise PricingError(f"found no model; a plan needs one, as in {spec.name}:MODEL")
    provider = facts.clients[spec.name]
    url = spec.options.get("base_url")
    if url is None and spec.name == "openai":
        url = os.environ.get("OPENAI_BASE_URL") or None
    if url is None or facts.is_own_engine(provider):
        return provider, spec.value
    # Only the host is named: the rest of an address may hold a secret.
    return provider_at(url) or urlsplit(url).hostname or "an unknown server", spec.value
