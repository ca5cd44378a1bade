"""Install the pinned packages into the environment of the Python that runs this file.

    .venv/bin/python .ci/install.py EXTRA...

torch goes in first and by itself, because on Linux the build of torch that PyPI carries brings
several gigabytes of CUDA. On Linux without an NVIDIA GPU the build labelled ``+cpu`` is asked for
first, by its exact version, wherever pip is told to look. Only where there is none is PyPI's build
taken, and said so.

Environment: ``TORCH_INDEX`` is one more place (an index URL, a page of links or a folder of
wheels) where torch is looked for; ``REQUIRE_CPU=1`` stops instead of taking a CUDA build.
``--newest`` ignores every pin but torch's, to remake the pins.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distributions, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
# Of use here without what they ask for: mbrs wants old releases of numpy and transformers for
# metrics that no test touches.
ALONE = {"dev": ("mbrs==0.1.8",)}

NO_CPU_BUILD = """\
{word}: found no NVIDIA GPU here, and no CPU build of torch ({wanted}) where pip looked; its own
words stand above. The torch for Linux on PyPI brings several gigabytes of CUDA{consequence}.
To have the CPU build, choose your system, pip and CPU on the "Get Started" page of pytorch.org and
pass the index address that it shows: make {goal} TORCH_INDEX=ADDRESS (a folder that holds the
wheel does as well)."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Install the pinned packages.")
    parser.add_argument("extras", nargs="*", help="extras of pyproject.toml")
    parser.add_argument("--newest", action="store_true", help="ignore every pin but torch's")
    arguments = parser.parse_args()

    cpu_only = needs_cpu_build()
    print("Installing into", sys.prefix, "(the first time takes minutes)", flush=True)
    pins = [] if arguments.newest else ["--constraint", str(CONSTRAINTS)]
    # The build tool is pinned like the rest: hence no isolated build, which would fetch its own.
    pip_or_exit(*pins, "--upgrade", "setuptools")
    cpu_only = install_torch(torch_pin(), cpu_only)
    extras = f"[{','.join(arguments.extras)}]" if arguments.extras else ""
    pip_or_exit(*pins, "--no-build-isolation", "--editable", f"{ROOT}{extras}")
    alone = [pin for extra in arguments.extras for pin in ALONE.get(extra, ())]
    if alone:
        pip_or_exit("--no-deps", *alone)
    if cpu_only:
        refuse_cuda_packages()


def needs_cpu_build() -> bool:
    """Whether a ``+cpu`` torch is wanted. Elsewhere than on Linux every build on PyPI is one."""
    return sys.platform == "linux" and not has_nvidia_gpu()


def has_nvidia_gpu() -> bool:
    if Path("/dev/nvidia0").exists():
        return True
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return False
    listing = subprocess.run([tool, "-L"], capture_output=True, text=True, check=False)
    return listing.returncode == 0 and "GPU" in listing.stdout


def torch_pin() -> str:
    pin = re.search(r"^torch==(\S+)$", CONSTRAINTS.read_text(encoding="utf-8"), re.MULTILINE)
    if pin is None:
        sys.exit(f"error: found no torch pin in {CONSTRAINTS}; expected a line torch==VERSION")
    return pin[1]


def install_torch(pin: str, cpu_only: bool) -> bool:
    """Install torch, the CPU build if it is wanted and can be had. Returns whether it is that."""
    try:
        installed = version("torch")
    except PackageNotFoundError:
        installed = ""
    if installed == f"{pin}+cpu" or (not cpu_only and installed.partition("+")[0] == pin):
        return cpu_only
    # Its dependencies come with the rest, from the ordinary index and pinned.
    places = torch_places(os.environ.get("TORCH_INDEX", ""))
    if cpu_only and pip("--no-deps", *places, f"torch=={pin}+cpu") == 0:
        return True
    if cpu_only:
        required = os.environ.get("REQUIRE_CPU") == "1"
        told = NO_CPU_BUILD.format(
            word="error" if required else "note",
            wanted=f"{pin}+cpu",
            consequence=" and was left alone" if required else " and is taken now",
            goal=os.environ.get("GOAL", "test"),
        )
        if required:
            sys.exit(told)
        print(told, file=sys.stderr, flush=True)
    pip_or_exit("--no-deps", *places, f"torch=={pin}")
    return False


def torch_places(address: str) -> list[str]:
    if not address:
        return []
    is_index = "://" in address and not address.endswith(".html")
    return ["--extra-index-url" if is_index else "--find-links", address]


def refuse_cuda_packages() -> None:
    names = {distribution.name.lower() for distribution in distributions()}
    strays = sorted(name for name in names if re.match(r"(nvidia|cuda|triton)\b", name))
    if strays:
        sys.exit(
            f"error: found CUDA packages on a machine without a GPU: {', '.join(strays)}; "
            "expected none. Run make clean and start again"
        )


def pip(*arguments: str) -> int:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def pip_or_exit(*arguments: str) -> None:
    status = pip(*arguments)
    if status:
        sys.exit(status)


if __name__ == "__main__":
    main()
