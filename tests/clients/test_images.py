from __future__ import annotations

import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
import PIL.Image
import PIL.PngImagePlugin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clients import Image
from clients.errors import ImageError
from clients.images import load_image, load_images
from tests.data import real_data

ORIENTATION, PATIENT = 0x0112, "DOE^JANE"


def encoded(picture: PIL.Image.Image, kind: str = "PNG", **options: object) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def opened(image: Image) -> PIL.Image.Image:
    return PIL.Image.open(BytesIO(image.data))


def grey(width: int = 40, height: int = 30) -> PIL.Image.Image:
    return PIL.Image.fromarray(np.arange(width * height, dtype=np.uint8).reshape(height, width))


@pytest.mark.parametrize(
    ("kind", "sent"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/png")]
)
def test_each_format_is_read(tmp_path: Path, kind: str, sent: str) -> None:
    path = tmp_path / f"frontal.{kind.lower()}"
    path.write_bytes(encoded(grey(), kind))
    image = load_image(path)
    assert (image.media_type, image.width, image.height, image.name) == (sent, 40, 30, path.name)
    assert opened(image).size == (40, 30)
    assert f"image/{opened(image).format.lower()}" == sent
    assert load_image(str(path)) == image


def test_every_kind_of_source_gives_the_same_pixels() -> None:
    picture = grey()
    from_bytes = load_image(encoded(picture))
    assert load_image(picture).data == from_bytes.data
    assert load_image(from_bytes) is from_bytes
    assert from_bytes.name is None


def test_the_same_input_gives_the_same_bytes() -> None:
    data = encoded(grey(3000, 200), "JPEG")
    assert load_image(data) == load_image(data)


def test_several_images_keep_their_order() -> None:
    images = load_images([grey(40, 30), grey(20, 10)])
    assert [image.width for image in images] == [40, 20]


def test_orientation_is_applied() -> None:
    picture = PIL.Image.new("L", (40, 20))
    picture.paste(255, (0, 0, 20, 20))
    exif = PIL.Image.Exif()
    exif[ORIENTATION] = 6  # stored lying on its left side
    for kind in ("JPEG", "PNG"):
        image = load_image(encoded(picture, kind, exif=exif))
        assert (image.width, image.height) == (20, 40)
        turned = np.asarray(opened(image))
        assert turned[:15].min() > 200
        assert turned[25:].max() < 50


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_nothing_but_pixels_goes_out(kind: str) -> None:
    exif = PIL.Image.Exif()
    exif[0x010E] = PATIENT
    options: dict[str, object] = {"exif": exif, "icc_profile": b"profile of " + PATIENT.encode()}
    if kind == "PNG":
        text = PIL.PngImagePlugin.PngInfo()
        text.add_text("Patient", PATIENT)
        text.add_itxt("XML:com.adobe.xmp", f"<x>{PATIENT}</x>")
        options |= {"pnginfo": text, "dpi": (300, 300)}
    else:
        options |= {"xmp": f"<x>{PATIENT}</x>".encode()}
    if kind == "JPEG":
        options |= {"comment": PATIENT}
    data = encoded(grey().convert("RGB"), kind, **options)
    picture = PIL.Image.open(BytesIO(data))
    for source in (data, picture):
        image = load_image(source)
        assert PATIENT.encode() not in image.data
        sent = opened(image)
        sent.load()
        assert set(sent.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
        assert not sent.getexif()
    if kind == "PNG":
        assert chunk_names(load_image(data).data) <= {b"IHDR", b"IDAT", b"IEND"}


def chunk_names(png: bytes) -> set[bytes]:
    names, at = set(), 8
    while at < len(png):
        names.add(png[at + 4 : at + 8])
        at += 12 + int.from_bytes(png[at : at + 4], "big")
    return names


def deep(values: list[int]) -> PIL.Image.Image:
    return PIL.Image.fromarray(np.array([values], dtype=np.uint16))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 32768, 65535], [0, 128, 255]),
        ([0, 2048, 4095], [0, 128, 255]),  # a 12-bit detector
        ([0, 7, 255], [0, 7, 255]),
        ([0, 0, 0], [0, 0, 0]),
    ],
)
def test_deep_greys_become_eight_bits(values: list[int], expected: list[int]) -> None:
    sent = opened(load_image(encoded(deep(values))))
    assert sent.mode == "L"
    assert np.asarray(sent).tolist() == [expected]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 65535), min_size=1, max_size=50))
def test_deep_greys_keep_their_order_and_use_the_range(values: list[int]) -> None:
    sent = np.asarray(opened(load_image(encoded(deep(values)))))[0].astype(int)
    by_depth = np.argsort(values, kind="stable")
    assert (np.diff(sent[by_depth]) >= 0).all()
    if max(values) > 255:
        assert sent.max() >= 127


@pytest.mark.parametrize(
    ("mode", "sent"),
    [("1", "L"), ("L", "L"), ("LA", "L"), ("P", "RGB"), ("RGB", "RGB"), ("RGBA", "RGB")],
)
def test_grey_stays_grey_and_colour_stays_colour(mode: str, sent: str) -> None:
    picture = PIL.Image.new("RGB", (8, 8), (200, 30, 30)).convert(mode)
    assert opened(load_image(encoded(picture))).mode == sent


def test_a_palette_of_greys_is_grey() -> None:
    picture = PIL.Image.new("P", (2, 1))
    picture.putpalette([0, 0, 0, 90, 90, 90])
    picture.putpixel((1, 0), 1)
    sent = opened(load_image(encoded(picture)))
    assert sent.mode == "L"
    assert np.asarray(sent).tolist() == [[0, 90]]


