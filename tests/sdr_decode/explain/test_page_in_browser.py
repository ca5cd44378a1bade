"""The page as a reader sees it: opened in headless Chromium."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sdr_decode.explain import render_page
from sdr_decode.explain.colours import BANDS
from tests.sdr_decode.explain.browser import NAMES, chromium, headless, opened
from tests.sdr_decode.explain.example import HOSTILE, made_hostile, saved

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as browser:
        yield browser


def written(folder: Path, data: dict[str, Any] | None = None) -> Path:
    path = folder / "page.html"
    path.write_text(render_page(saved(data)), "utf-8")
    return path


def rgb(colour: str) -> str:
    return "rgb({}, {}, {})".format(*(int(colour[at : at + 2], 16) for at in (1, 3, 5)))


def test_every_candidate_and_sentence_is_there_in_its_colour(
    browser: Browser, tmp_path: Path
) -> None:
    with opened(browser, written(tmp_path)) as seen:
        cards = seen.page.locator(".card")
        assert cards.count() == 3
        assert cards.nth(0).get_by_text("chosen").is_visible()
        assert "above the threshold 0.04" in cards.nth(1).inner_text()
        assert "after sentence 1, at 8 tokens" in cards.nth(1).inner_text()
        # Distances 0, 0.06, 0.015 and 0.3.
        expected = [BANDS[number] for number in (0, 3, 1, 5)]
        assert seen.style(".sentence", "backgroundColor") == [rgb(b.background) for b in expected]
        assert seen.style(".sentence", "color") == [rgb(band.text) for band in expected]
        shown = [BANDS[number].background for number in range(len(BANDS))]
        assert seen.style(".swatch", "backgroundColor") == [rgb(colour) for colour in shown]
        assert seen.page.locator(".ledger tbody tr").count() == 4
        assert seen.page.locator(".ledger").get_by_text("unknown", exact=True).count() == 3
        assert seen.page.locator(".race .line").count() == 2


@pytest.mark.parametrize("how", ["hover", "focus"])
def test_the_nearest_sentence_shows_on_hover_and_on_focus(
    browser: Browser, tmp_path: Path, how: str
) -> None:
    with opened(browser, written(tmp_path)) as seen:
        notes = seen.page.get_by_role("tooltip", include_hidden=True)
        assert not any(note.is_visible() for note in notes.all())
        sentence = seen.page.locator(".sentence").nth(1)
        if how == "hover":
            sentence.hover()
        else:
            seen.page.locator(".sentence").nth(0).focus()
            seen.page.keyboard.press("Tab")
        assert [note.is_visible() for note in notes.all()] == [False, True, False, False]
        told = notes.nth(1).inner_text()
        assert "Mild haze." in told
        assert "3 times" in told
        assert "0.0600" in told
        assert sentence.get_attribute("aria-describedby") == notes.nth(1).get_attribute("id")


@pytest.mark.parametrize("width", [400, 1600])
def test_a_note_stays_within_the_window(browser: Browser, tmp_path: Path, width: int) -> None:
    with opened(browser, written(tmp_path), width) as seen:
        for sentence in seen.page.locator(".sentence").all():
            sentence.focus()
            box = sentence.locator(".note").bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert not seen.overflows


def test_the_page_asks_for_nothing_and_complains_of_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    path = written(tmp_path)
    with opened(browser, path) as seen:
        for summary in seen.page.locator("summary").all():
            summary.click()
        seen.page.locator(".race .line").first.focus()
        seen.page.keyboard.press("Enter")
        assert seen.page.url.startswith(f"{path.as_uri()}#candidate-")
        assert seen.requests == [path.as_uri()]
        assert seen.complaints == []


def test_the_browser_would_refuse_scripts_and_strangers(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path)
    worse = "<script>document.title = 'owned'</script><img src='https://example.com/x.png'>"
    path.write_text(path.read_text("utf-8").replace("<main>", f"<main>{worse}"), "utf-8")
    with opened(browser, path) as seen:
        assert seen.page.title() == "Study A 1: candidate 0 of 4 chosen"
        assert ["Content Security Policy" in each for each in seen.complaints] == [True] * 2


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_do_nothing(browser: Browser, tmp_path: Path, words: str) -> None:
    path = written(tmp_path, made_hostile(words))
    with opened(browser, path) as seen:
        assert seen.page.title() != "owned"
        assert seen.page.locator(".card").count() == 3
        assert seen.page.locator(".sentence").first.is_visible()
        seen.page.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
        seen.page.locator(".sentence").first.focus()
        for width in (400, 1600):
            seen.page.set_viewport_size({"width": width, "height": 900})
            assert not seen.overflows
        assert seen.requests == [path.as_uri()]
        assert seen.complaints == []


def test_without_a_browser_only_ci_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=NAMES[0]):
        chromium()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=NAMES[0]):
        chromium()
