from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from index_build.admission import Admission
from index_build.ids import read_ids
from index_build.readers import open_reader
from index_build.report import CorpusReport
from sdr_decode.errors import CorpusError
from tests.data import real_data


def report_xml(
    uid: str, findings: str = "Clear lungs.", impression: str = "No acute disease."
) -> str:
    return f"""<?xml version="1.0" encoding="utf-8"?>
<eCitation><uId id="{uid}"/><MedlineCitation><Article><Abstract>
<AbstractText Label="INDICATION">Cough.</AbstractText>
<AbstractText Label="FINDINGS">{findings}</AbstractText>
<AbstractText Label="IMPRESSION">{impression}</AbstractText>
</Abstract></Article></MedlineCitation></eCitation>"""


def archive(path: Path, members: dict[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def read(source: Path) -> list[CorpusReport]:
    return list(open_reader(source).read(source))


def test_a_folder_and_an_archive_give_the_same_reports(tmp_path: Path) -> None:
    folder = tmp_path / "xml"
    (folder / "deep").mkdir(parents=True)
    texts = {"deep/1.xml": report_xml("CXR1"), "deep/2.xml": report_xml("CXR2", impression="")}
    for name, text in texts.items():
        (folder / name).write_text(text)
    packed = archive(tmp_path / "reports.tgz", {k: v.encode() for k, v in texts.items()})

    from_folder, from_archive = read(folder), read(packed)

    assert [(r.id, r.findings, r.impression) for r in from_folder] == [
        ("CXR1", "Clear lungs.", "No acute disease."),
        ("CXR2", "Clear lungs.", None),
    ]
    assert [(r.id, r.findings) for r in from_archive] == [(r.id, r.findings) for r in from_folder]
    assert from_archive[0].text is None
    assert "deep/1.xml" in (from_archive[0].source or "")


def test_members_are_read_in_place_whatever_their_paths_say(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    hostile = {"../out.xml": report_xml("CXR1").encode(), "/abs.xml": report_xml("CXR2").encode()}
    packed = archive(tmp_path / "in" / "reports.tgz", hostile)

    assert [r.id for r in read(packed)] == ["CXR1", "CXR2"]
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["in", "reports.tgz"]


def test_links_in_an_archive_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text(report_xml("SECRET"))
    with tarfile.open(tmp_path / "reports.tar", "w") as tar:
        link = tarfile.TarInfo("link.xml")
        link.type, link.linkname = tarfile.SYMTYPE, str(secret)
        tar.addfile(link)
    with pytest.raises(CorpusError, match=r"no \.xml file"):
        read(tmp_path / "reports.tar")


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>',
        '<!DOCTYPE x [<!ENTITY c SYSTEM "file:///etc/hostname">]>',
    ],
)
def test_declared_entities_are_refused(tmp_path: Path, declaration: str) -> None:
    text = report_xml("CXR1", findings="&c;").replace("<eCitation>", declaration + "<eCitation>")
    (tmp_path / "1.xml").write_text(text)
    with pytest.raises(CorpusError, match=r"1\.xml declares .* refused"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<eCitation><uId", "not well-formed"),
        ("", "not well-formed"),
        ("<eCitation></eCitation>", "no <uId"),
        ('<?xml version="1.0" encoding="klingon"?><a/>', "1.xml"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "1.xml").write_text(text)
    with pytest.raises(CorpusError, match=r"1\.xml") as caught:
        read(tmp_path)
    assert message in str(caught.value)


def test_a_giant_member_is_not_read(tmp_path: Path) -> None:
    packed = archive(tmp_path / "reports.tgz", {"1.xml": b" " * (5 * 1024 * 1024)})
    with pytest.raises(CorpusError, match="larger than"):
        read(packed)


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_a_truncated_archive_is_an_error(tmp_path: Path, keep: float) -> None:
    members = {f"{n}.xml": report_xml(f"CXR{n}", findings=str(n) * 99).encode() for n in range(200)}
    whole = archive(tmp_path / "whole.tgz", members).read_bytes()
    cut = tmp_path / "cut.tgz"
    cut.write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(CorpusError, match="cannot be read as a tar archive"):
        read(cut)


def test_what_is_no_archive_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "reports.tgz").write_text("this is text")
    with pytest.raises(CorpusError, match="cannot be read as a tar archive"):
        read(tmp_path / "reports.tgz")


def test_the_real_collection_and_its_train_split() -> None:
    source = real_data("openi/NLMCXR_reports.tgz")
    splits = real_data("openi/splits.json")
    reports = read(source)
    assert len({r.id for r in reports}) == len(reports) == 3955
    assert sum(r.findings is not None and r.impression is not None for r in reports) == 3419
    assert not any(r.findings == "" or r.impression == "" for r in reports)

    lists = {name: read_ids(f"{splits}#{name}") for name in ("val", "test")}
    admission = Admission(exclude=lists)
    kept = list(admission.filter(reports))
    assert len(kept) == admission.kept == 2533
    assert admission.excluded == sum(map(len, json.loads(splits.read_text()).values())) == 886
    assert not {r.id for r in kept} & (lists["val"] | lists["test"])
    assert admission.unmatched == {}
