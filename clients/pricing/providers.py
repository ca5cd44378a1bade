"""Which provider bills a client's requests."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from clients.pricing.errors import PricingError
from clients.pricing.facts import Facts, load_facts
from clients.spec import Spec, parse_spec


def provider_and_model(client: str | Spec, facts: Facts | None = None) -> tuple[str, str]:
    """The provider, as ``genai-prices`` names it, and the model of a client's spec.

    A ``base_url`` decides before the client's name; a server that nobody knows is named by its
    host. Raises ``PricingError`` for a client that bills nobody, and for a spec without a model.
    """
    spec = parse_spec(client) if isinstance(client, str) else client
    known = (facts or load_facts()).clients
    if spec.name not in known:
        raise PricingError(
            f"found the client {spec.name!r}; a plan is for one of {', '.join(sorted(known))}"
        )
    if not spec.value:
        raise PricingError(f"found {str(spec)!r}; a plan needs a model, as in {spec.name}:MODEL")
    url = spec.options.get("base_url")
    if url is None and spec.name == "openai":
        url = os.environ.get("OPENAI_BASE_URL") or None
    return known[spec.name] if url is None else _by_url(url), spec.value


def _by_url(url: str) -> str:
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - large

    try:
        return get_snapshot().find_provider(None, None, url).id
    except LookupError:
        return urlsplit(url).hostname or url
