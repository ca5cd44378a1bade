"""What a chest X-ray report says of the 14 observations of CheXpert, without a model.

A sentence is read in four steps: its words (``phrases``), the observations that they mention
(``lexicon``) or that a subject and its quality state (``statements``, ``pairing``), and what the
cues around these make of them (``cues``, ``scope``). Sentences are labelled once and remembered, so
a report costs little more than a look-up.

Why phrases of its own: of the packages that implement NegEx or ConText, negspacy 1.1 knows negation
only, so neither doubt nor "has resolved"; medspaCy 1.3, the maintained ConText, read six of nine
probes wrong as it comes ("cannot exclude pneumonia" as denied, "not seen" and "has resolved" as
affirmed, "no change in the cardiomegaly" as denied), ran at a seventh of the speed, and needs spaCy
and a package that no longer builds from its source; pyConTextNLP is without a release since 2019.
With radiology's phrases to be written in any case, what is left is the scope rule, one short file.

The labels agree with the human tags of Open-i with a micro-F1 of 0.89 over the 11 observations that
have tags, on the half of the reports that the phrases were not written from; see
``benchmarks/findings_agreement.py``. They are made for chest X-ray reports in English, and rare
wordings escape them. They are for comparing reports, not for care.
"""

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
