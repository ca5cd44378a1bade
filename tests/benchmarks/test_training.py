"""Training with rewards, and what is said of it."""

from __future__ import annotations

import tarfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from benchmarks.training.curve import draw
from benchmarks.training.examples import Example, held_out_examples, shown, training_examples
from benchmarks.training.grpo import Recipe, Step, train
from benchmarks.training.held_out import OUTCOMES, HeldOut
from benchmarks.training.report import TrainingReport, paired
from benchmarks.training.report_model import ReportModel
from benchmarks.training.runs import Checkpoint, Run
from clients.recording import RecordedCandidate, RecordedStudy, RecordingWriter, Reference
from sdr_decode.rewards import Reward, rewards
from sdr_decode.rewards.base import TextReward
from tests.data import real_data

EFFUSION = "FINDINGS:\nThere is a left pleural effusion.\nIMPRESSION:\nLeft pleural effusion."
CLEAR = "FINDINGS:\nThe lungs are clear.\nIMPRESSION:\nNo acute disease."
RECIPE = Recipe(steps=2, prompts=2, group=2, max_tokens=12, learning_rate=1e-3, kl=0.0)


def archive(path: Path, reports: dict[str, tuple[str, ...]]) -> Path:
    """Open-i reports of the same text under tags."""
    with tarfile.open(path, "w:gz") as tar:
        for name, tags in reports.items():
            majors = "".join(f"<major>{tag}</major>" for tag in tags)
            xml = (
                f'<eCitation><uId id="{name}"/><MedlineCitation><Article><Abstract>'
                '<AbstractText Label="FINDINGS">Lungs are clear.</AbstractText>'
                '<AbstractText Label="IMPRESSION">No disease.</AbstractText>'
                f"</Abstract></Article></MedlineCitation><MeSH>{majors}</MeSH></eCitation>"
            ).encode()
            member = tarfile.TarInfo(f"ecgen-radiology/{name}.xml")
            member.size = len(xml)
            tar.addfile(member, BytesIO(xml))
    return path


def test_studies_that_are_held_out_are_not_trained_on(tmp_path: Path) -> None:
    corpus = archive(tmp_path / "c.tgz", {"A": ("normal",), "B": ("normal",), "C": ("x/y",)})
    made = training_examples(corpus, {"B"})
    assert [(each.study, each.prompt) for each in made] == [
        ("A", "Tags: normal\n"),
        ("C", "Tags: x/y\n"),
    ]
    assert made[0].reference == "FINDINGS:\nLungs are clear.\nIMPRESSION:\nNo disease."


def test_three_tenths_of_the_tags_are_hidden_and_one_always_stays() -> None:
    tags = tuple("abcdefghij")
    kept = [shown(tags, str(seed)) for seed in range(500)]
    assert np.mean([len(each) for each in kept]) == pytest.approx(7.0, abs=0.25)
    assert all(list(each) == sorted(each) for each in kept)
    assert {shown(("only",), str(seed)) for seed in range(50)} == {("only",)}
    assert {shown(("a", "b"), str(seed)) for seed in range(200)} == {("a", "b"), ("a",), ("b",)}


def test_held_out_studies_keep_the_prompts_of_their_recording(tmp_path: Path) -> None:
    candidate = RecordedCandidate.from_text("Findings: Clear.", "stop")
    studies = [
        RecordedStudy("A", "Tags: x\n", Reference("Clear.", "Normal."), (candidate,)),
        RecordedStudy("B", "Tags: y\n", None, (candidate,)),
    ]
    with RecordingWriter(tmp_path / "r.jsonl") as writer:
        for study in studies:
            writer.write(study)
    assert held_out_examples(tmp_path / "r.jsonl") == [
        Example("A", "Tags: x\n", "FINDINGS:\nClear.\nIMPRESSION:\nNormal.")
    ]


def test_reports_are_measured_study_by_study() -> None:
    studies = [Example("A", "", EFFUSION), Example("B", "", CLEAR)]
    held_out = HeldOut(studies, {"format": rewards.make("format")})
    found = held_out.measured([[EFFUSION, CLEAR], [EFFUSION, "Clear."]])
    assert list(found) == ["format", *OUTCOMES]
    assert found["format"].tolist() == [1.0, 0.5]
    np.testing.assert_array_equal(found["abnormal recall"], [0.5, np.nan])
    np.testing.assert_array_equal(found["false alarms"], [np.nan, 0.5])
    assert found["finding F1"].tolist() == [0.5, 0.5]
    assert found["Token-F1"].tolist() == [0.5, (0 + 2 / 8) / 2]
    assert found["words a report"].tolist() == [(9 + 7) / 2, (9 + 1) / 2]


