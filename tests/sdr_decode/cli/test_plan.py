"""The command ``sdr-decode plan``."""

from __future__ import annotations

import json
from pathlib import Path

import PIL.Image
import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from sdr_decode.cli.errors import clear_errors
from sdr_decode.cli.plan import plan
from tests.data import real_data

app = typer.Typer()
app.command()(clear_errors()(plan))
ASKED = "--size 1024x1024 --k 8 --expected-tokens 120 --expected-pruned 0.5 --date 2026-11-30"


@pytest.fixture(autouse=True)
def no_base_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, [part for word in words for part in word.split()])


def row(output: str, name: str) -> list[str]:
    return next(line for line in output.splitlines() if line.startswith(name)).split()


def test_the_table_and_the_cheapest() -> None:
    result = run("--client openai:gpt-4o-mini", ASKED)
    assert result.exit_code == 0, result.output
    assert row(result.output, "8 streams")[-2:] == ["31.54", "31.54"]
    assert row(result.output, "8 pruned streams")[-3:] == ["480-960", "31.25", "31.54"]
    assert row(result.output, "one request, n=8")[4:9] == ["25,801", "0", "960", "4.45", "4.45"]
    assert row(result.output, "warm cache")[-2:] == ["17.74", "18.03"]
    assert "Cheapest: one request, n=8, $4.45 per 1,000 images." in result.output
    assert "Pruning hardly pays" in result.output
    assert "shut down on 2027-01-14" in result.output


def test_gemini_says_that_pruning_saves_no_money() -> None:
    result = run("--client gemini:gemini-2.5-flash-lite", ASKED)
    assert result.exit_code == 0, result.output
    assert "Pruning saves no money here" in result.output
    assert "not available: n above 1 only without streaming" in result.output


def test_the_json_holds_what_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    assert run("--client openai:gpt-4o-mini", ASKED, f"--json {path}").exit_code == 0
    data = json.loads(path.read_text())
    assert data["cheapest"] == "one request, n=8"
    assert data["image_tokens"] == 25_501
    assert data["prices_per_million"]["cached"] == 0.075
    assert data["cancellation"]["billing"] == "stops"
    pruned = data["strategies"][1]
    assert (pruned["output_tokens_low"], pruned["output_tokens_high"]) == (480, 960)
    assert (pruned["dollars_low"], pruned["dollars_high"]) == pytest.approx((31.2492, 31.5372))
    assert {one["launch"] for one in data["strategies"]} == {
        "parallel",
        "shared",
        "warm-first",
        "staged:1,accept=0.03",
    }


def test_an_unknown_model_prints_tokens_and_writes_null(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    result = run("--client openai:tomorrow", ASKED, f"--image-tokens 900 --json {path}")
    assert result.exit_code == 0, result.output
    assert "unknown" in row(result.output, "8 streams")
    assert "No prices are known for tomorrow" in result.output
    data = json.loads(path.read_text())
    assert data["prices_per_million"] is None
    assert data["cheapest"] is None
    assert data["strategies"][0]["input_tokens"] == 9_600
    assert data["strategies"][0]["dollars_low"] is None


def test_images_count_with_the_size_at_which_they_are_sent(tmp_path: Path) -> None:
    for name, size in (("frontal.png", (1024, 1024)), ("lateral.png", (2048, 4096))):
        PIL.Image.new("L", size).save(tmp_path / name)
    study = f"--image {tmp_path / 'frontal.png'} --image {tmp_path / 'lateral.png'}"
    result = run("--client openai:gpt-4o-mini", study)
    assert result.exit_code == 0, result.output
    # The lateral image is brought down to 1,024 by 2,048: two tiles by three.
    assert f"{25_501 + 2_833 + 6 * 5_667:,} image tokens" in result.output
    assert "dollars per 1,000 studies" in result.output


def test_a_file_that_is_no_image_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.png").write_text("Nothing but words.")
    result = run(f"--client openai:gpt-4o-mini --image {tmp_path / 'notes.png'}")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert "notes.png" in result.stderr


def test_a_real_image_gives_the_published_dollars() -> None:
    first = min(real_data("images").glob("*.png"))
    result = run("--client openai:gpt-4o-mini --date 2026-11-30", f"--image {first}")
    assert row(result.output, "one request, n=8")[7:9] == ["4.45", "4.45"]


def test_the_client_s_own_detail_counts() -> None:
    assert "2,833 image tokens" in run("--client openai:gpt-4o-mini,detail=low", ASKED).output
    result = run("--client openai:gpt-4o-mini,detail=low --detail high", ASKED)
    assert "25,501 image tokens" in result.output


def test_prices_by_option_replace_what_is_known() -> None:
    result = run("--client openai:gpt-4o-mini", ASKED, "--price-output 6")
    assert row(result.output, "8 streams")[-1] == "36.72"
    assert "the caller, the rest from genai-prices" in result.output
    given = "--image-tokens 25501 --price-input 0.15 --price-cached 0.075 --price-output 0.6"
    result = run("--client openai:tomorrow", ASKED, given)
    assert row(result.output, "8 streams")[-1] == "31.54"


def test_prices_and_facts_from_files(tmp_path: Path) -> None:
    prices, facts = tmp_path / "p.json", tmp_path / "f.toml"
    prices.write_text('{"input": 1, "output": 0}')
    facts.write_text(
        '[[cancellation]]\nprovider = ["google"]\nbilling = "stops"\nevidence = "measured"\n'
        'source = "our own invoice"\ndate = 2026-12-24\n'
    )
    result = run(
        "--client gemini:gemini-2.5-flash-lite", ASKED, f"--prices {prices} --facts {facts}"
    )
    assert row(result.output, "8 streams")[-1] == "10.66"
    assert "saves no money" not in result.output


def test_the_provider_can_be_named() -> None:
    result = run("--client openai:m,base_url=http://gpu7:8000/v1 --provider vllm", ASKED)
    assert result.exit_code == 0, result.output
    assert "On an engine of your own pruning saves what is not generated" in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--client openai:gpt-4o-mini", "give --image FILE or --size WxH"),
        ("--client openai:gpt-4o-mini --size 10", "expected WxH in pixels"),
        ("--client openai:gpt-4o-mini --size 0x10", "expected at least 1x1 pixels"),
        ("--client openai --size 8x8", "found no model; a plan needs one, as in openai:MODEL"),
        ("--client demo --size 8x8", "a plan is for one of gemini, mistral, openai"),
        ("--client openai:gpt-4o-mini --size 8x8 --date tomorrow", "expected YYYY-MM-DD"),
        ("--client openai:gpt-4o-mini --size 8x8 --detail fine", "this model knows low, high"),
        ("--client openai:gpt-4o-mini --size 8x8 --k 0", "expected at least 1"),
        ("--client openai:gpt-4o-mini --size 8x8 --expected-pruned 2", "a share from 0 to 1"),
        ("--client openai:gpt-4o-mini --size 8x8 --price-input free", "dollars per million"),
        ("--client openai:tomorrow --size 8x8 --price-input 1", "give both --price-input and"),
        ("--client openai:gpt-4o-mini --size 8x8 --facts none.toml", "none.toml cannot be read"),
        ("--client openai:gpt-4o-mini --size 8x8 --prices none.json", "none.json cannot be read"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(words: str, message: str) -> None:
    result = run(words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
