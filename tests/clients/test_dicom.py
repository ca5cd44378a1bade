from __future__ import annotations

import sys
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest
from pydicom.dataset import Dataset
from pydicom.encaps import encapsulate
from pydicom.uid import (
    MPEG2MPML,
    JPEG2000Lossless,
    JPEGBaseline8Bit,
    JPEGExtended12Bit,
    JPEGLosslessSV1,
    JPEGLSLossless,
    RLELossless,
)

from clients.errors import ImageError, MissingPackageError
from clients.images import load_image
from tests.clients.dicom_file import PATIENT, dataset, dicom, encoded

RAMP = np.arange(0, 4096, 16, dtype=np.int64).reshape(16, 16)
IDENTITY = ("DOE", "JANE", "4711", "19500101", "Example Clinic")


def grey(data: bytes) -> np.ndarray:
    """What is sent of a DICOM file."""
    image = load_image(data)
    assert image.media_type == "image/png"
    picture = PIL.Image.open(BytesIO(image.data))
    assert picture.mode == "L"
    return np.asarray(picture)


def test_without_a_window_the_whole_range_is_shown() -> None:
    shown = grey(dicom(RAMP[4:8]))
    assert (shown.min(), shown.max()) == (0, 255)
    assert (np.diff(shown.ravel().astype(int)) >= 0).all()


def test_the_window_is_applied() -> None:
    # PS3.3 C.11.2.1.2: below the window black, above it white, in between a straight line.
    shown = grey(dicom(RAMP, WindowCenter=2048, WindowWidth=1024)).ravel()
    values = RAMP.ravel()
    expected = np.clip((values - 2047.5) / 1023 + 0.5, 0, 1) * 255
    assert np.abs(shown - expected).max() <= 1


def test_the_first_of_several_windows_is_applied() -> None:
    one = grey(dicom(RAMP, WindowCenter=1000, WindowWidth=500))
    both = grey(dicom(RAMP, WindowCenter=[1000, 3000], WindowWidth=[500, 100]))
    assert (one == both).all()


@pytest.mark.parametrize("function", ["LINEAR_EXACT", "SIGMOID"])
def test_other_forms_of_window(function: str) -> None:
    data = dicom(RAMP, WindowCenter=2048, WindowWidth=1024, VOILUTFunction=function)
    shown = grey(data).ravel().astype(float) / 255
    distance = (RAMP.ravel() - 2048) / 1024
    if function == "SIGMOID":
        expected = 1 / (1 + np.exp(-4 * distance))
    else:
        expected = np.clip(distance + 0.5, 0, 1)
    assert np.abs(shown - expected).max() < 0.005


@pytest.mark.parametrize("slope", [2.0, -2.0])
def test_stored_values_are_rescaled_before_the_window(slope: float) -> None:
    data = dicom(
        RAMP, RescaleSlope=slope, RescaleIntercept=-1000, WindowCenter=100, WindowWidth=1001
    )
    expected = np.clip((RAMP * slope - 1000 - 99.5) / 1000 + 0.5, 0, 1) * 255
    assert np.abs(grey(data) - expected).max() <= 1


def test_signed_values_are_read() -> None:
    shown = grey(dicom(RAMP - 2048, WindowCenter=0, WindowWidth=4096))
    assert (shown.min(), shown.max()) == (0, 254)
    assert (np.diff(shown.ravel().astype(int)) >= 0).all()


def test_a_lookup_table_is_applied() -> None:
    table = Dataset()
    table.LUTDescriptor = [4, 0, 8]
    table.add_new("LUTData", "OW", np.array([10, 20, 200, 250], np.uint16).tobytes())
    stored = np.array([[0, 1], [2, 9]])
    assert grey(dicom(stored, VOILUTSequence=[table])).tolist() == [[10, 20], [200, 250]]


@pytest.mark.parametrize("window", [{}, {"WindowCenter": 2048, "WindowWidth": 1024}])
def test_monochrome1_is_inverted(window: dict[str, int]) -> None:
    plain = grey(dicom(RAMP, **window)).astype(int)
    inverted = grey(dicom(RAMP, PhotometricInterpretation="MONOCHROME1", **window))
    assert np.abs(plain + inverted - 255).max() <= 1


@pytest.mark.parametrize("kind", ["MONOCHROME1", "MONOCHROME2"])
def test_padding_is_black_and_does_not_count(kind: str) -> None:
    stored = RAMP // 8 + 100
    stored[0] = 4095
    shown = grey(dicom(stored, PixelPaddingValue=4095, PhotometricInterpretation=kind))
    assert (shown[0] == 0).all()
    assert (shown[1:].min(), shown[1:].max()) == (0, 255)


