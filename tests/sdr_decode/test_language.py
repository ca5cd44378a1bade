"""Whether a text stays in its language, as a reward and while it streams."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.errors import SpecError
from sdr_decode.candidate import Candidate, MeasuredSentence
from sdr_decode.errors import SDRDecodeError
from sdr_decode.language import expected_language, language_consistency
from sdr_decode.pruning import policies
from sdr_decode.segmenter import Segmenter, split_sentences
from sdr_decode.sentences import normalise

JAPANESE = "心拡大は認めません。肺野は清です。"
CHINESE = "心影不大。双肺清晰。"


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("", "ja", 1.0),
        ("肺炎", "ja", 1.0),
        ("肺炎。", "ja", 1.0),
        ("J18.9", "ja", 1.0),
        ("気胸。胸水。", "ja", 0.0),
        (JAPANESE, "ja", 1.0),
        (CHINESE, "ja", 0.0),
        ("肺炎。" + JAPANESE + "J18.9。", "ja", 1.0),
        (JAPANESE + CHINESE, "ja", 0.0),
        ("心影不大。」", "ja", 1.0),
        ("レントゲン。心影不大。アリ。双肺清晰", "ja", 1.0),
        ("Clear. No effusion.", "ja", 1.0),  # without a 。 it is one sentence
        ("Clear。No effusion。", "ja", 0.0),
        ("Lungs are clear. No effusion.", "en", 1.0),
        ("Of 5 µm and λ. No β.", "en", 1.0),
        ("Лёгкие чистые. Lungs are clear. Сердце не расширено.", "en", 1.0),
        ("Лёгкие чистые. Сердце не расширено. Lungs are clear.", "en", 0.0),
        ("Лёгкие чистые. Сердце не расширено.", "ru", 1.0),
        ("Lungs are clear. No effusion.", "cyrillic", 0.0),
        ("Lungs are clear. 1.5 cm. 12/80.", "latin", 1.0),
        (CHINESE, "en", 0.0),
        (CHINESE, "zh", 1.0),
        ("폐는 깨끗합니다. 심장은 정상입니다.", "ko", 1.0),
    ],
)
def test_two_slips_in_a_row_and_only_these_leave_the_language(
    text: str, language: str, expected: float
) -> None:
    assert language_consistency(text, language) == expected


def test_an_unknown_language_is_refused_with_those_known() -> None:
    with pytest.raises(SDRDecodeError, match=r"found 'klingon'.* en, .*latin"):
        expected_language("klingon")
    with pytest.raises(SpecError, match="found 'klingon'"):
        policies.make("language:klingon")
    with pytest.raises(SpecError, match="does not know the option"):
        policies.make("language:ja,slips=3")


def fires_after(text: str, spec: str) -> int | None:
    """The number of characters with which the policy stops the text as it streams in."""
    policy, segmenter, candidate = policies.make(spec), Segmenter(), Candidate(0)
    for end, char in enumerate(text, 1):
        for sentence in segmenter.feed(char):
            measured = MeasuredSentence(sentence, normalise(sentence.text), 0.0, None, end)
            candidate.close(measured)
        if list(policy.prune([candidate])):
            return end
    return None


def test_the_policy_fires_with_the_second_slip_in_a_row_never_before() -> None:
    # a full stop is certain with the character behind it
    assert fires_after(JAPANESE + CHINESE + "肺", "language:ja") == len(JAPANESE + CHINESE) + 1
    assert fires_after("心影不大。" + JAPANESE + "双肺清晰。", "language:ja") is None
    assert fires_after("Лёгкие чистые. Сердце не расширено. Ж", "language") == 36
    assert fires_after("Clear.\nNo effusion.\nNormal heart.\nA", "language:ja") is None


words = st.sampled_from(["肺炎", "正常です", "CT", "XXXX", "アリ", "J18.9"])


@given(st.lists(words | st.sampled_from(["。", "」", "\n", "Clear. "]), max_size=12))
def test_what_the_policy_stops_has_no_reward(parts: list[str]) -> None:
    text = "".join(parts)
    fired = fires_after(text, "language:ja")
    assert fired is None or language_consistency(text[:fired], "ja") == 0.0


@given(st.lists(words, max_size=6))
def test_what_has_no_reward_is_stopped(sentences: list[str]) -> None:
    text = "".join(f"{sentence}。" for sentence in sentences)
    fired = fires_after(text + "肺", "language:ja")
    assert (fired is None) == (language_consistency(text, "ja") == 1.0)


@pytest.mark.parametrize("closer", ["", "」", "』"])
def test_an_ideographic_full_stop_closes_a_sentence(closer: str) -> None:
    text = f"肺野は清です。{closer}心拡大なし。\nNo. 3 。 Findings: 正常。"
    assert [sentence.text for sentence in split_sentences(text)] == [
        f"肺野は清です。{closer}",
        "心拡大なし。",
        "No. 3 。",
        "正常。",
    ]
