from __future__ import annotations

import asyncio
import datetime
import io
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from rich.console import Console

from clients import Finish, Usage
from clients.pricing import Prices
from sdr_decode import Result, SDRDecoder
from sdr_decode.cli.output import print_result, write_text
from sdr_decode.counts import Count
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, words

CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
ODD = "Findings: Purple elephants. They sing loudly to all.\nImpression: Nonsense beyond words."
PRICES = Prices(
    Decimal("0.15"), Decimal("0.60"), Decimal("0.075"), None, "a list", datetime.date(2026, 1, 1)
)


def printed(result: Result) -> list[str]:
    out = io.StringIO()
    print_result(result, Console(file=out, width=80))
    return out.getvalue().splitlines()


async def decoded(index: Path, usage: Usage | None, prices: Prices | None) -> Result:
    """One candidate that finishes, one that is pruned while it runs, one that is never asked."""
    ending = [] if usage is None else [usage]
    client = ScriptedClient(
        [*words(ODD), asyncio.Event()], [*words(CLEAR), *ending, Finish("stop")], words(CLEAR)
    )
    async with SDRDecoder(
        client,
        index,
        encoder=FakeEncoder(),
        prune="threshold:0.02",
        launch="staged:1,accept=0.01",
        prices=prices,
    ) as decoder:
        return await decoder.agenerate(k=3)


async def test_a_ledger_of_which_all_is_known_fits_in_a_hundred_columns(index: Path) -> None:
    usage = Usage(
        prompt_tokens=25_801,
        image_tokens=25_501,
        cached_tokens=12_800,
        output_tokens=1_060,
        reasoning_tokens=1_024,
    )
    result = await decoded(index, usage, PRICES)
    assert [row.state for row in result.ledger.rows] == ["pruned", "finished", "not launched"]
    lines = printed(result)
    table = lines[next(at for at, line in enumerate(lines) if line.startswith("candidate ")) :][:5]
    heading = "candidate state distance prompt image cached observed generated avoided dollars"
    assert table[0].split() == heading.split()
    assert max(map(len, table)) <= 100
    assert table[1].split()[2:] == "0.4120 ~25,801 ? ? 11 ~1,035 ~25 <0.0045".split()
    assert table[2].split()[2:] == "0.0000 25,801 25,501 12,800 36 1,060 0 0.0035".split()
    assert table[4].split() == "sum ~51,602 >25,501 >12,800 47 ~2,095 ~58 <0.0081".split()


async def test_with_an_overshoot_it_still_fits(index: Path) -> None:
    usage = Usage(125_801, 125_501, 12_800, 1_060)
    result = await decoded(index, usage, PRICES)
    pruned, *rest = result.ledger.rows
    rows = (replace(pruned, overshoot=Count(1_000, "estimated")), *rest)
    lines = printed(replace(result, ledger=replace(result.ledger, rows=rows)))
    assert any("observed overshoot generated" in line for line in lines)
    assert max(map(len, lines)) <= 100


async def test_dollars_are_told_as_ranges_with_their_source(index: Path) -> None:
    usage = Usage(prompt_tokens=1_000_000, cached_tokens=0, output_tokens=20)
    lines = printed(await decoded(index, usage, PRICES))
    at = next(at for at, line in enumerate(lines) if line.startswith("cost"))
    cost, compared = lines[at : at + 2]
    assert cost.startswith("cost between $0.225")
    assert cost.endswith(" (prices of a list, 2026-01-01)")
    full, saved = compared.split("; ")
    assert full.startswith("full best-of-N between $0.300")
    assert saved.startswith("saved between $0.075")


async def test_what_is_known_is_told_where_the_rest_is_not(index: Path) -> None:
    lines = printed(await decoded(index, Usage(image_tokens=7, output_tokens=20), PRICES))
    (heading,) = [line for line in lines if line.startswith("candidate ")]
    assert "prompt" not in heading
    assert "image" in heading
    assert any(line.split()[:2] == ["sum", ">7"] for line in lines)
    assert "cost unknown (prices of a list, 2026-01-01)" in lines
    assert "token counts of 2 of 3 candidates are unknown" in lines


async def test_without_a_price_there_is_no_column_for_it(index: Path) -> None:
    lines = printed(await decoded(index, None, None))
    assert "cost unknown: no price is known for the client scripted" in lines
    assert not any("dollars" in line for line in lines)


def test_a_file_is_readable_as_the_shell_would_make_it(tmp_path: Path) -> None:
    plain, written = tmp_path / "plain", tmp_path / "written"
    plain.touch()
    write_text(written, "x")
    assert written.stat().st_mode == plain.stat().st_mode
    written.chmod(0o604)
    write_text(written, "y")
    assert (written.read_text(), written.stat().st_mode & 0o777) == ("y", 0o604)
    assert sorted(tmp_path.iterdir()) == [plain, written]


async def test_what_a_model_writes_cannot_steer_the_terminal(index: Path) -> None:
    escape = "Findings: The \x1b[31mlungs\u202e are clear.\nImpression: No acute disease."
    client = ScriptedClient([*words(escape), Finish("stop")])
    async with SDRDecoder(client, index, encoder=FakeEncoder(), prune="none") as decoder:
        shown = "\n".join(printed(await decoder.agenerate(k=1)))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "lungs" in shown
