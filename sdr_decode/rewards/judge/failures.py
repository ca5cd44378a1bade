"""Why texts have no rating."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping


class Unrated(Exception):  # noqa: N818 - it is no error of the caller's
    """A text has no rating. ``reason`` is one of a few, ``detail`` what happened this time."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class Failures:
    """How many texts have no rating for which reason. ``str`` tells it in one sentence."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._latest: dict[str, str] = {}
        self._counting = threading.Lock()

    def add(self, failure: Unrated) -> None:
        with self._counting:
            self._counts[failure.reason] += 1
            self._latest[failure.reason] = failure.detail

    @property
    def counts(self) -> Mapping[str, int]:
        """Texts by reason."""
        return dict(self._counts)

    def __len__(self) -> int:
        return self._counts.total()

    def __str__(self) -> str:
        if not self._counts:
            return "no text is without a rating"
        told = [
            f"{count} x {reason}"
            + (f" (last: {self._latest[reason]})" if self._latest[reason] else "")
            for reason, count in self._counts.most_common()
        ]
        texts = "1 text is" if len(self) == 1 else f"{len(self)} texts are"
        return f"{texts} without a rating: {'; '.join(told)}"
