"""Compiles the kernels of a package ahead of time for other CPUs than this one, into its folder `aot`.

    python -m hamlet.launch.cpu.compile_ahead PACKAGE LEVEL FOLDER [OBSERVATIONS...]

writes the files for one level. Each level has a process of its own, for numba compiles for one CPU in a process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hamlet.errors import EnvError
from hamlet.launch.cpu.ahead import ENTRY, Objects, to_json, types_of
from hamlet.launch.cpu.entry import Entry, Value
from hamlet.launch.cpu.kernels import JustInTime
from hamlet.launch.cpu.levels import CHOICE, LEVELS, Level
from hamlet.package.ahead import INDEX, folder
from hamlet.package.manifest import sha256
from hamlet.package.module import Module, load, text_of

WORLDS = 64
"""Of the environment that runs nothing; kernels do not depend on it."""


def compile_ahead(
    package: Path,
    done: Callable[[str], None] = lambda _level: None,
    levels: Sequence[Level] = LEVELS,
    observations: Sequence[str] = (),
) -> dict[str, bytes]:
    """The files for levels of CPUs, by name in the package.

    Args:
        package: the folder of a package with kernels of numba.
        done: told each level that is ready, in any thread.
        levels: by default all.
        observations: types of observations, by default all that the universe can have.

    Raises:
        EnvError: numba is not installed, or cannot compile for these CPUs.
        ModuleError: the package has no kernels of numba.
    """
    text_of(load(package), "numba")
    with TemporaryDirectory() as temporary, ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:

        def build(level: Level) -> dict[str, bytes]:
            written = _in_a_process(package, level, Path(temporary) / level.name, observations)
            done(level.name)
            return written

        return {name: content for files in pool.map(build, levels) for name, content in files.items()}


def _in_a_process(package: Path, level: Level, output: Path, observations: Sequence[str]) -> dict[str, bytes]:
    output.mkdir()
    # What a user told numba about this machine is not for others.
    known = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    asked = {CHOICE: level.name, "NUMBA_CPU_FEATURES": level.features, "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-m", __name__, str(package.absolute()), level.name, str(output), *observations]
    ran = subprocess.run(command, capture_output=True, text=True, env=known | asked, check=False)
    if ran.returncode:
        reason = (ran.stderr.strip().splitlines() or ["it was killed"])[-1]
        raise EnvError(f"numba cannot compile for {level.name}: {reason}")
    return {f"{folder(level.name)}/{file.name}": file.read_bytes() for file in sorted(output.iterdir())}


class Recorder:
    """Has the place of kernels (`hamlet.launch.cpu.kernels.Kernels`), runs nothing, and sees every launch."""

    def __init__(self, kernels: JustInTime) -> None:
        self.backend, self.origin = kernels.backend, "recorded"
        self.tables, self.cells, self.lanes = kernels.tables, kernels.cells, kernels.lanes
        self.team, self.player = kernels.team, kernels.player
        self.seen: list[Sequence[Value]] = []

    def entry(self, values: Sequence[Value]) -> Entry:
        """Note arguments."""
        self.seen.append(values)
        return Entry(0, lambda _table: 0, ())


def launches(module: Module, kernels: JustInTime, observations: Sequence[str]) -> Iterator[tuple[str, Sequence[Value]]]:
    """The arguments of each kernel that environments launch, one for each of these types of observations, and its
    name."""
    import torch

    from hamlet.backend.buffers import OBS_DTYPES, Shape, allocate
    from hamlet.backend.protocol import Stream
    from hamlet.launch.cpu.launch import CpuBackend
    from hamlet.schema import encodes

    for name in observations or OBS_DTYPES:
        dtype = OBS_DTYPES[name]
        if dtype is not torch.uint8 or encodes(module.universe):
            recorder = Recorder(kernels)
            buffers = allocate(module.universe, Shape(WORLDS, 1), torch.device("cpu"), dtype)
            CpuBackend(module.universe, recorder, 1).reset(buffers, Stream(0, 0))
            yield name, recorder.seen[0]


def write(package: Path, level: str, output: Path, observations: Sequence[str]) -> None:
    """Write the files for the level that this process compiles for."""
    import llvmlite
    import numba

    from hamlet.launch.cpu.ops.objects import object_code

    module = load(package)
    text = module.kernels("numba")
    kernels = JustInTime(text)
    files = {}
    for name, values in launches(module, kernels, observations):
        (output / f"{name}.o").write_bytes(object_code(text.rollout, values, ENTRY))
        files[f"{name}.o"] = types_of(values)
    source = sha256(text_of(module, "numba"))
    versions: tuple[Any, Any] = numba.__version__, llvmlite.__version__
    index = Objects(level, source, *versions, kernels.tables, kernels.cells, kernels.lanes, files)
    (output / INDEX).write_text(to_json(index), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
