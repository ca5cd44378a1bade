"""The tests' set-up installs Chromium only where it is absent and can be installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / ".ci" / "browser"
TOOLS = ("mktemp", "tail", "rm")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """The only folder on the path: the tools that the script needs, and no browser."""
    for tool in TOOLS:
        (tmp_path / tool).symlink_to(shutil.which(tool) or tool)
    return tmp_path


def add(machine: Path, name: str, script: str) -> None:
    command = machine / name
    command.write_text(f"#!{shutil.which('bash')}\n{script}\n", "utf-8")
    command.chmod(0o755)


def add_apt(machine: Path, status: int = 0) -> None:
    told = machine / "asked"
    add(machine, "apt-get", f'echo "$*" >>{told}; echo chatter; exit {status}')


def run(machine: Path) -> tuple[str, str]:
    """What the set-up prints, and what it asked of apt-get."""
    done = subprocess.run(
        [shutil.which("bash") or "bash", SCRIPT],
        env={"PATH": str(machine)},
        capture_output=True,
        text=True,
        check=True,
    )
    asked = machine / "asked"
    return done.stdout + done.stderr, asked.read_text("utf-8") if asked.exists() else ""


@pytest.mark.parametrize("user", [0, 1000])
def test_a_browser_that_is_there_is_left_alone(machine: Path, user: int) -> None:
    add(machine, "id", f"echo {user}")
    add(machine, "chromium", "exit 0")
    add_apt(machine)
    assert run(machine) == ("", "")


def test_an_ordinary_user_installs_nothing(machine: Path) -> None:
    add(machine, "id", "echo 1000")
    add_apt(machine)
    assert run(machine) == ("", "")


def test_without_apt_nothing_happens(machine: Path) -> None:
    add(machine, "id", "echo 0")
    assert run(machine) == ("", "")


def test_the_superuser_gets_chromium_quietly(machine: Path) -> None:
    add(machine, "id", "echo 0")
    add_apt(machine)
    printed, asked = run(machine)
    assert "update" in asked
    assert asked.rstrip().endswith("--no-install-recommends chromium")
    assert "chatter" not in printed


def test_a_failure_is_told_and_stops_nothing(machine: Path) -> None:
    add(machine, "id", "echo 0")
    add_apt(machine, status=100)
    printed, _ = run(machine)
    assert "note: could not install chromium" in printed
