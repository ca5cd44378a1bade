"""The README's examples run as they are written.

Only where the vendors are is changed: their base URLs, by environment variables where the clients
know one, are those of a server on this machine that speaks their protocols.
"""

from __future__ import annotations

import asyncio
import doctest
import os
import re
import sys
from collections import Counter
from pathlib import Path
from subprocess import PIPE, STDOUT

import numpy as np
import PIL.Image
import pytest

from index_build import build
from tests.clients.cases import OpenAICase
from tests.clients.contract.answers import complete
from tests.clients.gemini_case import GeminiCase
from tests.clients.wire_server import Answer, Exchange, WireServer
from tests.conftest import REPORTS
from tests.fake_encoder import FakeEncoder

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = ("Decode", "Clients", "What it will cost")
REPORT = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
LOCAL = "http://127.0.0.1:8000"
IN_PROCESS = "vllm:my-model"
"""What the example with vLLM in this process holds: it needs the engine, see tests/engine."""

ASKS_NO_SERVER = ("--client demo", "--client recorded:", "sdr-decode plan")
K = 8

# Stands for what pip installs, with the encoder and Mistral's address replaced.
COMMAND = f"""#!{sys.executable}
import os
import clients.mistral
import sdr_decode.measure
from sdr_decode.cli import main
from tests.fake_encoder import FakeEncoder
clients.mistral.VENDOR_URL = os.environ["WIRE_SERVER"]
sdr_decode.measure.load_encoder = lambda name: FakeEncoder()
main()
"""
# As above, for an example in Python.
PROGRAM = """
import runpy, sys
import sdr_decode.measure
from tests.fake_encoder import FakeEncoder
sdr_decode.measure.load_encoder = lambda name: FakeEncoder()
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def examples() -> list[tuple[str, str]]:
    """The language and the text of every labelled code block of the sections, in order."""
    readme = (ROOT / "README.md").read_text("utf-8")
    found = []
    for section in SECTIONS:
        _, heading, rest = readme.partition(f"\n## {section}\n")
        assert heading, f"the README has no section {section!r}"
        body = rest.partition("\n## ")[0]
        found += re.findall(r"^```(python|sh)\n(.*?)^```$", body, re.MULTILINE | re.DOTALL)
    return found


def answer(exchange: Exchange) -> Answer:
    """As the vendor whose path was asked for."""
    if exchange.path.endswith("/tokenize"):
        body = b'{"count": 700, "max_model_len": 4096}'
        return Answer([body], headers={"content-type": "application/json"})
    gemini = ":streamGenerateContent" in exchange.path
    return complete(GeminiCase() if gemini else OpenAICase(), REPORT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the reader has: an index, images, and the command on the path."""
    build(REPORTS, tmp_path / "openi.sdr", encoder=FakeEncoder())
    for name in ("chest", "frontal", "lateral"):
        PIL.Image.fromarray(np.full((64, 64), 90, np.uint8)).save(tmp_path / f"{name}.png")
    command = tmp_path / "bin" / "sdr-decode"
    command.parent.mkdir()
    command.write_text(COMMAND, "utf-8")
    command.chmod(0o755)
    return tmp_path


def environment(folder: Path, url: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return kept | {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "WIRE_SERVER": url,
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_KEY": "none",
        "AZURE_OPENAI_ENDPOINT": url,
        "AZURE_OPENAI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": url,
    }


async def run(language: str, text: str, folder: Path, url: str) -> str:
    """What an example prints. It has to end well."""
    text = text.replace(LOCAL, url)
    command = ["sh", "-e", "-c", text]
    variables = environment(folder, url)
    if language == "python":
        (folder / "example.py").write_text(text, "utf-8")
        command = [sys.executable, "-c", PROGRAM, "example.py"]
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=variables, stdout=PIPE, stderr=STDOUT
    )
    try:
        printed, _ = await asyncio.wait_for(process.communicate(), 120)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    told = printed.decode()
    assert process.returncode == 0, f"{text}\n{told}"
    return told


async def test_every_example_runs_as_it_is_written(folder: Path) -> None:
    """In the order in which they stand: a later one may read what an earlier one wrote."""
    asked: Counter[str] = Counter()
    needing_an_engine = 0
    for language, text in examples():
        if IN_PROCESS in text:
            compile(text, "README.md", "exec")
            needing_an_engine += 1
            continue
        async with WireServer(answer) as server:
            printed = await run(language, text, folder, server.url)
        sent = [each for each in server.exchanges if not each.path.endswith("/tokenize")]
        expected = 0 if any(word in text for word in ASKS_NO_SERVER) else K
        assert len(sent) == expected, text
        assert all(re.search("base64|inlineData", str(each.body)) for each in sent), text
        if expected and ("print" in text or language == "sh"):
            assert "lungs are clear" in printed, f"{text}\n{printed}"
        asked.update(each.path.partition("?")[0] for each in sent)
    assert needing_an_engine == 1
    assert len(asked) == 3, "OpenAI's path, which others share, Azure's and Gemini's"


def test_what_the_rewards_are_shown_to_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (block,) = re.findall(r"^```pycon\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    session = doctest.DocTestParser().get_doctest(block, {}, "README", "README.md", 0)
    outcome = doctest.DocTestRunner().run(session)
    assert outcome.attempted > 10
    assert not outcome.failed
