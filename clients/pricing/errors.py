"""What can go wrong with prices and plans."""

from __future__ import annotations

from clients.errors import ClientError


class PricingError(ClientError):
    """A facts or prices file, or an argument of a plan, cannot be used."""
