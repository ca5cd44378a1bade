"""What can go wrong while an index is made.

SDRDecodeError
├── CorpusError     a corpus cannot become an index (sdr_decode.errors)
└── FetchError      something could not be downloaded, or is not what it should be

Every message says what was found, what was expected and what to do.
"""

from __future__ import annotations

from sdr_decode.errors import CorpusError, SDRDecodeError

__all__ = ["CorpusError", "FetchError"]


class FetchError(SDRDecodeError):
    """Something could not be downloaded, or has another checksum than the pinned one."""
