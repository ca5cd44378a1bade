"""What can go wrong in the decoder.

SDRDecodeError
├── IndexFormatError        an index is missing, damaged, of a newer format, or not an index
│   └── EncoderMismatchError    the index was built with another encoder
├── EncoderError            an encoder cannot be loaded or does not do what is needed
├── CorpusError             a corpus cannot become an index
├── ResultFormatError       a result file is damaged, of another format, or not a result
├── ConceptError            a vocabulary or model of concepts cannot be used
├── CalibrationError        no policy can be certified, or a calibration cannot be used
├── RewardError             a reward cannot be computed from what it was given
└── DecodeError             a decode cannot start, or no candidate gave any text

Every message says what was found, what was expected and what to do. Errors of the clients are
``clients.errors.ClientError``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdr_decode.ledger import Ledger
    from sdr_decode.result import CandidateResult


class SDRDecodeError(Exception):
    """The root of this package's errors."""


class IndexFormatError(SDRDecodeError):
    """An index cannot be used."""


class EncoderMismatchError(IndexFormatError):
    """The index was built with an encoder other than the one given."""


class EncoderError(SDRDecodeError):
    """An encoder cannot be loaded."""


class CorpusError(SDRDecodeError):
    """A corpus cannot become an index."""


class ResultFormatError(SDRDecodeError):
    """A result file cannot be used."""


class ConceptError(SDRDecodeError):
    """A vocabulary or a model of concepts cannot be used."""


class CalibrationError(SDRDecodeError):
    """No policy keeps what was asked for, or a calibration cannot be used."""


class RewardError(SDRDecodeError):
    """A reward cannot be computed from the completions and columns that it was given."""


class DecodeError(SDRDecodeError):
    """A decode cannot start, or nothing came of it.

    ``ledger`` is what was spent, if anything, and ``candidates`` what came of each candidate.
    """

    def __init__(
        self,
        message: str,
        ledger: Ledger | None = None,
        candidates: tuple[CandidateResult, ...] = (),
    ) -> None:
        super().__init__(message)
        self.ledger = ledger
        self.candidates = candidates
