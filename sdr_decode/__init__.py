"""Decode chest X-ray reports from K streams against a corpus of real reports."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sdr_decode.version import __version__

if TYPE_CHECKING:
    from sdr_decode.corpus import Corpus
    from sdr_decode.decoder import SDRDecoder
    from sdr_decode.errors import (
        CalibrationError,
        CorpusError,
        DecodeError,
        EncoderError,
        EncoderMismatchError,
        IndexFormatError,
        ResultFormatError,
        RewardError,
        SDRDecodeError,
    )
    from sdr_decode.result import Report, Result
    from sdr_decode.segmenter import Segmenter, split_sentences
    from sdr_decode.sentences import Sentence
    from sdr_decode.streams import Timeouts

# Imported when first asked for, so that `import sdr_decode` is instant.
_HOMES = {
    "CalibrationError": "sdr_decode.errors",
    "Corpus": "sdr_decode.corpus",
    "CorpusError": "sdr_decode.errors",
    "DecodeError": "sdr_decode.errors",
    "EncoderError": "sdr_decode.errors",
    "EncoderMismatchError": "sdr_decode.errors",
    "IndexFormatError": "sdr_decode.errors",
    "Report": "sdr_decode.result",
    "Result": "sdr_decode.result",
    "ResultFormatError": "sdr_decode.errors",
    "RewardError": "sdr_decode.errors",
    "SDRDecodeError": "sdr_decode.errors",
    "SDRDecoder": "sdr_decode.decoder",
    "Segmenter": "sdr_decode.segmenter",
    "Sentence": "sdr_decode.sentences",
    "Timeouts": "sdr_decode.streams",
    "split_sentences": "sdr_decode.segmenter",
}

__all__ = [
    "CalibrationError",
    "Corpus",
    "CorpusError",
    "DecodeError",
    "EncoderError",
    "EncoderMismatchError",
    "IndexFormatError",
    "Report",
    "Result",
    "ResultFormatError",
    "RewardError",
    "SDRDecodeError",
    "SDRDecoder",
    "Segmenter",
    "Sentence",
    "Timeouts",
    "__version__",
    "split_sentences",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
