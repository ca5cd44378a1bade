from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients import open_client
from clients.errors import SpecError
from clients.registry import MODULES
from clients.spec import Registry, Spec, number, parse_spec, positive, whole_number


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("none", Spec("none")),
        ("margin:0.02", Spec("margin", "0.02")),
        ("margin:0.02,warmup=2", Spec("margin", "0.02", {"warmup": "2"})),
        ("staged:1,accept=0.03", Spec("staged", "1", {"accept": "0.03"})),
        ("recorded:speed=2", Spec("recorded", None, {"speed": "2"})),
        ("openai:ft:mini:org::id", Spec("openai", "ft:mini:org::id")),
        (
            "openai:m,base_url=http://127.0.0.1:8000/v1",
            Spec("openai", "m", {"base_url": "http://127.0.0.1:8000/v1"}),
        ),
    ],
)
def test_the_grammar(text: str, spec: Spec) -> None:
    assert parse_spec(text) == spec
    assert str(spec) == text


words = st.text(
    st.characters(codec="ascii", exclude_characters=",=: \n\r\t\x0b\x0c\x1c\x1d\x1e\x1f"),
    min_size=1,
)


@given(words, st.none() | words, st.dictionaries(st.from_regex(r"[a-z_]+", fullmatch=True), words))
def test_what_is_written_is_read_back(
    name: str, value: str | None, options: dict[str, str]
) -> None:
    assert parse_spec(str(Spec(name, value, options))) == Spec(name, value, options)


@pytest.mark.parametrize("text", ["", ":", " ", ":x", "margin:0.1,0.2", "margin:0.1,,", "a:b,=3"])
def test_what_is_not_a_spec_is_refused(text: str) -> None:
    with pytest.raises(SpecError):
        parse_spec(text)


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    registry: Registry[int] = Registry("number")
    registry.register("two", lambda spec: 2)
    registry.register("one", lambda spec: 1)
    assert registry.make("two") == 2
    with pytest.raises(SpecError, match="unknown number 'three'; known: one, two"):
        registry.make("three")
    with pytest.raises(
        SpecError, match=f"unknown client 'gpt'; known: {', '.join(sorted(MODULES))}$"
    ):
        open_client("gpt:4")


@pytest.mark.parametrize("word", ["\u0663", "1\u0660", "\uff11", "1_0", "", "three", None])
def test_numbers_are_written_in_ascii_digits(word: str | None) -> None:
    found = "nothing" if word is None else repr(word)
    for read in (number, whole_number, positive):
        with pytest.raises(SpecError, match=f"margin found {found} as its value; expected a"):
            read(Spec("margin"), word, "value")


def test_numbers_within_their_bounds() -> None:
    spec = Spec("margin")
    assert number(spec, "1e-2", "value", high=1.0) == 0.01
    for word in ("-1", "inf", "nan", "1e999"):
        with pytest.raises(SpecError, match="expected a number of at least 0"):
            number(spec, word, "value")
    assert whole_number(spec, "-3", "value", low=-3) == -3
    assert positive(spec, "0.5", "value") == 0.5
    for word in ("0", "-1", "inf", "nan"):
        with pytest.raises(SpecError, match="expected a number above 0"):
            positive(spec, word, "value")
