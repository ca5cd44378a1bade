from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clients.errors import RecordingError
from clients.recording import (
    RecordedCandidate,
    RecordedStudy,
    RecordingWriter,
    Reference,
    read_recording,
    recording_fingerprint,
    word_pieces,
)
from tests.data import real_data

CANDIDATE: dict[str, Any] = {"tokens": ["Lungs", " clear."], "finish_reason": "stop"}
STUDY: dict[str, Any] = {"study": "A", "prompt": "Describe.", "candidates": [CANDIDATE]}


def candidate(**changes: object) -> dict[str, Any]:
    return STUDY | {"candidates": [CANDIDATE | changes]}


def write_lines(path: Path, *lines: dict[str, Any] | str | bytes) -> Path:
    rows = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
    path.write_bytes(b"".join((r.encode() if isinstance(r, str) else r) + b"\n" for r in rows))
    return path


def write(path: Path, *studies: RecordedStudy) -> Path:
    with RecordingWriter(path) as writer:
        for study in studies:
            writer.write(study)
    return path


def study(identity: str = "A", **fields: Any) -> RecordedStudy:
    return RecordedStudy(
        identity, "Describe.", None, (RecordedCandidate(("Lungs", " clear.")),), **fields
    )


# --- what is read


def test_reads_every_field(tmp_path: Path) -> None:
    line = {
        "study": "A",
        "prompt": "Describe.",
        "reference": {"findings": "Clear.", "impression": "Normal.", "reader": "x"},
        "site": 3,
        "candidates": [
            {
                "tokens": ["Lungs", " clear."],
                "finish_reason": "length",
                "times": [0, 0.5],
                "logprobs": [-1, None],
                "piece_tokens": [1, None],
                "running_tokens": [1, 3],
                "usage": {"output_tokens": 3},
                "source": "model",
                "temperature": 0.7,
            }
        ],
    }
    (read,) = read_recording(write_lines(tmp_path / "a.jsonl", line))
    assert read == RecordedStudy(
        study="A",
        prompt="Describe.",
        reference=Reference("Clear.", "Normal.", {"reader": "x"}),
        candidates=(
            RecordedCandidate(
                tokens=("Lungs", " clear."),
                finish_reason="length",
                times=(0.0, 0.5),
                logprobs=(-1.0, None),
                piece_tokens=(1, None),
                running_tokens=(1, 3),
                usage={"output_tokens": 3},
                source="model",
                extra={"temperature": 0.7},
            ),
        ),
        extra={"site": 3},
    )


def test_a_candidate_of_text_has_words_for_pieces(tmp_path: Path) -> None:
    line = STUDY | {"candidates": [{"text": "No  effusion.\n", "finish_reason": "stop"}]}
    (read,) = read_recording(write_lines(tmp_path / "a.jsonl", line))
    (only,) = read.candidates
    assert only == RecordedCandidate.from_text("No  effusion.\n")
    assert only.tokens == ("No", "  effusion.\n")
    assert not only.pieces_known
    assert only.tokens_of(0) is None


def test_null_and_absent_are_the_same(tmp_path: Path) -> None:
    nulls = dict.fromkeys(("times", "logprobs", "usage", "source"))
    absent = write_lines(tmp_path / "a.jsonl", STUDY)
    null = write_lines(tmp_path / "b.jsonl", candidate(**nulls) | {"reference": None})
    assert list(read_recording(absent)) == list(read_recording(null))


def test_text_beside_equal_tokens_is_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", candidate(text="Lungs clear."))
    assert next(read_recording(path)).candidates[0].pieces_known


def test_blank_lines_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    second = STUDY | {"study": "B"}
    text = f"\ufeff{json.dumps(STUDY)}\r\n\r\n{json.dumps(second)}\r\n"
    path.write_bytes(text.encode())
    assert [read.study for read in read_recording(path)] == ["A", "B"]


def test_studies_come_before_a_later_fault(tmp_path: Path) -> None:
    reading = read_recording(write_lines(tmp_path / "a.jsonl", STUDY, "{"))
    assert next(reading).study == "A"
    with pytest.raises(RecordingError, match=r"a\.jsonl, line 2: "):
        next(reading)


@given(st.text())
def test_word_pieces_lose_nothing(text: str) -> None:
    pieces = word_pieces(text)
    assert "".join(pieces) == text
    assert len(pieces) == (len(text.split()) or (1 if text else 0))


