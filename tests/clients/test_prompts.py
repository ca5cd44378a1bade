from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.errors import PromptError
from clients.prompts import PROMPT_VERSION, PromptTemplate, default_prompt, load_prompt


def test_the_default_asks_for_both_sections() -> None:
    prompt = default_prompt()
    assert prompt.version == PROMPT_VERSION
    filled = prompt.fill("Cough.", "Film of 2019.")
    assert "Findings:" in filled
    assert "Impression:" in filled
    assert "Indication: Cough.\n" in filled
    assert "Comparison: Film of 2019.\n" in filled


def test_a_changed_default_needs_a_new_version() -> None:
    digest = sha256(default_prompt().text.encode()).hexdigest()[:12]
    assert (PROMPT_VERSION, digest) == ("chest-xray-1", "b7e0206da099")


@pytest.mark.parametrize("nothing", [None, "", " \n"])
def test_what_is_not_given_is_said(nothing: str | None) -> None:
    filled = default_prompt().fill(nothing, nothing)
    assert "Indication: not given\nComparison: not given\n" in filled


@given(st.text(), st.text())
def test_values_are_not_read_as_templates(indication: str, comparison: str) -> None:
    filled = PromptTemplate("<{indication}|{comparison}>", "t").fill(indication, comparison)
    expected = [value.strip() or "not given" for value in (indication, comparison)]
    assert filled == f"<{expected[0]}|{expected[1]}>"
    assert PromptTemplate("{indication}", "t").fill("{comparison}", "x") == "{comparison}"


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ('{"indication": 1}', '{"indication": 1}'),
        ("{} { } {0} {{}} }{ {a b}", "{} { } {0} {{}} }{ {a b}"),
        ("{{indication}} is {indication}", "{indication} is cough"),
        ("{{findings}}", "{findings}"),
    ],
)
def test_other_braces_stand_for_themselves(text: str, filled: str) -> None:
    assert PromptTemplate(text, "t").fill("cough") == filled


def test_an_unknown_field_names_the_known(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("Age {age}: {indication}")
    with pytest.raises(PromptError, match=r"mine\.txt.*\{age\}; known: \{indication\}, \{compa"):
        load_prompt(path)


def test_a_prompt_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes("\ufeffBericht für {indication}\r\n\r\nBefund:\r\n".encode())
    prompt = load_prompt(path)
    assert prompt.fill("Husten") == "Bericht für Husten\n\nBefund:"
    assert prompt.version.startswith("mine.txt@")
    path.write_text("Another {indication}")
    assert load_prompt(str(path)).version != prompt.version


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"\x89PNG\r\n\x1a\n\0", "looks like PNG"),
        ("Befund".encode("utf-16"), "not UTF-8 text"),
        (b"version https://git-lfs.github.com/spec/v1\n", "looks like a Git LFS pointer"),
    ],
)
def test_files_that_are_no_prompt(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(data)
    with pytest.raises(PromptError, match=message):
        load_prompt(path)


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="does not exist"):
        load_prompt(tmp_path / "absent.txt")
    with pytest.raises(PromptError, match="cannot be read"):
        load_prompt(tmp_path)
