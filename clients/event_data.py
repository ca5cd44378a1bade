"""Server-sent events."""

from __future__ import annotations

from collections.abc import Iterator


class EventData:
    """The data of server-sent events, from bytes however they are cut. Comments and all other
    fields are dropped."""

    def __init__(self) -> None:
        self._line = b""
        self._data: list[bytes] = []

    def read(self, received: bytes) -> Iterator[bytes]:
        """The data of each event that the next bytes complete."""
        *lines, self._line = (self._line + received).split(b"\n")
        for ended in lines:
            line = ended.removesuffix(b"\r")
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                yield b"\n".join(self._data)
                self._data = []