# --- what is refused


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"study": "B", ', "broken JSON .* column"),
        ("[]", "the line is a list; expected an object"),
        ("7", "the line is a number"),
        ("[" * 100_000, "cannot be read"),
        ('{"study": NaN}', "NaN is not JSON"),
        ({"prompt": "", "candidates": [CANDIDATE]}, "no 'study'"),
        ({"study": "B", "candidates": [CANDIDATE]}, "no 'prompt'"),
        ({"study": "B", "prompt": ""}, "no 'candidates'"),
        (STUDY, "study 'A' again"),
        (STUDY | {"study": ""}, "empty 'study'"),
        (STUDY | {"study": 5}, "'study' is a number; expected a string"),
        (STUDY | {"prompt": None}, "'prompt' is null; expected a string"),
        (STUDY | {"candidates": []}, "no candidates"),
        (STUDY | {"candidates": {}}, "'candidates' is an object; expected a list"),
        (STUDY | {"candidates": ["x"]}, "candidate 0 is a string; expected an object"),
        (STUDY | {"reference": "x"}, "'reference' is a string; expected an object"),
        (STUDY | {"reference": {"findings": 1}}, "'findings' is a number"),
        (STUDY | {"candidates": [{"finish_reason": "stop"}]}, "neither 'tokens' nor 'text'"),
        (STUDY | {"candidates": [{"tokens": []}]}, "candidate 0: found no 'finish_reason'"),
        (candidate(finish_reason="cancelled"), "'cancelled'; expected stop, length"),
        (candidate(tokens="x"), "'tokens' is a string; expected a list"),
        (candidate(tokens=["x", 1]), "token 1 is a number; expected a string"),
        (candidate(text="other"), "different reports"),
        (candidate(times=[0.1]), "1 times for 2 tokens"),
        (candidate(times=[0.2, 0.1]), "never falling"),
        (candidate(times=[-1, 0]), "from 0"),
        (candidate(times=[0, None]), "times expects seconds"),
        (candidate(times=[0, True]), "times expects seconds"),
        (candidate(logprobs=[-1.0]), "1 logprobs for 2 tokens"),
        (candidate(logprobs=[-1.0, "x"]), "finite numbers, or null"),
        (candidate(piece_tokens=[1, -1]), "whole numbers of at least 0"),
        (candidate(usage={"output_tokens": -5}), "'output_tokens' of 'usage'"),
        (candidate(usage={"output_tokens": 10**400}), "'output_tokens' of 'usage'"),
        (candidate(usage={"prompt_tokens": 1.5}), "'prompt_tokens' of 'usage'"),
        (candidate(usage=7), "'usage' is a number; expected an object"),
        (candidate(source=[]), "'source' is a list; expected a string"),
        (
            STUDY | {"candidates": [{"text": "x", "finish_reason": "stop", "times": [0]}]},
            "'times' without 'tokens'",
        ),
        (
            '{"study": "B", "prompt": "", "candidates": [{"tokens": ["x"], "finish_reason": "stop", "logprobs": [1e999]}]}',  # noqa: E501
            "finite numbers",
        ),
        (b"\xff", "not UTF-8"),
    ],
)  # fmt: skip
def test_a_faulty_line_is_named(
    tmp_path: Path, line: dict[str, Any] | str | bytes, message: str
) -> None:
    path = write_lines(tmp_path / "a.jsonl", STUDY, line)
    with pytest.raises(RecordingError, match=rf"(?s)a\.jsonl, line 2: .*{message}"):
        list(read_recording(path))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", None, "cannot be read: No such file"),
        ("a.jsonl", b"", "is empty"),
        ("a.jsonl", b"\n\n", "holds no studies"),
        ("a.jsonl.gz", gzip.compress(b""), "holds no studies"),
        ("a.jsonl", b"version https://git-lfs.github.com/spec/v1\noid x", "Git LFS pointer"),
        ("a.jsonl.gz", b"version https://git-lfs.github.com/spec/v1\noid x", "Git LFS pointer"),
        ("a.jsonl.gz", b"{}\n", "not gzip"),
        ("a.jsonl", gzip.compress(b"{}"), "does not end in .gz"),
        ("a.jsonl.gz", gzip.compress(json.dumps(STUDY).encode())[:-9], "damaged after line"),
        (
            "a.jsonl.gz",
            gzip.compress(json.dumps(STUDY).encode()) + b"rubbish",
            "damaged after line",
        ),
    ],
    ids=range(10),
)
def test_a_faulty_file_is_named(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RecordingError, match=rf"{name}.*{message}"):
        for _ in read_recording(path):
            pass


