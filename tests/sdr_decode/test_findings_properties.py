"""What holds of the labels of any text."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdr_decode.findings import Mention, Observation, label, label_report, label_sentence
from sdr_decode.findings.observations import stronger
from sdr_decode.sentences import SECTIONS, Sentence

TEXTS = [
    *("Small left effusion.", "No effusion.", "Possible effusion.", "Heart size is normal."),
    *("Cardiomegaly.", "Lungs are clear.", "Opacity may be pneumonia.", "Scoliosis.", "A PICC."),
    *("No pneumothorax, but edema.", "XXXX.", "", "Nodule versus scar."),
]
WORDS = st.sampled_from(
    """no not without possible may but and or , ; the is are has resolved cleared effusion edema
    pneumothorax heart lungs normal enlarged clear versus history of change in excluded cannot
    exclude XXXX mild nodule ? """.split()
)

sentences = st.builds(
    Sentence,
    st.sampled_from(TEXTS),
    st.sampled_from([None, *SECTIONS]),
    st.just(0),
    st.just(0),
)


@given(st.text(max_size=200))
@settings(max_examples=200)
def test_any_text_has_labels(text: str) -> None:
    labels = label(text)
    assert list(labels) == list(Observation)
    assert Observation.NO_FINDING not in label_sentence(text).mentions


@given(st.lists(WORDS, max_size=14))
@settings(max_examples=200)
def test_any_order_of_cues_and_findings_has_labels(words: list[str]) -> None:
    text = " ".join(words)
    mentions = label_sentence(text).mentions
    assert Mention.NOT_MENTIONED not in mentions.values()
    label_sentence.cache_clear()
    assert label_sentence(text).mentions == mentions


@given(st.lists(WORDS, max_size=14))
@settings(max_examples=100)
def test_case_space_and_the_last_full_stop_say_nothing(words: list[str]) -> None:
    text = " ".join(words)
    assert label_sentence(f"  {text.upper()}  .") == label_sentence(text)


@given(st.lists(sentences, max_size=8), st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_the_order_of_sentences_says_nothing(
    report: list[Sentence], shuffled_by: random.Random
) -> None:
    shuffled = list(report)
    shuffled_by.shuffle(shuffled)
    assert label_report(shuffled) == label_report(report)
    assert label_report([*report, *report]) == label_report(report)


@given(st.lists(st.sampled_from(TEXTS), max_size=6), st.sampled_from(TEXTS))
@settings(max_examples=150)
def test_another_sentence_takes_no_mention_back(texts: list[str], added: str) -> None:
    report = [Sentence(text, "findings", 0, 0) for text in texts]
    before = label_report(report)
    after = label_report([*report, Sentence(added, "findings", 0, 0)])
    for observation in set(Observation) - {Observation.NO_FINDING}:
        assert stronger(after[observation], before[observation]) is after[observation]


@given(st.lists(sentences, min_size=1, max_size=8))
@settings(max_examples=150)
def test_no_finding_excludes_every_abnormality(report: list[Sentence]) -> None:
    findings = label_report(report)
    if findings[Observation.NO_FINDING] is Mention.POSITIVE:
        assert not findings.abnormal
        assert not findings.other_abnormality
    else:
        assert findings.abnormal or findings.other_abnormality


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", ".", "???", "no", "no no no", "or or", "effusion or", "or effusion", "versus"),
        *("не выявлено", "胸水なし", "\u200b", "e\u0301dema", "🫁 effusion", "no\u00a0effusion"),
    ],
)
def test_odd_texts_are_read(text: str) -> None:
    label(text)


def test_composed_and_wide_letters_are_the_same_word() -> None:
    assert label("No \uff45\uff44\uff45\uff4d\uff41.")[Observation.EDEMA] is Mention.NEGATIVE
    assert label("No\u00a0effusion.")[Observation.PLEURAL_EFFUSION] is Mention.NEGATIVE
