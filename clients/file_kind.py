"""What the first bytes of a file look like, for messages about files of the wrong kind."""

from __future__ import annotations

HEAD_BYTES = 4096

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
    (b"BM", "BMP"),
    (b"\x00\x00\x00\x0cjP  ", "JPEG 2000"),
    (b"%PDF", "PDF"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"version https://git-lfs.github.com", "a Git LFS pointer"),
)


def file_kind(head: bytes) -> str | None:
    """The kind of file that begins with ``head`` (its first ``HEAD_BYTES`` or all of it), such as
    ``PNG``, ``DICOM``, ``text``; ``None`` where it looks like nothing known."""
    if head[128:132] == b"DICM":
        return "DICOM"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WebP"
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return kind
    if head.lstrip()[:14].lower().startswith((b"<!doctype html", b"<html")):
        return "a web page"
    return "text" if head and _is_text(head) else None


def _is_text(head: bytes) -> bool:
    for trimmed in range(4):  # the head may end within a character
        try:
            text = head[: len(head) - trimmed].decode("utf-8")
        except UnicodeDecodeError:
            continue
        return all(character.isprintable() or character in "\t\r\n\f\ufeff" for character in text)
    return False
