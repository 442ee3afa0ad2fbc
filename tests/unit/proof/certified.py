"""python certified.py FOLDER: a small universe's package in a folder, and beside it the certificates of its kernels.

Beside them is `faulty`, the same package with a constant in its kernels changed; `proven.txt` has what `hamletc prove`
says of that, and `replayed.txt` what the command says that it names to replay it.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
from pathlib import Path

from prove_faults import UNIVERSE

from hamlet.package.module import UNIVERSE_FILE, Module
from hamlet.schema.abi import Kernel
from hamlet_lab.proof.attest import beside
from hamlet_lab.proof.certificate import certificate
from hamlet_lab.proof.report import prove_package
from hamletc.cli import main as hamletc
from hamletc.cli.package import open_package
from hamletc.package import package, write

KERNELS = "triton_kernels.py"


def main() -> int:
    os.chdir(sys.argv[1])
    path = Path("pantry.hamlet")
    path.write_text(UNIVERSE)
    module = open_package(path, write_here=True)
    kernels: tuple[Kernel, ...] = "step", "reset", "observe"
    for kernel in kernels:
        beside(module.path, kernel).write_text(certificate(prove_package(module, "sm_90", name=kernel)))
    write(with_a_fault(module), Path("faulty"))
    proven = output("hamletc", "prove", "faulty")
    Path("proven.txt").write_text(proven)
    command = proven.rsplit("replay", 1)[1].split("\n")[0]
    Path("replayed.txt").write_text(output(*shlex.split(command)))
    return 0


def output(*command: str) -> str:
    """What a command prints."""
    sys.argv, printed = list(command), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        hamletc.main()
    return printed.getvalue()


def with_a_fault(module: Module) -> dict[str, bytes]:
    """The files of the package, with food that runs down by more."""
    text = module.sources[KERNELS].decode()
    changed = text.replace("food_2 - 0.02", "food_2 - 0.021")
    assert changed != text
    universe = (module.path / UNIVERSE_FILE).read_bytes()
    return package(module.universe, {**module.sources, UNIVERSE_FILE: universe, KERNELS: changed.encode()})


if __name__ == "__main__":
    sys.exit(main())
