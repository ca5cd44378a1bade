"""Where token streams come from: one small client per engine or provider."""

from __future__ import annotations

from clients.base import (
    CandidateStream,
    Client,
    Finish,
    FinishReason,
    Image,
    Piece,
    Provenance,
    Request,
    Sampling,
    SharedRequest,
    TokenLogprob,
    Usage,
)
from clients.errors import ClientError
from clients.registry import ClientContext, open_client
from clients.wrap import wrap

__all__ = [
    "CandidateStream",
    "Client",
    "ClientContext",
    "ClientError",
    "Finish",
    "FinishReason",
    "Image",
    "Piece",
    "Provenance",
    "Request",
    "Sampling",
    "SharedRequest",
    "TokenLogprob",
    "Usage",
    "open_client",
    "wrap",
]
