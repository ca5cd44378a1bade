"""What a chest X-ray report says of the 14 observations of CheXpert, without a model."""

from sdr_decode.findings.observations import Mention, Observation
from sdr_decode.findings.report import Findings, label, label_report
from sdr_decode.findings.sentence import SentenceFindings, label_sentence

__all__ = [
    "Findings",
    "Mention",
    "Observation",
    "SentenceFindings",
    "label",
    "label_report",
    "label_sentence",
]