def test_a_folder_is_not_a_recording(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be read"):
        next(read_recording(tmp_path))


# --- what is written

words = st.text(max_size=12)
numbers = st.floats(allow_nan=False, allow_infinity=False)
extras = st.dictionaries(
    words.map("x".__add__), st.none() | words | st.integers() | st.lists(numbers, max_size=2)
)


@st.composite
def candidates(draw: st.DrawFn) -> RecordedCandidate:
    reason = draw(st.sampled_from(["stop", "length", "content_filter", "error"]))
    if draw(st.booleans()):
        return RecordedCandidate.from_text(draw(words), reason)
    tokens = draw(st.lists(words, max_size=5))

    def each(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.none() | st.lists(values, min_size=len(tokens), max_size=len(tokens)).map(tuple)

    times = draw(each(st.floats(0, 1e6)))
    return RecordedCandidate(
        tuple(tokens),
        reason,
        times=None if times is None else tuple(sorted(times)),
        logprobs=draw(each(st.none() | numbers)),
        piece_tokens=draw(each(st.none() | st.integers(0, 9))),
        running_tokens=draw(each(st.none() | st.integers(0, 9))),
        usage=draw(st.none() | st.dictionaries(words, st.integers())),
        source=draw(st.none() | words),
        extra=draw(extras),
    )


recorded_studies = st.lists(
    st.builds(
        RecordedStudy,
        study=st.text(min_size=1, max_size=5),
        prompt=words,
        reference=st.none() | st.builds(Reference, words, words, extras),
        candidates=st.lists(candidates(), min_size=1, max_size=3).map(tuple),
        extra=extras,
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda study: study.study,
)


@settings(max_examples=100, deadline=None)
@given(recorded_studies)
def test_what_is_written_is_what_is_read(studies: list[RecordedStudy]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain = write(Path(folder) / "a.jsonl", *studies)
        packed = write(Path(folder) / "a.jsonl.gz", *studies)
        again = write(Path(folder) / "b.jsonl.gz", *read_recording(plain))
        assert list(read_recording(plain)) == list(read_recording(packed)) == studies
        assert packed.read_bytes() == again.read_bytes()
        assert recording_fingerprint(plain) == recording_fingerprint(packed)


def test_half_a_surrogate_pair_survives(tmp_path: Path) -> None:
    odd = RecordedStudy("A", "\ud800", None, (RecordedCandidate(("\udc00",)),))
    assert list(read_recording(write(tmp_path / "a.jsonl", odd))) == [odd]


def test_the_fingerprint_follows_the_content_alone(tmp_path: Path) -> None:
    straight = write_lines(tmp_path / "a.jsonl", candidate(times=[0, 1]))
    turned = json.dumps(dict(reversed(candidate(times=[0.0, 1.0]).items())), indent=None)
    spaced = write_lines(tmp_path / "b.jsonl", turned.replace(": ", ":   "), "")
    other = write_lines(tmp_path / "c.jsonl", candidate(times=[0, 2]))
    assert recording_fingerprint(straight) == recording_fingerprint(spaced)
    assert recording_fingerprint(straight) != recording_fingerprint(other)


def test_nothing_is_in_place_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_text("old")
    writer = RecordingWriter(path)
    writer.write(study())
    assert path.read_text() == "old"
    writer.close()
    writer.close()
    assert [read.study for read in read_recording(path)] == ["A"]
    assert list(tmp_path.iterdir()) == [path]


def test_an_exception_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("old")

    def fail() -> None:
        with RecordingWriter(path) as writer:
            writer.write(study())
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_no_studies_leave_no_recording(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("faulty", "message"),
    [
        (study("A"), "'A' again"),
        (study(""), "empty 'study'"),
        (RecordedStudy("B", "", None, ()), "no candidates"),
        (RecordedStudy("B", "", None, (RecordedCandidate(("x",), times=()),)), "0 times for 1"),
        (RecordedStudy("B", "", None, (RecordedCandidate((), "refusal"),)), "'refusal'"),  # type: ignore[arg-type]
        (study("B", extra={"study": "C"}), "'study' is a key of the format"),
        (study("B", extra={"x": float("inf")}), "JSON cannot"),
        (study("B", extra={"x": {1}}), "JSON cannot"),
    ],
)
def test_what_could_not_be_read_is_not_written(
    tmp_path: Path, faulty: RecordedStudy, message: str
) -> None:
    path = tmp_path / "a.jsonl"
    with RecordingWriter(path) as writer:
        writer.write(study("A"))
        with pytest.raises(RecordingError, match=message):
            writer.write(faulty)
    assert list(read_recording(path)) == [study("A")]


def test_a_closed_writer_refuses(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "a.jsonl")
    writer.discard()
    writer.close()
    with pytest.raises(RecordingError, match="closed"):
        writer.write(study())
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"no/a\.jsonl cannot be written: No such file"):
        RecordingWriter(tmp_path / "no" / "a.jsonl")
    with pytest.raises(RecordingError, match="is a folder"):
        RecordingWriter(tmp_path)


# --- real data


def test_a_real_recording_reads_and_comes_back_whole(tmp_path: Path) -> None:
    path = real_data("traces/standin_val.jsonl.gz")
    studies = list(read_recording(path))
    taken = [candidate for study in studies for candidate in study.candidates]
    assert len(studies) == 296
    assert {len(study.candidates) for study in studies} == {16}
    assert sum(candidate.logprobs is None for candidate in taken) == 23
    assert all(candidate.pieces_known and candidate.text for candidate in taken)
    again = write(tmp_path / "again.jsonl.gz", *studies)
    assert list(read_recording(again)) == studies
    assert recording_fingerprint(again) == recording_fingerprint(path)
