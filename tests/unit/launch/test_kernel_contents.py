"""Kernels are known by their contents, never by where they lie: a folder may hold another universe any time."""

from __future__ import annotations

import inspect
import linecache
import shutil
import sys
import threading
from pathlib import Path

import torch

import hamlet
from hamlet.launch.gpu.options import interpreted
from hamlet.package.module import Module
from processes import Run

TEXT = """
universe tiny
space none
meter energy = 1.0 {{ decay {decay} }}
dies when energy <= 0
reward energy
observe {{ meters }}
"""


def put(folder: Path, decay: str, output: Path | None = None) -> Module:
    """The universe with this decay, compiled into `package`, or wherever."""
    source = folder / "tiny.hamlet"
    source.write_text(TEXT.format(decay=decay))
    return hamlet.compile(source, folder / "package" if output is None else output)


def after_a_tick(module: Module, backend: str) -> float:
    """What is left of the energy."""
    env = hamlet.make(module, worlds=2, device="cpu", backend=backend, quiet=True)
    env.step(torch.full((2,), env.num_actions - 1, dtype=torch.int32))
    return float(env.state["meters"][0, 0])


def test_kernels_in_c_are_those_of_the_package_that_was_loaded(tmp_path: Path) -> None:
    """... also where its kernels are wanted only after another one has taken its place."""
    before = put(tmp_path, "0.03")
    put(tmp_path, "0.02")
    after = hamlet.load(tmp_path / "package")
    results = [after_a_tick(module, "c") for module in (before, after)]
    assert results == [after_a_tick(module, "interpreter") for module in (before, after)]
    assert results[0] != results[1]


PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_kernel_contents import put, after_a_tick
import hamlet
folder = Path(sys.argv[2])
before = put(folder, "0.03")
put(folder, "0.02")
after = hamlet.load(folder / "package")
for module in before, after:
    print(after_a_tick(module, "triton") == after_a_tick(module, "interpreter"), after_a_tick(module, "interpreter"))
"""


def test_triton_runs_the_package_that_was_loaded(tmp_path: Path, run_program: Run) -> None:
    done = run_program(PROGRAM, Path(__file__).parent, tmp_path, TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stderr
    (same, left), (also, other) = (line.split() for line in done.stdout.splitlines())
    assert (same, also) == ("True", "True")
    assert left != other


def test_what_triton_compiles_is_what_was_loaded(tmp_path: Path) -> None:
    """... and the name in its cache is that of the contents: the same for a copy, another for another universe."""
    before = put(tmp_path, "0.03")
    shutil.copytree(tmp_path / "package", tmp_path / "copied")
    put(tmp_path, "0.02")
    kernels = before.kernels("triton")
    assert not interpreted(kernels)
    assert "".join(kernels._tick.raw_src) in before.sources["triton_kernels.py"].decode()
    after = hamlet.load(tmp_path / "package").kernels("triton")
    assert after._tick.raw_src != kernels._tick.raw_src
    names = [each.kernels("triton").step.cache_key for each in (before, hamlet.load(tmp_path / "copied"))]
    assert names == [kernels.step.cache_key] * 2
    assert after.step.cache_key != kernels.step.cache_key


def test_a_folder_that_moves_is_the_same_kernels(tmp_path: Path) -> None:
    module = put(tmp_path, "0.01")
    (tmp_path / "package").rename(tmp_path / "moved")
    assert hamlet.load(tmp_path / "moved").kernels("triton") is module.kernels("triton")
    assert not [name for name in sys.modules if "triton_kernels" in name and str(tmp_path) in str(sys.modules[name])]


def test_threads_import_kernels_once(tmp_path: Path) -> None:
    module = put(tmp_path, "0.04")
    start, found = threading.Barrier(8), []

    def work() -> None:
        start.wait()
        found.append(module.kernels("triton").rollout)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({id(each) for each in found}) == 1


def test_lines_survive_a_cleared_cache_of_lines(tmp_path: Path) -> None:
    """Notebooks and debuggers clear it."""
    kernels = put(tmp_path, "0.05").kernels("triton")
    text = inspect.getsource(kernels._tick.fn)
    linecache.clearcache()
    assert inspect.getsource(kernels._tick.fn) == text
    linecache.checkcache()
    assert inspect.getsource(kernels._tick.fn) == text
