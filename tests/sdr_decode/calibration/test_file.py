from __future__ import annotations

import json
from pathlib import Path

import pytest

from clients.errors import SpecError
from sdr_decode.calibration.file import read_calibration
from sdr_decode.errors import CalibrationError
from sdr_decode.pruning import policies
from sdr_decode.pruning.calibrated import Calibrated
from sdr_decode.pruning.lossless import Lossless
from sdr_decode.pruning.margin import Margin
from tests.sdr_decode.calibration.made import calibration, write


@pytest.fixture
def file(index: Path, tmp_path: Path) -> Path:
    return write(tmp_path / "calibration.json", calibration(index))


def test_a_calibration_is_read_as_it_was_written(index: Path, file: Path) -> None:
    found = read_calibration(file)
    assert found == calibration(index)
    assert found.to_json() == file.read_text("utf-8")


def test_the_spec_behaves_as_the_policy_that_was_chosen(index: Path, file: Path) -> None:
    made = policies.make(f"calibrated:{file}")
    assert isinstance(made, Calibrated)
    assert made.policy == Margin(0.02, 1)
    assert made.calibration == calibration(index)


def test_the_token_cap_is_passed_on(index: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "lossless.json", calibration(index, prune="lossless"))
    made = policies.make(f"calibrated:{file}").within(99)
    assert isinstance(made, Calibrated)
    assert made.policy == Lossless(max_tokens=99)
    assert made.calibration.prune == "lossless"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not JSON"),
        ("[]", "without a format_version"),
        ('{"format_version": "1"}', "without a format_version"),
        ('{"format_version": 7}', "is in calibration format 7; this version of sdr-decode reads"),
        ('{"format_version": 1}', "other than what was written"),
    ],
)
def test_what_is_no_calibration_is_refused(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(content, "utf-8")
    with pytest.raises(CalibrationError, match=message):
        policies.make(f"calibrated:{file}")


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match=r"found no calibration at .*sdr-decode calibrate"):
        policies.make(f"calibrated:{tmp_path / 'absent.json'}")
    with pytest.raises(CalibrationError, match="cannot be read"):
        policies.make(f"calibrated:{tmp_path}")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe")
    with pytest.raises(CalibrationError, match="not UTF-8"):
        policies.make(f"calibrated:{tmp_path / 'bytes.json'}")


def test_a_promise_that_was_touched_up_is_refused(file: Path) -> None:
    content = json.loads(file.read_text("utf-8"))
    content["risk"] = 0.01
    file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(CalibrationError, match="its sha256 differs"):
        read_calibration(file)


def test_a_calibration_of_a_calibration_is_refused(index: Path, tmp_path: Path) -> None:
    file = tmp_path / "loop.json"
    write(file, calibration(index, prune=f"calibrated:{file}"))
    with pytest.raises(CalibrationError, match="names another calibration"):
        policies.make(f"calibrated:{file}")


def test_the_spec_needs_a_file_and_knows_no_options() -> None:
    with pytest.raises(SpecError, match="expected calibrated:FILE"):
        policies.make("calibrated")
    with pytest.raises(SpecError, match="does not know the option"):
        policies.make("calibrated:x.json,warmup=2")
