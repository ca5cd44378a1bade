"""A Linux machine without a GPU takes a CUDA build of torch only where there is no other."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / ".ci" / "install.py"


@dataclass
class Machine:
    """What the script sees: its own module, and the pip calls that it made instead of real ones."""

    script: ModuleType
    asked: list[tuple[str, ...]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    installed: str | None = None

    def pip(self, *arguments: str) -> int:
        self.asked.append(arguments)
        return self.statuses.pop(0) if self.statuses else 0

    def version(self, package: str) -> str:
        if self.installed is None:
            raise PackageNotFoundError(package)
        return self.installed


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    spec = importlib.util.spec_from_file_location("install", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    machine = Machine(script)
    monkeypatch.setattr(script, "pip", machine.pip)
    monkeypatch.setattr(script, "version", machine.version)
    for name in ("TORCH_INDEX", "REQUIRE_CPU", "GOAL"):
        monkeypatch.delenv(name, raising=False)
    return machine


@pytest.mark.parametrize(
    ("platform", "gpu", "cpu_only"),
    [
        ("linux", False, True),
        ("linux", True, False),
        ("darwin", False, False),
        ("win32", False, False),
    ],
)
def test_only_linux_without_a_gpu_wants_the_cpu_build(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, platform: str, gpu: bool, cpu_only: bool
) -> None:
    monkeypatch.setattr(machine.script.sys, "platform", platform)
    monkeypatch.setattr(machine.script, "has_nvidia_gpu", lambda: gpu)
    assert machine.script.needs_cpu_build() is cpu_only


@pytest.mark.parametrize("installed", [None, "2.13.0", "2.13.0+cu130", "2.12.0+cpu"])
def test_the_cpu_build_is_asked_for_by_its_exact_version(
    machine: Machine, installed: str | None
) -> None:
    machine.installed = installed
    assert machine.script.install_torch("2.13.0", cpu_only=True) is True
    assert machine.asked == [("--no-deps", "torch==2.13.0+cpu")]


@pytest.mark.parametrize(
    ("installed", "cpu_only"),
    [("2.13.0+cpu", True), ("2.13.0+cpu", False), ("2.13.0", False), ("2.13.0+cu130", False)],
)
def test_a_build_that_fits_is_kept(machine: Machine, installed: str, cpu_only: bool) -> None:
    machine.installed = installed
    machine.script.install_torch("2.13.0", cpu_only=cpu_only)
    assert machine.asked == []


@pytest.mark.parametrize(
    ("address", "option"),
    [
        ("https://wheels.example/cpu", "--extra-index-url"),
        ("https://wheels.example/torch.html", "--find-links"),
        ("wheels", "--find-links"),
    ],
)
def test_a_given_place_is_searched_too(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, address: str, option: str
) -> None:
    monkeypatch.setenv("TORCH_INDEX", address)
    machine.script.install_torch("2.13.0", cpu_only=True)
    assert machine.asked == [("--no-deps", option, address, "torch==2.13.0+cpu")]


def test_without_a_cpu_build_pypis_is_taken_and_said_so(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.statuses = [1, 0]
    monkeypatch.setenv("GOAL", "demo")
    assert machine.script.install_torch("2.13.0", cpu_only=True) is False
    assert machine.asked[1:] == [("--no-deps", "torch==2.13.0")]
    told = capsys.readouterr().err
    for words in ("2.13.0+cpu", "is taken now", "make demo TORCH_INDEX=", "pytorch.org"):
        assert words in told


def test_a_cpu_build_can_be_required(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.statuses = [1]
    monkeypatch.setenv("REQUIRE_CPU", "1")
    with pytest.raises(SystemExit, match="was left alone"):
        machine.script.install_torch("2.13.0", cpu_only=True)
    assert len(machine.asked) == 1


def test_cuda_packages_are_refused_by_name(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass
    class Installed:
        name: str

    found = [Installed("torch"), Installed("nvidia-cudnn-cu13"), Installed("triton")]
    monkeypatch.setattr(machine.script, "distributions", lambda: iter(found))
    with pytest.raises(SystemExit, match="nvidia-cudnn-cu13, triton; expected none"):
        machine.script.refuse_cuda_packages()
