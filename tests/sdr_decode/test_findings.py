"""What sentences and reports say of the observations."""

from __future__ import annotations

import pytest

from sdr_decode.findings import Mention, Observation, label, label_report, label_sentence
from sdr_decode.findings.cues import CUES, Cue
from sdr_decode.findings.phrases import PhraseTable, spelled_out, words_of
from sdr_decode.segmenter import split_sentences
from sdr_decode.sentences import Sentence

CODES = {
    "EC": Observation.ENLARGED_CARDIOMEDIASTINUM,
    "Car": Observation.CARDIOMEGALY,
    "Op": Observation.LUNG_OPACITY,
    "Les": Observation.LUNG_LESION,
    "Ed": Observation.EDEMA,
    "Con": Observation.CONSOLIDATION,
    "Pna": Observation.PNEUMONIA,
    "Atel": Observation.ATELECTASIS,
    "Ptx": Observation.PNEUMOTHORAX,
    "Eff": Observation.PLEURAL_EFFUSION,
    "Pl": Observation.PLEURAL_OTHER,
    "Fx": Observation.FRACTURE,
    "Dev": Observation.SUPPORT_DEVICES,
}
SIGNS = {"+": Mention.POSITIVE, "?": Mention.UNCERTAIN, "-": Mention.NEGATIVE}


def expected(codes: str) -> dict[Observation, Mention]:
    """``Eff+ Ptx-`` as mentions."""
    return {CODES[code[:-1]]: SIGNS[code[-1]] for code in codes.split()}


