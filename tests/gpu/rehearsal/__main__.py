"""Run a script, or with -m a module, on the simulated device: `python tests/gpu/rehearsal [--sm 90] SCRIPT ...`."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Exits as the program does."""
    capability, arguments = 90, sys.argv[1:]
    if arguments[:1] == ["--sm"]:
        capability, arguments = int(arguments[1]), arguments[2:]
    if not arguments:
        sys.exit(__doc__)
    sys.path[0] = str(HERE.parent)
    sys.path += [str(HERE.parents[2] / package) for package in ("runtime", "lab", "compiler")]
    # Tensors are small here, and threads would wait for each other.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from rehearsal.simulation import simulated

    with simulated(capability):
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            sys.argv = arguments
            sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
            runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main()
