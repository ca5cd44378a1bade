"""MIMIC-CXR and other corpora of one free-text file a report."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from clients.spec import Spec, allow_options
from index_build.readers.base import CorpusReader
from index_build.readers.decoding import check_encoding, decode
from index_build.readers.mimic_sections import split_report
from index_build.report import CorpusReport
from sdr_decode.errors import CorpusError

# s50414267.txt; the folders and archives of MIMIC-CXR also hold a licence and a list of checksums.
_STUDY_NAME = re.compile(r"s[0-9]+\.txt", re.IGNORECASE)

# The longest report is under 10 kB. More than this is no report, and is not read.
MAX_REPORT_BYTES = 1024 * 1024


class MimicReader(CorpusReader):
    """Reads a tree such as ``p10/p10000032/s50414267.txt``, or a .zip of it in place.

    The id of a report is its file's name without the suffix (``s50414267``). Where the source has
    files of that pattern only these are read, otherwise every .txt file.
    """

    name = "mimic"
    expects = "a folder of .txt reports, or a .zip of one"

    def __init__(self, encoding: str = "utf-8") -> None:
        self.encoding = check_encoding(encoding)

    def recognises(self, source: Path) -> bool:
        if source.is_dir():
            return next(source.rglob("*.txt"), None) is not None
        return source.suffix.lower() == ".zip"

    def read(self, source: Path) -> Iterator[CorpusReport]:
        found = False
        files = self._zipped(source) if source.is_file() else self._in_folder(source)
        for name, where, data in files:
            found = True
            parts = split_report(decode(data, self.encoding, where))
            yield CorpusReport(name, parts.findings, parts.impression, parts.text, where)
        if not found:
            raise CorpusError(f"found no .txt file in {source}; expected {self.expects}")

    def _reports(self, names: list[str]) -> list[str]:
        """The names that are reports, sorted so that every reading has the same order."""
        texts = sorted(name for name in names if name.lower().endswith(".txt"))
        studies = [name for name in texts if _STUDY_NAME.fullmatch(_base(name))]
        self.passed_over = len(texts) - len(studies) if studies else 0
        return studies or texts

    def _in_folder(self, source: Path) -> Iterator[tuple[str, str, bytes]]:
        files = (path for path in source.rglob("*") if path.is_file())
        for name in self._reports([path.relative_to(source).as_posix() for path in files]):
            path = source / name
            if path.stat().st_size > MAX_REPORT_BYTES:
                raise _too_large(str(path))
            yield path.stem, str(path), path.read_bytes()

    def _zipped(self, source: Path) -> Iterator[tuple[str, str, bytes]]:
        """The text members, read in place: no member's path ever reaches the file system."""
        try:
            with zipfile.ZipFile(source) as archive:
                names = [info.filename for info in archive.infolist() if not info.is_dir()]
                for name in self._reports(names):
                    where = f"{name} in {source}"
                    with archive.open(name) as file:
                        data = file.read(MAX_REPORT_BYTES + 1)
                    if len(data) > MAX_REPORT_BYTES:
                        raise _too_large(where)
                    yield _base(name)[: -len(".txt")], where, data
        except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
            raise CorpusError(f"{source} cannot be read as a zip archive ({error})") from error


def open_from_spec(spec: Spec) -> CorpusReader:
    allow_options(spec, "encoding")
    return MimicReader(spec.options.get("encoding", "utf-8"))


def _base(name: str) -> str:
    return name.rpartition("/")[2]


def _too_large(where: str) -> CorpusError:
    return CorpusError(f"{where} is larger than {MAX_REPORT_BYTES:,} bytes; expected one report")