def said(text: str) -> dict[Observation, Mention]:
    return dict(label_sentence(text).mentions)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        # plain
        ("There is a moderate right pleural effusion.", "Eff+"),
        ("MODERATE RIGHT PLEURAL EFFUSION", "Eff+"),
        ("Tiny apical pneumothorax on the left.", "Ptx+"),
        ("Two rib fractures on the right, healing.", "Fx+"),
        ("Air-space disease at both bases.", "Op+"),
        ("A 14 mm nodule sits in the lingula.", "Les+"),
        ("Biapical pleural thickening.", "Pl+"),
        ("Mild vascular congestion.", "Ed+"),
        ("Hydropneumothorax on the right.", "Ptx+ Eff+"),
        ("A PICC ends in the right atrium.", "Dev+"),
        ("Dual-lead pacemaker unchanged.", "Dev+"),
        # negation before
        ("No focal consolidation, effusion or pneumothorax.", "Con- Eff- Ptx-"),
        ("No consolidation, no effusion, and no pneumothorax.", "Con- Eff- Ptx-"),
        ("Lungs are free of consolidation.", "Con-"),
        ("Negative for pneumothorax.", "Ptx-"),
        ("Cardiomegaly without edema or effusion.", "Car+ Ed- Eff-"),
        ("Neither effusion nor pneumothorax.", "Eff- Ptx-"),
        ("No evidence of pneumonia.", "Pna-"),
        ("Atelectasis rather than pneumonia.", "Atel+ Pna-"),
        ("Interval resolution of the right effusion.", "Eff-"),
        ("Resolved pneumonia.", "Pna-"),
        ("No consolidation to suggest pneumonia.", "Con- Pna-"),
        ("Interval removal of the left chest tube.", "Dev-"),
        # negation behind
        ("Pneumothorax is not seen.", "Ptx-"),
        ("The left effusion has resolved.", "Eff-"),
        ("The opacities have cleared.", "Op-"),
        ("Effusion and pneumothorax are absent.", "Eff- Ptx-"),
        ("Fractures may not be demonstrated.", "Fx-"),
        ("Lines and tubes: none.", "Dev-"),
        # doubt
        ("Possible small left effusion.", "Eff?"),
        ("Opacity may represent atelectasis.", "Op+ Atel?"),
        ("Cannot exclude pneumonia.", "Pna?"),
        ("Pneumothorax is not excluded.", "Ptx?"),
        ("A nodule cannot be entirely excluded.", "Les?"),
        ("Findings suggesting edema.", "Ed?"),
        ("Question of a rib fracture.", "Fx?"),
        ("Is there a fracture?", "Fx?"),
        ("Atelectasis versus pneumonia at the left base.", "Atel? Pna?"),
        ("Atelectasis or scarring at the base.", "Atel? Op?"),
        ("Pneumonia is possible.", "Pna?"),
        ("Probable edema, no effusion.", "Ed? Eff-"),
        ("Nodular opacity behind the clavicle.", "Op+ Les?"),
        # where a scope ends
        ("No pneumothorax, but a small effusion persists.", "Ptx- Eff+"),
        ("No effusion; cardiomegaly.", "Eff- Car+"),
        ("No pneumothorax, however edema is present.", "Ptx- Ed+"),
        ("No pneumothorax and the left effusion is stable.", "Ptx- Eff+"),
        ("No effusion, stable cardiomegaly.", "Eff- Car+"),
        ("Without effusion there is left atelectasis.", "Eff- Atel+"),
        ("Lungs are clear except for basal atelectasis.", "Op- Con- Atel+"),
        # double meanings
        ("The effusion has decreased.", "Eff+"),
        ("No change in the cardiomegaly.", "Car+"),
        ("No significant interval change in edema.", "Ed+"),
        ("The effusion is unchanged.", "Eff+"),
        ("Pneumothorax has not resolved.", "Ptx+"),
        ("Edema has nearly resolved.", "Ed+"),
        ("Resolving pneumonia.", "Pna+"),
        ("No increase in the effusion.", "Eff+"),
        ("Heart size is at the upper limits of normal.", "Car-"),
        ("Borderline cardiomegaly.", "Car?"),
        ("The lead screw is fractured.", "Dev+"),
        ("Calcified right hilar nodule.", ""),
        ("Pericardial effusion.", ""),
        ("Lung volumes within normal limits.", ""),
        # normal statements
        ("Heart size is normal.", "Car-"),
        ("The heart is not enlarged.", "Car-"),
        ("Normal heart size and mediastinal contours.", "Car- EC-"),
        ("Heart, lungs and mediastinum are unremarkable.", "Car- Op- Con- EC-"),
        ("Cardiomediastinal silhouette within normal limits.", "Car- EC-"),
        ("The lungs are clear.", "Op- Con-"),
        ("Costophrenic angles are sharp.", "Eff-"),
        ("Osseous structures are intact.", "Fx-"),
        ("Pulmonary vascularity is normal.", "Ed-"),
        ("Heart is enlarged with clear lungs.", "Car+ Op- Con-"),
        ("Enlarged heart and normal vasculature.", "Car+ Ed-"),
        ("The mediastinum is widened.", "EC+"),
        ("Heart size mildly enlarged, stable mediastinal contours.", "Car+"),
        ("Prominent interstitial markings.", "Op+"),
        # history, and what is only asked for
        ("History of pneumonia.", ""),
        ("Evaluate for pneumothorax.", ""),
        ("Sequelae of old granulomatous infection.", ""),
        ("Repeat film to exclude an underlying mass.", ""),
        # blanks
        ("XXXX opacity XXXX representing atelectasis.", "Op+ Atel?"),
        ("Left chest XXXX with its tip in the vena cava.", "Dev+"),
        ("XXXX.", ""),
        # nothing
        ("No acute cardiopulmonary abnormality.", ""),
        ("Recommend CT.", ""),
    ],
)
def test_a_sentence_says(text: str, codes: str) -> None:
    assert said(text) == expected(codes)


def test_positive_beats_uncertain_beats_negative_within_a_sentence() -> None:
    assert said("No left effusion but a right effusion.") == expected("Eff+")
    assert said("No left effusion but possibly a right effusion.") == expected("Eff?")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Emphysema.", True),
        ("Possible hiatal hernia.", True),
        ("Multiple calcified granulomas.", True),
        ("No hernia.", False),
        ("Small effusion.", False),
        ("The lungs are clear.", False),
    ],
)
def test_another_abnormality_is_remembered(text: str, other: bool) -> None:
    assert label_sentence(text).other_abnormality is other


