"""One grammar for every short spec: ``name``, ``name:value``, ``name:value,key=value``."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from clients.errors import SpecError

Member = TypeVar("Member")
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Spec:
    """A parsed spec.

    ``margin:0.02,warmup=2`` is ``Spec("margin", "0.02", {"warmup": "2"})``. The value is ``None``
    when there is none; it may itself hold colons (``openai:ft:model:org``).
    """

    name: str
    value: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        words = [] if self.value is None else [self.value]
        words += [f"{key}={value}" for key, value in self.options.items()]
        return self.name + (":" + ",".join(words) if words else "")


def parse_spec(text: str) -> Spec:
    """Read a spec. Raises ``SpecError`` when a part is empty or an option is given twice."""
    name, colon, rest = text.strip().partition(":")
    if not name:
        raise SpecError(
            f"found the spec {text!r}; expected name, name:value or name:value,key=value"
        )
    value: str | None = None
    options: dict[str, str] = {}
    for position, part in enumerate(rest.split(",") if colon else ()):
        key, equals, word = part.partition("=")
        if equals and key.isidentifier():
            if key in options:
                raise SpecError(f"the spec {text!r} gives {key!r} twice; give it once")
            options[key] = word
        elif position == 0 and part:
            value = part
        else:
            raise SpecError(f"found {part!r} in the spec {text!r}; expected name:value,key=value")
    return Spec(name, value, options)


class Registry(Generic[Member]):
    """The members of one family by name, each made from a ``Spec``.

    ``kind`` names the family in errors ("prune policy"). ``make`` raises ``SpecError`` naming
    what is known when the name is not, and when a value or an option cannot be used.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._makers: dict[str, Callable[[Spec], Member]] = {}
        self._nesting: set[str] = set()

    def register(self, name: str, maker: Callable[[Spec], Member], *, nests: bool = False) -> None:
        """A member that ``nests`` takes everything behind its colon as its value, for that holds
        specs with options of their own."""
        self._makers[name] = maker
        if nests:
            self._nesting.add(name)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._makers))

    def maker(self, spec: Spec) -> Callable[[Spec], Member]:
        try:
            return self._makers[spec.name]
        except KeyError:
            known = ", ".join(self.names)
            raise SpecError(f"unknown {self.kind} {spec.name!r}; known: {known}") from None

    def make(self, spec: Spec | str) -> Member:
        parsed = self._parse(spec) if isinstance(spec, str) else spec
        return self.maker(parsed)(parsed)

    def _parse(self, text: str) -> Spec:
        name, _, rest = text.strip().partition(":")
        return Spec(name, rest or None) if name in self._nesting else parse_spec(text)


def allow_options(spec: Spec, *allowed: str) -> None:
    """Raise ``SpecError`` for an option that ``spec`` does not know."""
    for key in spec.options:
        if key not in allowed:
            takes = ", ".join(allowed) or "no options"
            raise SpecError(f"{spec.name} does not know the option {key!r}; it takes {takes}")


def no_value(spec: Spec) -> None:
    """Raise ``SpecError`` when ``spec`` carries a value and its member takes none."""
    if spec.value is not None:
        raise SpecError(f"{spec.name} takes no value; found {spec.value!r}")


def one_of(spec: Spec, option: str, words: Collection[str]) -> str | None:
    """The word of an option that knows only these, ``None`` where it is not given."""
    word = spec.options.get(option)
    if word is not None and word not in words:
        raise SpecError(
            f"{spec.name} found {word!r} as its {option}; expected {' or '.join(words)}"
        )
    return word


def number(
    spec: Spec, word: str | None, name: str, *, low: float = 0.0, high: float | None = None
) -> float:
    """The finite number ``word`` within ``[low, high]``, or a ``SpecError``."""
    expected = f"a number {'from' if high is not None else 'of at least'} {low:g}" + (
        f" to {high:g}" if high is not None else ""
    )
    value = _read(float, word)
    most = sys.float_info.max if high is None else high
    if value is None or not low <= value <= most:
        found = "nothing" if word is None else repr(word)
        raise SpecError(f"{spec.name} found {found} as its {name}; expected {expected}")
    return value


def whole_number(spec: Spec, word: str | None, name: str, *, low: int = 0) -> int:
    """The whole number ``word`` of at least ``low``, or a ``SpecError``."""
    value = _read(int, word)
    if value is None or value < low:
        found = "nothing" if word is None else repr(word)
        raise SpecError(
            f"{spec.name} found {found} as its {name}; expected a whole number of at least {low}"
        )
    return value


def positive(spec: Spec, word: str | None, name: str) -> float:
    """The finite number ``word`` above 0, or a ``SpecError``."""
    value = _read(float, word)
    if value is None or not 0 < value < math.inf:
        found = "nothing" if word is None else repr(word)
        raise SpecError(f"{spec.name} found {found} as its {name}; expected a number above 0")
    return value


def _read(kind: Callable[[str], Number], word: str | None) -> Number | None:
    # Python reads the digits of every script, and underscores between them.
    if word is None or not word.isascii() or "_" in word:
        return None
    try:
        return kind(word)
    except ValueError:
        return None


def true_or_false(spec: Spec, option: str, default: bool = False) -> bool:
    """The truth of an option that is ``true`` or ``false``, or a ``SpecError``."""
    word = spec.options.get(option)
    if word not in (None, "true", "false"):
        raise SpecError(f"{spec.name} found {word!r} as its {option}; expected true or false")
    return default if word is None else word == "true"


def variable_name(spec: Spec, name: str) -> str:
    """``name`` where it is the name of an environment variable, or a ``SpecError``."""
    # A key pasted here by mistake must not be repeated in a message.
    if not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
        raise SpecError(
            f"{spec.name} found something else than the name of an environment variable as its "
            "api_key_env; expected a name in capitals, such as VLLM_API_KEY"
        )
    return name
