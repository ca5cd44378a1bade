"""Ctrl-C before a command has begun and after it has ended."""

from __future__ import annotations

import subprocess
import sys

import pytest

COMMANDS = ["sdr_decode.cli", "index_build.cli"]

# What a person would hit by chance is hit here on purpose: a moment in the imports, and one while
# Python ends.
NOW = "os.kill(os.getpid(), signal.SIGINT)"
AT_THE_END = "atexit.register(os.kill, os.getpid(), signal.SIGINT)"
AS_COMMAND = f"import typer; typer.Typer.__call__ = lambda *_, **__: ({AT_THE_END}, {NOW})"


def while_importing(action: str) -> str:
    return f"""
class Importing:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            {action}

sys.meta_path.insert(0, Importing())
"""


def run(command: str, setting: str, *words: str) -> subprocess.CompletedProcess[str]:
    program = (
        "import atexit, os, signal, sys\n"
        # Tests may run where Ctrl-C is ignored, which a process hands down.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"sys.argv[1:] = {list(words)!r}\n{setting}\n"
        f"from {command} import main\nmain()\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_in_the_imports_is_one_line(command: str) -> None:
    done = run(command, while_importing(NOW), "--help")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_before_the_command_and_again_at_the_end_is_one_line(command: str) -> None:
    done = run(command, AS_COMMAND)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_when_all_is_done_says_nothing(command: str) -> None:
    done = run(command, while_importing(AT_THE_END), "no-such-command")
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert "No such command" in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_heavy_is_imported_outside_the_guard(command: str) -> None:
    program = f"import sys; import {command}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    own = ("sdr_decode", "index_build", "clients")
    foreign = {name for name in done.stdout.split() if not name.startswith(own)}
    assert not foreign & {"typer", "rich", "numpy", "asyncio", "pydantic", "click"}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_runs_as_a_module(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", command, "--help"], capture_output=True, text=True, check=True
    )
    assert "Usage: sdr-" in done.stdout
