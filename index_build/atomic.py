"""A directory that appears whole or not at all.

It is written beside its target, under ``.NAME.building-…``, forced to disk, and renamed. A target
that is replaced is swapped with the new directory in one step where the system can (Linux, macOS,
on most file systems), so that a whole directory stands there at every moment. Elsewhere the old one
is renamed to ``.NAME.replaced-…`` first; should the machine stop just then, the next build of the
same target puts it back. What a killed build has left is removed by the next build of the same
target: a living build holds a lock on its directory, a dead one does not.
"""

from __future__ import annotations

import ctypes
import glob
import os
import shutil
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sdr_decode.errors import CorpusError

try:
    import fcntl
except ImportError:  # Windows: what a killed build leaves then stays
    fcntl = None  # type: ignore[assignment]


@contextmanager
def new_directory(target: Path, *, replace: bool) -> Iterator[Path]:
    """Give an empty directory to write into, which becomes ``target`` when the block ends well and
    is removed when it does not. The caller has checked that ``target`` may be replaced."""
    with writing(target):
        recover(target)
        building, lock = _locked_directory(target)
    try:
        yield building
        with writing(target):
            for file in building.iterdir():
                _to_disk(file)
            _to_disk(building)
            if replace and target.exists():
                _put_in_place_of(building, target)
            else:
                _put_where_nothing_is(building, target)
            _to_disk(target.parent)
    finally:
        shutil.rmtree(building, ignore_errors=True)  # the old directory, after a swap
        os.close(lock)


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turn what the system says when it cannot write into a ``CorpusError``."""
    try:
        yield
    except (OSError, RuntimeError) as error:  # RuntimeError is FAISS's, on a full disk
        raise CorpusError(
            f"{target} could not be written ({(str(error).splitlines() or [''])[0]}); nothing of "
            "it is left: check the space and the permissions there, or choose another output"
        ) from error


def recover(target: Path) -> None:
    """Put back what an interrupted replacement has moved away, and remove what dead builds of
    ``target`` have left."""
    name = glob.escape(target.name)
    for replaced in sorted(target.parent.glob(f".{name}.replaced-*")):
        if target.exists():
            shutil.rmtree(replaced, ignore_errors=True)
        else:
            replaced.rename(target)
    for left in target.parent.glob(f".{name}.building-*"):
        lock = _lock(left)
        if lock is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)


def _locked_directory(target: Path) -> tuple[Path, int]:
    while True:
        building = target.parent / f".{target.name}.building-{uuid.uuid4().hex[:12]}"
        building.mkdir()
        if fcntl is None:
            return building, os.open(os.devnull, os.O_RDONLY)
        lock = os.open(building, os.O_RDONLY)
        with suppress(OSError):  # a file system without locks: what is left there then stays
            fcntl.flock(lock, fcntl.LOCK_EX)
        if building.exists():  # another build may have taken it for a dead one's just before
            return building, lock
        os.close(lock)


def _lock(folder: Path) -> int | None:
    """An open descriptor that holds the lock on a directory, ``None`` when it cannot be had."""
    if fcntl is None:
        return None
    try:
        opened = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(opened)
        return None
    return opened


def _to_disk(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _put_where_nothing_is(building: Path, target: Path) -> None:
    try:
        building.rename(target)
    except OSError as error:
        if target.exists():
            raise appeared(target) from error
        raise


def appeared(target: Path) -> CorpusError:
    """Somebody else has made ``target`` since it was found to be free."""
    return CorpusError(
        f"{target} appeared while this index was being built, perhaps from another build; it stays "
        "as it is and this index is dropped: use that one, pass --overwrite (overwrite=True) to "
        "replace it, or choose another output"
    )


def _put_in_place_of(building: Path, target: Path) -> None:
    if _swap(building, target):
        return
    replaced = target.parent / f".{target.name}.replaced-{uuid.uuid4().hex[:12]}"
    target.rename(replaced)
    try:
        building.rename(target)
    except OSError:
        replaced.rename(target)
        raise
    shutil.rmtree(replaced, ignore_errors=True)


def _swap(first: Path, second: Path) -> bool:
    """Exchange two directories in one step. ``False`` when the system cannot."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "linux":
            here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
            done = libc.renameat2(here, os.fsencode(first), here, os.fsencode(second), exchange)
        elif sys.platform == "darwin":
            done = libc.renamex_np(os.fsencode(first), os.fsencode(second), 2)  # RENAME_SWAP
        else:
            return False
    except (OSError, AttributeError, TypeError):
        return False
    return bool(done == 0)