@pytest.mark.parametrize(
    ("report", "positive"),
    [
        ("The heart is normal. The lungs are clear.", True),
        ("A port is in place. Lungs are clear.", True),
        ("No acute disease.", True),
        ("Small effusion.", False),
        ("Small effusion is possible.", False),
        ("The lungs are clear. Thoracic scoliosis.", False),
    ],
)
def test_no_finding_is_positive_when_nothing_but_devices_is(report: str, positive: bool) -> None:
    stated = label(report)[Observation.NO_FINDING]
    assert stated is (Mention.POSITIVE if positive else Mention.NOT_MENTIONED)


def test_of_no_text_nothing_is_said() -> None:
    assert set(label("").values()) == {Mention.NOT_MENTIONED}
    assert set(label_report([]).values()) == {Mention.NOT_MENTIONED}


def test_a_report_holds_every_observation_in_order() -> None:
    findings = label_report(split_sentences("Cardiomegaly. Possible edema. No effusion. A port."))
    assert list(findings) == list(Observation)
    assert len(findings) == 14
    assert findings[Observation.CARDIOMEGALY] is Mention.POSITIVE
    assert findings[Observation.PLEURAL_EFFUSION] is Mention.NEGATIVE
    assert findings[Observation.FRACTURE] is Mention.NOT_MENTIONED
    assert findings.abnormal == {Observation.CARDIOMEGALY, Observation.EDEMA}
    assert findings.stated(Mention.POSITIVE) == {
        Observation.CARDIOMEGALY,
        Observation.SUPPORT_DEVICES,
    }


def test_text_and_sentences_give_the_same() -> None:
    report = "FINDINGS:\nHeart is enlarged.\nIMPRESSION:\n1. Cardiomegaly. 2. No edema."
    assert label(report) == label(split_sentences(report))


def test_a_later_mention_prevails_only_if_it_is_stronger() -> None:
    assert label("Cardiomegaly. No effusion. Heart is normal.")[Observation.CARDIOMEGALY] is (
        Mention.POSITIVE
    )


def test_what_is_asked_before_the_findings_is_not_read() -> None:
    report = "INDICATION: Pneumonia.\nFINDINGS: The lungs are clear."
    assert label(report)[Observation.PNEUMONIA] is Mention.NOT_MENTIONED


def test_text_without_headings_is_read() -> None:
    sentence = Sentence("Left effusion.", None, 0, 14)
    assert label_report([sentence])[Observation.PLEURAL_EFFUSION] is Mention.POSITIVE


def test_equal_sentences_are_labelled_once() -> None:
    text = "An effusion that no other test writes of."
    before = label_sentence.cache_info().hits
    assert label_sentence(text) is label_sentence(text)
    assert label_sentence.cache_info().hits == before + 1


def test_a_table_is_spelled_out() -> None:
    assert list(spelled_out("pleural? fluid|can~not, comma")) == [
        ("pleural", "fluid"),
        ("pleural", "can", "not"),
        ("fluid",),
        ("can", "not"),
        (",",),
    ]


def test_the_longest_phrase_is_taken_and_a_failed_one_gives_back() -> None:
    table = PhraseTable([("no, no change in", "cue"), ("change of", "other")])
    assert [(m.start, m.end) for m in table.matches(["no", "change", "in"])] == [(0, 3)]
    assert [(m.start, m.end) for m in table.matches(["no", "change", "of"])] == [(0, 1), (1, 3)]


def test_words_part_at_hyphens_and_keep_marks() -> None:
    assert words_of("air-space, 1.5 cm (new)?") == [
        *("air", "space", ",", "1.5", "cm", "(", "new", ")", "?"),
    ]


def test_every_kind_of_cue_has_phrases() -> None:
    assert set(CUES) == set(Cue)
