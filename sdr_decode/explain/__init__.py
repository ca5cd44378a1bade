"""Reporting a decode to a person: a saved result as an HTML page and in a terminal."""

from __future__ import annotations

from sdr_decode.explain.page import render_page
from sdr_decode.explain.saved import SavedResult, parse_result, read_result

__all__ = ["SavedResult", "parse_result", "read_result", "render_page"]
