from __future__ import annotations

import json
from pathlib import Path

from benchmarks.avoided_error import ESTIMATES, Errors, measure_errors
from clients.recording import read_recording
from sdr_decode.launch import launch_plans
from sdr_decode.load import open_measure
from sdr_decode.pruning import policies
from sdr_decode.track import MeasuredTrack, measure_tracks, track
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import words

CLEAR = "Findings: The lungs are clear. Impression: No acute disease."
ODD = "Findings: Purple elephants. They sing loudly to all. Impression: Nonsense beyond words."


def test_errors_are_relative_to_what_was_truly_avoided() -> None:
    told = str(Errors([(100, 150.0), (300, 150.0), (0, 0.0)], unknown=2))
    assert told == (
        "mean +0.0%, mean absolute 50.0% of a study; all studies -25.0%; 2 without an estimate"
    )


def test_what_was_stopped_is_compared_with_its_whole_length(index: Path, tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    candidates = [{"tokens": words(text), "finish_reason": "stop"} for text in (CLEAR, ODD)]
    path.write_text(json.dumps({"study": "s", "prompt": "p", "candidates": candidates}) + "\n")
    tracks: list[list[MeasuredTrack]] = []
    with open_measure(index, encoder=FakeEncoder()) as measure:
        for study in read_recording(path):
            tracks.append(measure_tracks([track(each) for each in study.candidates], measure))
    policy, plan = policies.make("threshold:0.02"), launch_plans.make("parallel")
    nothing = measure_errors(tracks, policies.make("none"), plan, ESTIMATES["mean of the finished"])
    assert nothing.studies == [(0, 0.0)]
    errors = measure_errors(tracks, policy, plan, ESTIMATES["mean of the finished"])
    ((true, told),) = errors.studies
    stopped = len(words(ODD)) - true
    assert 0 < stopped < len(words(ODD))
    assert told == len(words(CLEAR)) - stopped