def test_one_value_alone_is_black() -> None:
    assert not grey(dicom(np.full((4, 4), 700))).any()


def test_colour_is_kept() -> None:
    made = dataset(np.zeros((2, 2)), bits=8, SamplesPerPixel=3, PlanarConfiguration=0)
    made.PhotometricInterpretation, made.BitsAllocated, made.HighBit = "RGB", 8, 7
    made.PixelData = bytes(range(12))
    image = load_image(encoded(made))
    assert PIL.Image.open(BytesIO(image.data)).tobytes() == bytes(range(12))


def test_only_pixels_are_sent(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    path = tmp_path / "frontal.dcm"
    path.write_bytes(dicom(RAMP))
    image = load_image(path)
    data = image.data
    assert (image.width, image.height, image.name) == (16, 16, "frontal.dcm")
    for word in IDENTITY:
        assert word.encode() not in data
        assert word not in repr(image)
    assert not PIL.Image.open(BytesIO(data)).info
    assert list(recwarn) == []


def test_a_large_image_is_made_smaller() -> None:
    image = load_image(dicom(np.zeros((30, 300))), max_pixels_side=100)
    assert (image.width, image.height) == (100, 10)


def compressed(syntax: Any, frame: bytes, bits: int = 8, **elements: Any) -> bytes:
    made = dataset(np.zeros((16, 16)), bits=bits, **elements)
    made.file_meta.TransferSyntaxUID = syntax
    if bits == 8:
        made.BitsAllocated = 8
    made.PixelData = encapsulate([frame])
    made["PixelData"].is_undefined_length = True
    return encoded(made)


def test_what_pillow_decodes_is_read() -> None:
    buffer = BytesIO()
    PIL.Image.fromarray((RAMP // 16).astype(np.uint8)).save(buffer, "JPEG", quality=100)
    shown = grey(compressed(JPEGBaseline8Bit, buffer.getvalue()))
    assert np.abs(shown.astype(int) - RAMP // 16).max() < 8


def test_run_lengths_are_read() -> None:
    made = dataset(RAMP)
    made.compress(RLELossless)
    assert (grey(encoded(made)) == grey(dicom(RAMP))).all()


@pytest.mark.parametrize(
    ("syntax", "bits", "packages"),
    [
        (JPEGLosslessSV1, 12, "pylibjpeg pylibjpeg-libjpeg"),
        (JPEGExtended12Bit, 12, "pylibjpeg pylibjpeg-libjpeg"),
        (JPEGLSLossless, 8, "pyjpegls"),
        (JPEG2000Lossless, 12, "pylibjpeg pylibjpeg-openjpeg"),
    ],
)
def test_other_compression_names_the_package(syntax: Any, bits: int, packages: str) -> None:
    with pytest.raises(ImageError, match=rf"compressed as JPEG.*pip install {packages}$") as told:
        load_image(compressed(syntax, b"\xff\xd8\xff\xd9", bits))
    assert PATIENT not in str(told.value)


def without_pixels() -> bytes:
    made = dataset(RAMP)
    del made.PixelData
    return encoded(made)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda: dicom(RAMP, NumberOfFrames=3), "has 3 frames; expected one"),
        (lambda: dicom(RAMP, BurnedInAnnotation="YES"), "may name the patient; mask"),
        (without_pixels, "DICOM without pixels"),
        (lambda: dicom(RAMP)[:-100], "damaged or cut off"),
        (lambda: dicom(RAMP)[:140], "damaged or cut off|without pixels|does not say"),
        (lambda: dicom(RAMP, WindowCenter=1, WindowWidth=0), "Window Width"),
        (lambda: dicom(RAMP, Rows=20_000, Columns=20_000), "more than .* pixels"),
        (lambda: compressed(MPEG2MPML, b"\0\0\1"), "MPEG2.*expected an image"),
    ],
)
def test_what_cannot_be_used_says_why(data: Any, message: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the writer, about what is wrong on purpose
        file = data()
    with pytest.raises(ImageError, match=message) as told:
        load_image(file)
    assert not any(word in str(told.value) for word in IDENTITY)


def test_one_frame_that_is_counted_is_read() -> None:
    assert (grey(dicom(RAMP, NumberOfFrames=1)) == grey(dicom(RAMP))).all()


def test_without_pydicom_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dicom(RAMP)
    monkeypatch.setitem(sys.modules, "pydicom", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'sdr-decode\[dicom\]'"):
        load_image(data)
