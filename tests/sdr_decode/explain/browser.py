"""A headless Chromium, and what happens on a page opened in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str:
    """The browser that is there. Skips where there is none, and fails in CI (``CI`` set), where it
    has to be there."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        reason = f"none of {', '.join(NAMES)} is installed; install Debian's chromium"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@contextmanager
def headless() -> Iterator[Browser]:
    """The browser, driven until the block ends."""
    from playwright.sync_api import sync_playwright

    path = chromium()
    with sync_playwright() as playwright:
        # Its sandbox refuses to run as root, as in containers.
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Opened:
    """A page, with what it asked for and complained of since it was opened."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @property
    def overflows(self) -> bool:
        """Whether the page is wider than its window."""
        wide: int = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        return wide > 0

    def style(self, selector: str, name: str) -> list[str]:
        """A computed property of every element that the selector finds."""
        found: list[str] = self.page.eval_on_selector_all(
            selector, f"all => all.map(each => getComputedStyle(each)['{name}'])"
        )
        return found


@contextmanager
def opened(browser: Browser, path: Path, width: int = 1280) -> Iterator[Opened]:
    """Open a file in a window of its own."""
    context = browser.new_context(viewport={"width": width, "height": 900})
    try:
        page = context.new_page()
        seen = Opened(page)
        page.on("request", lambda request: seen.requests.append(request.url))
        page.on("console", lambda message: seen.complaints.append(message.text))
        page.on("pageerror", lambda error: seen.complaints.append(str(error)))
        page.on("dialog", lambda dialog: seen.complaints.append(dialog.message))
        page.goto(path.as_uri())
        yield seen
    finally:
        context.close()