class Short(TextReward):
    """The fewer words, the better."""

    def value(self, text: str) -> float:
        return 1.0 / (1 + len(text.split()))


@pytest.fixture(scope="module")
def model_folder() -> Path:
    return real_data("standin")


def test_the_same_seed_samples_the_same_reports(model_folder: Path) -> None:
    model = ReportModel(model_folder)
    prompts = ["Tags: normal\n", "Tags: Pleural Effusion/left\n"]
    once = model.sample(prompts, 3, max_tokens=8, seed=1)
    assert [len(each) for each in once] == [3, 3]
    assert model.sample(prompts, 3, max_tokens=8, seed=1) == once
    assert model.sample(prompts, 3, max_tokens=8, seed=2) != once


def test_training_moves_the_weights_and_the_same_seed_moves_them_alike(
    model_folder: Path,
) -> None:
    studies = [Example(str(n), f"Tags: {n}\n", CLEAR) for n in range(4)]

    def trained(reward: Reward) -> tuple[ReportModel, list[Step], list[int]]:
        model, seen = ReportModel(model_folder), []
        steps = train(model, studies, reward, RECIPE, seed=3, after_step=seen.append)
        return model, steps, seen

    one, steps, seen = trained(Short("short"))
    other, again, _ = trained(Short("short"))
    assert seen == [1, 2]
    assert [step.number for step in steps] == [1, 2]
    assert all(0.0 < step.reward <= 1.0 for step in steps)
    assert steps == again
    start = ReportModel(model_folder)
    weights = [
        np.concatenate([each.detach().numpy().ravel() for each in model.network.parameters()])
        for model in (start, one, other)
    ]
    assert not np.array_equal(weights[0], weights[1])
    np.testing.assert_array_equal(weights[1], weights[2])


def made_run(reward: str, seed: int, rise: float) -> Run:
    draw_from = np.random.default_rng(seed)
    before = draw_from.uniform(0.4, 0.6, 40)
    covered = np.where(np.arange(40) < 20, 0.5, np.nan)

    def looked(step: int, values: np.ndarray) -> Checkpoint:
        others = dict.fromkeys(OUTCOMES, covered)
        return Checkpoint(step, {reward: values, **others})

    after = before + rise + draw_from.normal(0.0, 0.01, 40)
    steps = [Step(1, 0.5), Step(2, 0.6), Step(3, 0.7)]
    ends = [looked(0, before), looked(3, after)]
    for closely in ends:  # what is looked at before and after only
        closely.measured["sdr with another"] = before
    return Run(reward, seed, steps, [ends[0], looked(2, after), ends[1]])


def report(*runs: Run) -> TrainingReport:
    return TrainingReport("command", "model", "encoder", RECIPE, 100, 40, 2, runs)


def test_a_reward_rose_where_its_paired_interval_lies_above_0() -> None:
    rising = report(made_run("sdr", 0, 0.05), made_run("sdr", 1, 0.05))
    change = rising.change("sdr", "sdr")
    assert change.value == pytest.approx(0.05, abs=0.01)
    assert change.low is not None
    assert 0.04 < change.low < change.value < 0.06
    assert rising.rose()
    assert not report(made_run("sdr", 0, 0.05), made_run("format", 0, 0.0)).rose()
    assert not report(made_run("sdr", 0, -0.05)).rose()


def test_a_change_that_no_study_covers_is_unknown() -> None:
    assert paired(np.full(4, np.nan)).value is None


def test_the_report_tells_every_measure_and_the_curve_is_drawn(tmp_path: Path) -> None:
    made = report(made_run("sdr", 0, 0.05), made_run("sdr", 1, 0.05), made_run("format", 0, 0.1))
    draw(tmp_path / "training.png", made.runs)
    made.write(tmp_path)
    text = (tmp_path / "TRAINING.md").read_text("utf-8")
    assert "### Trained with `sdr`" in text
    assert "### Trained with `format`" in text
    for outcome in OUTCOMES:
        assert f"| {outcome} | 0.500 | 0.500 | +0.000 (+0.000 to +0.000) |" in text
    assert "| sdr with another | " in text
    assert (tmp_path / "training.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "training.json").read_text("utf-8").startswith("{")
