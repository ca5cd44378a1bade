"""From a file to an image that can be sent: upright, 8 bits, small enough, nothing but pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from clients.base import Image
from clients.dicom import decode_dicom
from clients.errors import ImageError
from clients.file_kind import HEAD_BYTES, file_kind
from clients.pixels import eight_bit, fitted, upright

if TYPE_CHECKING:
    import PIL.Image

ImageSource: TypeAlias = "str | Path | bytes | PIL.Image.Image | Image"

JPEG_QUALITY = 95
ADDRESSES = ("http:", "https:", "data:", "s3:", "gs:")
WITH_PILLOW = ("PNG", "JPEG", "WebP")

_WHAT_TO_DO = {
    "a Git LFS pointer": "get the file itself with: git lfs pull",
}


def load_image(source: ImageSource, *, max_pixels_side: int = 2048) -> Image:
    """An image ready to send, from a path, encoded bytes, a Pillow image, or an ``Image``.

    PNG, JPEG, WebP and DICOM (see ``decode_dicom``) of one frame are read. The EXIF orientation is
    applied; then everything but the pixels is dropped (EXIF, text, colour profile, resolution, all
    that DICOM says of the patient). Grey stays grey; 16 bits become
    8 (see ``pixels.eight_bit``); transparency is laid on black. The longer side is brought down to
    ``max_pixels_side``, never up. JPEG stays JPEG, all else becomes PNG. The same input gives the
    same bytes. An ``Image`` is taken as ready.

    Raises ``ImageError``, and ``MissingPackageError`` for DICOM without pydicom.
    """
    if max_pixels_side < 1:
        raise ImageError(f"found max_pixels_side {max_pixels_side}; expected at least 1")
    if isinstance(source, Image):
        return source
    if isinstance(source, str) and source.startswith(ADDRESSES):
        raise ImageError("found an address as an image; expected a file: download it first")
    if isinstance(source, str | Path):
        path = Path(source)
        return _ready(_decoded(_read(path), str(path)), max_pixels_side, str(path), path.name)
    if isinstance(source, bytes | bytearray | memoryview):
        what = "the image given as bytes"
        return _ready(_decoded(bytes(source), what), max_pixels_side, what, None)
    import PIL.Image  # noqa: PLC0415

    if isinstance(source, PIL.Image.Image):
        return _ready(source, max_pixels_side, "the Pillow image", None)
    raise ImageError(
        f"found {type(source).__name__} as an image; expected a path, bytes or a Pillow image"
    )


def load_images(
    sources: Iterable[ImageSource], *, max_pixels_side: int = 2048
) -> tuple[Image, ...]:
    """The images of one study, such as frontal and lateral, in order. See ``load_image``."""
    return tuple(load_image(source, max_pixels_side=max_pixels_side) for source in sources)


def _read(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise ImageError(f"{path} is a folder; expected an image file")
        if path.exists() and not path.is_file():
            raise ImageError(f"{path} is not a regular file; expected an image file")
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
            _check_kind(head, str(path))
            return head + file.read()
    except FileNotFoundError:
        raise ImageError(f"{path} does not exist; expected an image file") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        raise ImageError(f"{path} cannot be read ({error})") from None


def _check_kind(head: bytes, what: str) -> None:
    if not head:
        raise ImageError(f"{what} is empty; expected {_list(READABLE)}")
    kind = file_kind(head)
    if kind not in DECODERS:
        looks = f"looks like {kind}" if kind else "does not look like an image"
        advice = _WHAT_TO_DO.get(kind or "", f"expected {_list(READABLE)}")
        raise ImageError(f"{what} {looks}; {advice}")


def _decoded(data: bytes, what: str) -> PIL.Image.Image:
    _check_kind(data[:HEAD_BYTES], what)
    return DECODERS[file_kind(data[:HEAD_BYTES]) or ""](data, what)


def _decode_with_pillow(data: bytes, what: str) -> PIL.Image.Image:
    import PIL.Image  # noqa: PLC0415

    limit = PIL.Image.MAX_IMAGE_PIXELS
    try:
        picture = PIL.Image.open(BytesIO(data), formats=[kind.upper() for kind in WITH_PILLOW])
        pixels = picture.width * picture.height
        if limit is None or pixels <= limit:
            picture.load()
    except (PIL.Image.DecompressionBombError, PIL.Image.DecompressionBombWarning):
        pixels = None
    except Exception as error:  # noqa: BLE001 - a damaged file makes decoders raise anything
        unknown = isinstance(error, PIL.UnidentifiedImageError)
        reason = "no picture in it" if unknown else str(error)
        raise ImageError(
            f"{what} is damaged or cut off ({reason}); get the file again, or export it anew"
        ) from None
    if pixels is None or (limit is not None and pixels > limit):
        raise ImageError(f"{what} has more than {limit} pixels; scale it down first")
    frames = getattr(picture, "n_frames", 1)
    # Cameras put a thumbnail or a second view behind a JPEG; the picture is the first.
    if frames > 1 and picture.format in ("PNG", "WEBP"):
        raise ImageError(f"{what} is an animation of {frames} frames; expected one frame")
    return picture


# Other formats join here: a function from the file's bytes to a Pillow image.
DECODERS: dict[str | None, Callable[[bytes, str], PIL.Image.Image]] = {
    **dict.fromkeys(WITH_PILLOW, _decode_with_pillow),
    "DICOM": decode_dicom,
}
READABLE = (*WITH_PILLOW, "DICOM")


def _ready(picture: PIL.Image.Image, side: int, what: str, name: str | None) -> Image:
    kind = "JPEG" if picture.format in ("JPEG", "MPO") else "PNG"
    try:
        pixels = fitted(eight_bit(upright(picture)), side)
    except (OSError, ValueError, SyntaxError) as error:
        raise ImageError(f"{what} cannot be used ({error})") from None
    encoded = BytesIO()
    if kind == "JPEG":
        pixels.save(encoded, "JPEG", quality=JPEG_QUALITY, subsampling=0)
    else:
        pixels.save(encoded, "PNG")
    data = encoded.getvalue()
    return Image(
        data=data,
        media_type=f"image/{kind.lower()}",
        width=pixels.width,
        height=pixels.height,
        sha256=sha256(data).hexdigest(),
        name=name,
    )


def _list(kinds: Iterable[str]) -> str:
    *most, last = kinds
    return f"{', '.join(most)} or {last}"
