"""One self-contained HTML page about a decode: no script, nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from pydantic import JsonValue

from sdr_decode.explain.account import MEANING, PROVENANCE, account_of, cost, saved_share
from sdr_decode.explain.colours import BANDS, band_of
from sdr_decode.explain.race import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, race_of
from sdr_decode.explain.saved import SavedResult
from sdr_decode.explain.story import raced_by, stories
from sdr_decode.version import __version__
from sdr_decode.visible import on_one_line, visible


def render_page(result: SavedResult) -> str:
    """The page: the same bytes for the same result.

    Every text is escaped and its unseen characters are shown as such. The page's security policy
    allows its own style sheet and nothing else.
    """
    told = stories(result)
    style = _style()
    return (
        _environment()
        .from_string(_template("page.html.jinja"))
        .render(
            result=result,
            stories=told,
            race=race_of(told, raced_by(result)),
            frame={"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": RIGHT}
            | {"top": TOP, "bottom": BOTTOM},
            account=account_of(result.ledger),
            saved=saved_share(result.ledger),
            cost=cost(result.ledger),
            bands=BANDS,
            meaning=MEANING,
            provenance=PROVENANCE,
            style=style,
            style_hash=_source_hash(style),
            version=__version__,
        )
    )


def _environment() -> Environment:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    filters: dict[str, Callable[..., Any]] = {
        "visible": visible,
        "line": on_one_line,
        "distance": lambda value: "-" if value is None else f"{value:.4f}",
        "count": lambda value: "unknown" if value is None else f"{value:,}",
        "times": lambda count: f"{count:,} time{'s' * (count != 1)}",
        "band": band_of,
        "setting": _setting,
    }
    environment.filters |= filters
    return environment


def _template(name: str) -> str:
    return files("sdr_decode.explain").joinpath(name).read_text("utf-8")


def _style() -> str:
    """The style sheet, with the bands' colours: inline styles are not allowed on the page."""
    bands = "\n".join(
        f".band-{number} {{ background: {band.background}; color: {band.text}; }}"
        for number, band in enumerate(BANDS)
    )
    return f"{_template('page.css')}{bands}\n"


def _source_hash(style: str) -> str:
    """As a Content-Security-Policy names an inline style sheet (W3C CSP level 2, 4.2.5)."""
    digest = hashlib.sha256(style.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _setting(value: JsonValue) -> str:
    if value is None:
        return "not given"
    return on_one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
