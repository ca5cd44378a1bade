"""The page as text; how it looks is seen in the browser."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from sdr_decode.explain import parse_result, render_page
from tests.sdr_decode.explain.example import HOSTILE, example, made_hostile, saved


class Elements(HTMLParser):
    """Every element of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_same_result_gives_the_same_bytes() -> None:
    text = json.dumps(example())
    assert render_page(parse_result(text)) == render_page(parse_result(text.encode()))


def test_the_winner_and_its_reason_come_first() -> None:
    page = render_page(saved())
    body = page[page.index("<body") :]
    places = [body.index(words) for words in ("Candidate 0 was chosen", "0.0250, of 1", "The race")]
    assert places == sorted(places)


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    page = render_page(saved())
    elements = Elements(page)
    assert not {"script", "img", "iframe", "object", "embed"} & set(elements.tags)
    links = [value or "" for name, value in elements.attributes if name in ("href", "src")]
    assert links
    assert all(link.startswith("#") or link == "data:," for link in links)
    assert not [name for name, _ in elements.attributes if name.startswith("on")]
    assert not [name for name, _ in elements.attributes if name == "style"]
    assert "@import" not in page
    assert "url(" not in page


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_add_no_element_and_no_attribute(words: str) -> None:
    plain = Elements(render_page(saved(made_hostile("plain "))))
    hostile = Elements(render_page(saved(made_hostile(words))))
    assert hostile.tags == plain.tags
    assert [name for name, _ in hostile.attributes] == [name for name, _ in plain.attributes]
    assert not re.search("[\u202e\u2066\u200b\x1b\x00\ufeff]", "".join(hostile.words))


def test_a_doubtful_winner_is_said_to_be_one() -> None:
    data = example()
    assert "No candidate was valid" not in render_page(saved(data))
    data["valid"] = False
    assert "No candidate was valid" in render_page(saved(data))


def test_a_report_without_sections_is_shown_whole() -> None:
    data = example()
    data["report"] = {"text": "Just words.", "findings": None, "impression": None}
    assert '<p class="prose" dir="auto">Just words.</p>' in render_page(saved(data))
