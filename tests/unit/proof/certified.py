"""python certified.py FOLDER: a small universe's package in a folder, and beside it the certificates of its kernels."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from prove_faults import UNIVERSE

from hamlet.schema.abi import Kernel
from hamlet_lab.proof.attest import beside
from hamlet_lab.proof.certificate import certificate
from hamlet_lab.proof.report import prove_package
from hamletc.cli.package import open_package


def main() -> int:
    os.chdir(sys.argv[1])
    path = Path("pantry.hamlet")
    path.write_text(UNIVERSE)
    module = open_package(path, write_here=True)
    kernels: tuple[Kernel, ...] = "step", "reset", "observe"
    for kernel in kernels:
        beside(module.path, kernel).write_text(certificate(prove_package(module, "sm_90", name=kernel)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