def test_cmyk_becomes_rgb() -> None:
    assert opened(load_image(encoded(PIL.Image.new("CMYK", (8, 8)), "JPEG"))).mode == "RGB"


def test_transparency_is_laid_on_black() -> None:
    for mode, clear in (("RGBA", (255, 255, 255, 0)), ("LA", (255, 0))):
        sent = opened(load_image(encoded(PIL.Image.new(mode, (2, 2), clear))))
        assert np.asarray(sent).max() == 0


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 300), st.integers(1, 300), st.integers(1, 200))
def test_the_longer_side_is_brought_down_and_the_shape_kept(
    width: int, height: int, side: int
) -> None:
    image = load_image(PIL.Image.new("L", (width, height)), max_pixels_side=side)
    if max(width, height) <= side:
        assert (image.width, image.height) == (width, height)
    else:
        assert max(image.width, image.height) == side
        assert abs(image.width - width * side / max(width, height)) < 1
        assert abs(image.height - height * side / max(width, height)) < 1
        assert min(image.width, image.height) >= 1


def test_scaling_averages_instead_of_picking() -> None:
    stripes = np.zeros((64, 64), dtype=np.uint8)
    stripes[:, ::2] = 255
    sent = np.asarray(opened(load_image(PIL.Image.fromarray(stripes), max_pixels_side=16)))
    assert 100 < sent[4:12, 4:12].mean() < 155
    assert sent[4:12, 4:12].std() < 20


def png_header(width: int, height: int) -> bytes:
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((8, 0, 0, 0, 0))
    chunk = b"IHDR" + header
    whole = b"\0\0\0\x0d" + chunk + zlib.crc32(chunk).to_bytes(4, "big")
    return b"\x89PNG\r\n\x1a\n" + whole + b"\0\0\0\x01IDAT\0"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty; expected PNG, JPEG, WebP or DICOM"),
        (b"FINDINGS: The heart is normal.\n", "looks like text; expected PNG"),
        ("Größe normal".encode(), "looks like text"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "git lfs pull"),
        (b"\0" * 128 + b"DICM" + b"\2\0", "DICOM without pixels|damaged or cut off"),
        (b"%PDF-1.7", "looks like PDF"),
        (b"<!DOCTYPE html><html>", "looks like a web page"),
        (b"PK\x03\x04" + b"\0" * 20, "looks like a zip archive"),
        (b"\x01\x02\x03\xfe" * 9, "does not look like an image"),
        (encoded(PIL.Image.new("L", (4, 4)), "GIF"), "looks like GIF"),
        (encoded(PIL.Image.new("L", (4, 4)), "TIFF"), "looks like TIFF"),
        (b"\x89PNG\r\n\x1a\n", r"cut off \(no picture in it"),
        (b"\xff\xd8\xff\xe0", "damaged or cut off"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "damaged or cut off"),
        (png_header(50_000, 50_000), "more than [0-9]+ pixels"),
    ],
)
def test_files_that_cannot_be_sent(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "study.png"
    path.write_bytes(data)
    with pytest.raises(ImageError, match=message) as caught:
        load_image(path)
    assert str(caught.value).startswith(str(path))
    with pytest.raises(ImageError, match=message):
        load_image(data)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_every_truncation_is_an_error_or_still_whole(kind: str) -> None:
    noise = PIL.Image.fromarray(np.random.default_rng(0).integers(0, 256, (40, 40), dtype=np.uint8))
    data = encoded(noise, kind)
    whole = load_image(data).sha256
    failed = 0
    for end in range(0, len(data), 7):
        try:
            assert load_image(data[:end]).sha256 == whole
        except ImageError:
            failed += 1
    assert failed > len(data) / 7 * 0.9


def test_pictures_just_over_pillows_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(grey(40, 30))
    monkeypatch.setattr(PIL.Image, "MAX_IMAGE_PIXELS", 1000)
    with (
        pytest.warns(PIL.Image.DecompressionBombWarning),
        pytest.raises(ImageError, match="more than 1000 pixels"),
    ):
        load_image(data)


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="is a folder"):
        load_image(tmp_path)
    with pytest.raises(ImageError, match="does not exist"):
        load_image(tmp_path / "absent.png")
    with pytest.raises(ImageError, match="not a regular file"):
        load_image("/dev/null")
    with pytest.raises(ImageError, match="cannot be read"):
        load_image("a\0b.png")
    with pytest.raises(ImageError, match="found an address"):
        load_image("https://example.org/chest.png")


def test_animations_floats_and_other_objects_are_refused() -> None:
    frames = [PIL.Image.new("L", (4, 4), shade) for shade in (0, 255)]
    data = encoded(frames[0], "PNG", save_all=True, append_images=frames[1:])
    with pytest.raises(ImageError, match="animation of 2 frames"):
        load_image(data)
    with pytest.raises(ImageError, match="floating-point"):
        load_image(PIL.Image.new("F", (4, 4)))
    with pytest.raises(ImageError, match="found int as an image"):
        load_image(4)  # type: ignore[arg-type]
    with pytest.raises(ImageError, match="max_pixels_side 0"):
        load_image(grey(), max_pixels_side=0)


def test_real_chest_x_rays() -> None:
    paths = sorted(real_data("images").glob("*.png"))
    assert len(paths) == 10
    for image, path in zip(load_images(paths, max_pixels_side=512), paths, strict=True):
        assert (image.width, image.height, image.name) == (512, 512, path.name)
        assert opened(image).mode == "L"
