"""The pixels of a DICOM image as they are looked at, and nothing else of it."""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from clients.errors import ImageError, MissingPackageError

if TYPE_CHECKING:
    import PIL.Image
    from numpy.typing import NDArray
    from pydicom.dataset import Dataset

# Only these are read: what identifies the patient never leaves the file.
ELEMENTS = """
    BitsAllocated BitsStored BurnedInAnnotation Columns HighBit ModalityLUTSequence NumberOfFrames
    PhotometricInterpretation PixelData PixelPaddingRangeLimit PixelPaddingValue
    PixelRepresentation PlanarConfiguration RescaleIntercept RescaleSlope RescaleType Rows
    SOPClassUID SamplesPerPixel VOILUTFunction VOILUTSequence WindowCenter WindowWidth
""".split()
GREY = ("MONOCHROME1", "MONOCHROME2")
EXTREMES = np.array([-1e12, 1e12])

# What decodes a compressed transfer syntax, by a word of its name.
PLUGINS = (
    ("JPEG-LS", "pyjpegls"),
    ("JPEG 2000", "pylibjpeg pylibjpeg-openjpeg"),
    ("High-Throughput", "pylibjpeg pylibjpeg-openjpeg"),
    ("HTJ2K", "pylibjpeg pylibjpeg-openjpeg"),
    ("JPEG", "pylibjpeg pylibjpeg-libjpeg"),
)


def decode_dicom(data: bytes, what: str) -> PIL.Image.Image:
    """A Pillow image of 8 bits, grey or RGB, from a DICOM file's bytes.

    Stored values become those of the modality (rescale or LUT), then those of the first window or
    VOI LUT, or without one the whole range of the image. MONOCHROME1 is inverted, so that bone is
    white. Pixel padding is black. Overlays are left out.

    Raises ``ImageError`` for several frames, for annotation that is burned in, for a transfer
    syntax that no installed package decodes (the package is named), and for what is damaged;
    ``MissingPackageError`` without pydicom.
    """
    try:
        import pydicom  # noqa: PLC0415
    except ImportError as error:
        raise MissingPackageError(
            "the pydicom package, which reads DICOM, is not installed; run: pip install "
            "'sdr-decode[dicom]'"
        ) from error
    # Its warnings quote the file.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            dataset = pydicom.dcmread(BytesIO(data), specific_tags=list(ELEMENTS))
        except Exception as error:  # noqa: BLE001 - a damaged file makes the reader raise anything
            raise _damaged(what, error) from None
        _check(dataset, what)
        try:
            return _picture(dataset)
        except Exception as error:  # noqa: BLE001 - as above
            raise _damaged(what, error) from None


def _check(dataset: Dataset, what: str) -> None:
    import PIL.Image  # noqa: PLC0415

    if "PixelData" not in dataset:
        raise ImageError(f"{what} is DICOM without pixels; expected an image")
    frames = _whole(dataset, "NumberOfFrames", 1)
    if frames != 1:
        raise ImageError(f"{what} has {frames} frames; expected one: export the frame to read")
    if str(dataset.get("BurnedInAnnotation") or "").upper() == "YES":
        raise ImageError(
            f"{what} says that text is burned into its pixels, which may name the patient; mask "
            "the text, and set Burned In Annotation to NO"
        )
    limit = PIL.Image.MAX_IMAGE_PIXELS
    if limit is not None and _whole(dataset, "Rows", 0) * _whole(dataset, "Columns", 0) > limit:
        raise ImageError(f"{what} has more than {limit} pixels; scale it down first")
    _check_syntax(dataset, what)


