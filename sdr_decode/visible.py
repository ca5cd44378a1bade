"""Text that a model wrote, made safe to show: nothing unseen, nothing that reorders a line."""

from __future__ import annotations

import unicodedata

_KEPT = frozenset("\n\t")
# Control and format characters (bidirectional overrides, zero width), line and paragraph
# separators, private and surrogate ones: no reader can see them, and some reorder what is around.
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """The text with every unseen character but line ends and tabs written as ``⟨U+202E⟩``.

    Line ends become ``\\n``.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(
        f"⟨U+{ord(char):04X}⟩"
        if char not in _KEPT and unicodedata.category(char) in _UNSEEN
        else char
        for char in text
    )


def on_one_line(text: str) -> str:
    """``visible``, and every run of white space a single space."""
    return " ".join(visible(text).split())
