"""The Indiana University chest X-ray collection (Open-i): one XML file a report."""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from clients.spec import Spec, allow_options
from index_build.readers.base import CorpusReader
from index_build.report import CorpusReport
from sdr_decode.errors import CorpusError

_TAR_SUFFIXES = (".tgz", ".tar.gz", ".tar")

# The largest report of the collection is 17 kB. More than this is no report, and is not read.
MAX_XML_BYTES = 4 * 1024 * 1024


class OpenIReader(CorpusReader):
    """Reads the reports' .tgz in place, or a folder that holds its XML files.

    The id of a report is its ``uId``, such as ``CXR10``.
    """

    name = "openi"
    expects = "the Open-i reports as .tgz or a folder of .xml files"

    def recognises(self, source: Path) -> bool:
        if source.is_dir():
            return next(source.rglob("*.xml"), None) is not None
        return source.name.lower().endswith((*_TAR_SUFFIXES, ".xml"))

    def read(self, source: Path) -> Iterator[CorpusReport]:
        files = _tar_files(source) if _is_tar(source) else _plain_files(source)
        found = False
        for where, data in files:
            found = True
            yield _report(_parse(data, where), where)
        if not found:
            raise CorpusError(f"found no .xml file in {source}; expected {self.expects}")


def open_from_spec(spec: Spec) -> CorpusReader:
    allow_options(spec)
    return OpenIReader()


def _is_tar(source: Path) -> bool:
    return source.is_file() and source.suffix.lower() != ".xml"


def _plain_files(source: Path) -> Iterator[tuple[str, bytes]]:
    for path in [source] if source.is_file() else sorted(source.rglob("*.xml")):
        with path.open("rb") as file:
            yield str(path), _read(file, str(path))


def _tar_files(source: Path) -> Iterator[tuple[str, bytes]]:
    """The XML members, read in place: no member's path ever reaches the file system."""
    try:
        with _unpacked(source) as file, tarfile.open(fileobj=file, mode="r|") as archive:
            for member in archive:
                if not (member.isfile() and member.name.lower().endswith(".xml")):
                    continue
                where = f"{member.name} in {source}"
                data = archive.extractfile(member)
                if data is not None:
                    yield where, _read(data, where)
            # tarfile takes the end of a truncated file for the end of the archive; reading the
            # gzip stream to its end finds the cut, and a changed byte.
            while file.read(1024 * 1024):
                pass
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise CorpusError(
            f"{source} cannot be read as a tar archive ({error}); get it again, for example with "
            "sdr-index fetch openi"
        ) from error


def _unpacked(source: Path) -> gzip.GzipFile | IO[bytes]:
    with source.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(source) if packed else source.open("rb")


def _read(file: IO[bytes], where: str) -> bytes:
    data = file.read(MAX_XML_BYTES + 1)
    if len(data) > MAX_XML_BYTES:
        raise CorpusError(f"{where} is larger than {MAX_XML_BYTES:,} bytes; expected one report")
    return data


def _parse(data: bytes, where: str) -> Element:
    try:
        root: Element = fromstring(data, forbid_dtd=True)
    except ParseError as error:
        raise CorpusError(f"{where} is not well-formed XML ({error})") from error
    except DefusedXmlException as error:
        raise CorpusError(
            f"{where} declares a document type or entities, which no Open-i report does; "
            "it is refused"
        ) from error
    except (LookupError, ValueError) as error:
        raise CorpusError(f"{where} cannot be decoded ({error})") from error
    return root


def _report(root: Element, where: str) -> CorpusReport:
    uid = root.find("uId")
    report_id = (uid.get("id") or "").strip() if uid is not None else ""
    if not report_id:
        raise CorpusError(f'{where} has no <uId id="...">; expected an Open-i report')
    sections: dict[str, list[str]] = {}
    for part in root.iter("AbstractText"):
        text = "".join(part.itertext()).strip()
        if text:
            sections.setdefault((part.get("Label") or "").strip().upper(), []).append(text)
    return CorpusReport(
        id=report_id,
        findings="\n".join(sections.get("FINDINGS", [])) or None,
        impression="\n".join(sections.get("IMPRESSION", [])) or None,
        text=None,
        source=where,
    )