def _check_syntax(dataset: Dataset, what: str) -> None:
    """Raise ``ImageError`` where nothing installed reads how the pixels are compressed."""
    from pydicom.pixels.decoders.base import get_decoder  # noqa: PLC0415
    from pydicom.uid import UID  # noqa: PLC0415

    syntax = getattr(dataset.file_meta, "TransferSyntaxUID", None)
    if syntax is None:
        raise ImageError(f"{what} does not say how its pixels are stored; export it anew")
    name = UID(syntax).name
    if not UID(syntax).is_compressed or not UID(syntax).is_encapsulated:
        return
    try:
        available = get_decoder(syntax).is_available
    except NotImplementedError:
        raise ImageError(f"{what} is stored as {name}; expected an image: export it anew") from None
    # Pillow decodes some of these, but only with 8 bits.
    deep = _whole(dataset, "BitsStored", 8) > 8 and "JPEG" in name
    if not available or (deep and not _beyond_pillow(get_decoder(syntax).available_plugins)):
        packages = next((packages for word, packages in PLUGINS if word in name), "pylibjpeg[all]")
        raise ImageError(
            f"{what} is compressed as {name}, which needs one more package; run: pip install "
            f"{packages}"
        )


def _beyond_pillow(plugins: tuple[str, ...]) -> bool:
    return any(plugin != "pillow" for plugin in plugins)


def _picture(dataset: Dataset) -> PIL.Image.Image:
    from PIL.Image import fromarray  # noqa: PLC0415

    stored = dataset.pixel_array
    if dataset.PhotometricInterpretation not in GREY:
        return fromarray(_colour(dataset, stored))
    padding = _padding(dataset, stored)
    brightness = _brightness(dataset, stored, padding)
    if dataset.PhotometricInterpretation == "MONOCHROME1":
        brightness = 1.0 - brightness
    grey = np.rint(brightness * 255).astype(np.uint8)
    grey[padding] = 0
    return fromarray(grey)


def _brightness(
    dataset: Dataset, stored: NDArray[Any], padding: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The values in [0, 1], as the file says that they are to be displayed."""
    from pydicom.pixels.processing import (  # noqa: PLC0415
        apply_modality_lut,
        apply_voi_lut,
        apply_windowing,
    )

    values = apply_modality_lut(stored, dataset)
    if dataset.get("VOILUTSequence"):
        looked_up = apply_voi_lut(values, dataset)
        low, high = 0.0, float(2 ** dataset.VOILUTSequence[0].LUTDescriptor[2] - 1)
    elif dataset.get("WindowWidth") is not None and dataset.get("WindowCenter") is not None:
        looked_up = apply_windowing(values, dataset)
        # The range that it maps to depends on the file, and is found by what lies outside.
        low, high = map(float, apply_windowing(EXTREMES, dataset))
    else:
        looked_up = values
        seen = values[~padding]
        low, high = (float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0)
    if low == high:
        return np.zeros(stored.shape)
    return np.clip((looked_up.astype(np.float64) - low) / (high - low), 0.0, 1.0)


def _padding(dataset: Dataset, stored: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a pixel stands outside of what was imaged."""
    if dataset.get("PixelPaddingValue") is None:
        return np.zeros(stored.shape, dtype=bool)
    one = int(dataset.PixelPaddingValue)
    other = int(dataset.get("PixelPaddingRangeLimit", one))
    return (stored >= min(one, other)) & (stored <= max(one, other))


def _colour(dataset: Dataset, stored: NDArray[Any]) -> NDArray[np.uint8]:
    if stored.ndim != 3 or dataset.BitsAllocated != 8:
        kind = f"{dataset.PhotometricInterpretation} of {dataset.BitsAllocated} bits"
        raise ValueError(f"its pixels are {kind}; expected grey, or RGB of 8 bits")
    return np.asarray(stored, dtype=np.uint8)


def _whole(dataset: Dataset, name: str, default: int) -> int:
    value = dataset.get(name)
    return default if value in (None, "") else int(value)


def _damaged(what: str, error: Exception) -> ImageError:
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return ImageError(
        f"{what} is damaged or cut off ({reason}); get the file again, or export it anew"
    )
