"""The rules of the house: what lies where, who may import whom, and what importing costs."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from clients.registry import MODULES

ROOT = Path(__file__).resolve().parents[1]

TOP_LEVEL = {
    *("sdr_decode", "index_build", "clients", "tests", "benchmarks", ".ci"),
    *("pyproject.toml", "constraints.txt", "Makefile", ".gitignore"),
    *("README.md", "CHANGELOG.md", "LICENSE"),
}

# From the ground floor up: a package imports those before it, never those after it.
FLOORS = ("clients", "sdr_decode", "index_build", "benchmarks")
LIBRARIES = FLOORS[:3]

HEAVY = {
    *("torch", "transformers", "sentence_transformers", "tokenizers", "huggingface_hub"),
    *("faiss", "sklearn", "scipy", "nltk", "pyarrow", "openai", "httpx2"),
    *("google.genai", "mistralai", "pydicom", "aiohttp", "vllm"),
    *("trl", "datasets", "pandas", "accelerate"),
}

MAX_LINES = 400


def modules_of(*packages: str) -> list[Path]:
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def syntax(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported_packages(path: Path) -> set[str]:
    """The top-level packages that a file imports, in functions too."""
    packages: set[str] = set()
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            packages.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}:{node.lineno} imports relatively"
            packages.add((node.module or "").partition(".")[0])
    return packages


def named_things(path: Path) -> set[str]:
    """The names that a file gives: modules, classes, functions, arguments, variables, fields."""
    names = {path.stem}
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.id if isinstance(node, ast.Name) else node.attr)
    return names


def settings() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    found = (line.partition("==") for line in lines if line and not line.startswith("#"))
    return {canonicalize_name(name): pin for name, _, pin in found}


def test_the_top_level_holds_exactly_what_it_should() -> None:
    ignored = (ROOT / ".gitignore").read_text("utf-8").split()
    patterns = [".git", *(pattern.strip("/") for pattern in ignored)]
    found = {
        path.name
        for path in ROOT.iterdir()
        if not any(fnmatch(path.name, pattern) for pattern in patterns)
    }
    assert found == TOP_LEVEL


@pytest.mark.parametrize("package", FLOORS)
def test_imports_run_downwards_only(package: str) -> None:
    above = {*FLOORS[FLOORS.index(package) + 1 :], "tests"}
    wrong = {
        name_of(path): sorted(packages)
        for path in modules_of(package)
        if (packages := imported_packages(path) & above)
    }
    assert not wrong


@pytest.mark.parametrize("package", LIBRARIES)
def test_importing_a_package_imports_nothing_heavy(package: str) -> None:
    program = f"import sys, {package}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert package in loaded
    assert not HEAVY.intersection(loaded)


@pytest.mark.parametrize("package", LIBRARIES)
def test_every_public_name_exists_once_and_is_documented(package: str) -> None:
    face = import_module(package)
    names: list[str] = face.__all__
    assert names
    assert len(names) == len(set(names))
    for name in names:
        value = getattr(face, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            documentation = value.__doc__ or ""
            # A dataclass without a docstring is given its signature as one.
            generated = documentation.startswith(f"{name}(")
            undocumented = not documentation or generated
            assert not undocumented, f"{package}.{name} has no docstring"


@pytest.mark.parametrize("package", LIBRARIES)
def test_every_library_is_marked_as_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").exists()


@pytest.mark.parametrize("package", ["clients", "sdr_decode"])
def test_every_error_stands_in_the_tree_drawn_above_it(package: str) -> None:
    module = syntax(ROOT / package / "errors.py")
    drawn = re.findall(r"\w+Error\b", ast.get_docstring(module) or "")
    defined = {node.name for node in module.body if isinstance(node, ast.ClassDef)}
    assert defined <= set(drawn)


def test_every_registered_client_can_be_opened_from_a_spec() -> None:
    lacking = []
    for name, module in sorted(MODULES.items()):
        file = ROOT.joinpath(*module.split("."))
        # The source is read, not imported: a vendor's package may be absent.
        path = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        if not path.exists() or "open_from_spec" not in public_names(path):
            lacking.append(f"{name} ({module})")
    assert not lacking


def public_names(path: Path) -> set[str]:
    """What a module's own body defines or imports."""
    names: set[str] = set()
    for node in syntax(path).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
    return names


def test_no_file_has_a_name_that_says_nothing() -> None:
    says_nothing = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    words = {name_of(path): set(path.stem.split("_")) for path in modules_of(*FLOORS, "tests")}
    assert not [name for name, parts in words.items() if parts & says_nothing]


def test_no_distance_is_named_a_score() -> None:
    scores = {
        name_of(path): sorted(names)
        for path in modules_of(*LIBRARIES)
        if (names := {name for name in named_things(path) if re.search(r"(?i)scores?(_|$)", name)})
    }
    assert not scores


def test_no_module_is_long() -> None:
    lengths = {
        name_of(path): len(path.read_text("utf-8").splitlines()) for path in modules_of(*FLOORS)
    }
    assert not {name: lines for name, lines in lengths.items() if lines > MAX_LINES}


def test_the_changelog_begins_with_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    headings = re.findall(r"^## \[?([^\]\s]+)", changelog, re.MULTILINE)
    assert headings[0] == settings()["project"]["version"]


def test_every_requirement_is_pinned_to_a_version_that_it_allows() -> None:
    table = settings()
    lines = [*table["build-system"]["requires"], *table["project"]["dependencies"]]
    for name, extra in table["project"]["optional-dependencies"].items():
        if name != "vllm":  # it pins what it needs itself, differently for every device
            lines += extra
    pinned = pins()
    for requirement in map(Requirement, lines):
        pin = pinned.get(canonicalize_name(requirement.name))
        assert pin is not None, f"{requirement} is not pinned; run make lock"
        assert requirement.specifier.contains(pin), f"{requirement} excludes its pin {pin}"


def test_no_pin_chooses_a_build_or_brings_cuda() -> None:
    pinned = pins()
    assert "torch" in pinned
    assert not [name for name, pin in pinned.items() if "+" in pin]
    assert not [name for name in pinned if name.startswith(("nvidia", "cuda", "triton"))]
