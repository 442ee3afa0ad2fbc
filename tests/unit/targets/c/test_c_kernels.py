"""Kernels in C: the tree of kernels for CPUs as it is printed for a compiler of C gives the interpreter's bits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from built import compiler

import hamlet
from hamlet.env.environment import Env
from hamlet.errors import EnvError, ModuleError
from hamlet.native import compilers
from hamlet.native.compilers import CHOICE
from hamlet.package.module import Module, in_memory
from hamletc.compilation import Compilation
from hamletc.compile import Options, build, emit_texts, optimise
from hamletc.frontend import Stopwatch
from hamletc.lowering.plan import Limits
from hamletc.passes.pipeline import CELL_CACHE
from samples import sample

TICKS = 25
UNIVERSES = {"town": 1, "queue": 17, "gallery/moss": 1, "ledger": 1}
"""Samples, each with its agents: a cell cache, agents that meet, cells, functions in parts."""
DRAWN = "first_meal"

pytestmark = pytest.mark.skipif(compiler() is None, reason="this machine has no C compiler")


def module(name: str, targets: tuple[str, ...] = ("c",)) -> Module:
    return in_memory(Path(name), build(sample(name), Options(targets), Stopwatch()))


def by_tables(name: str) -> Module:
    """A sample whose affordances and cascades are rows of tables, as those of large universes are."""
    compilation = Compilation.begin(sample(name), Limits(affordances=1, cascades=1, window_rows=0))
    texts = emit_texts(optimise(replace(compilation, disabled=frozenset({CELL_CACHE}))), ("c",))
    return in_memory(Path(name), {file: text.encode() for file, text in texts.items()})


def bits(values: object) -> bytes:
    """The memory of numbers."""
    tensor = torch.as_tensor(values).contiguous()
    return (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).numpy().tobytes()


def assert_same(ours: Env, theirs: Env, when: str) -> None:
    for field, expected in theirs.state.items():
        assert bits(ours.state[field]) == bits(expected), (when, field)
    assert bits(ours.observation) == bits(theirs.observation), when
    assert bits(ours.action_mask) == bits(theirs.action_mask), when


def compare(envs: tuple[Env, Env]) -> None:
    """Resets, steps, and a rollout that counts."""
    ours, theirs = envs
    for env in envs:
        env.reset(seed=3)
    assert_same(ours, theirs, "reset")
    draw = torch.Generator().manual_seed(1)
    for tick in range(TICKS):
        actions = torch.randint(0, ours.num_actions, (ours.num_lanes,), generator=draw, dtype=torch.int32)
        given = [env.step(actions) for env in envs]
        for own, expected in zip(given[0][:4], given[1][:4], strict=True):
            assert bits(own) == bits(expected), tick
        assert_same(ours, theirs, f"tick {tick}")
    counted = [env.rollout(2 * TICKS, observe=True) for env in envs]
    assert_same(ours, theirs, "rollout")
    mine, other = (each.counts.memory for each in counted)
    assert np.asarray(other["uses"]).any() or not ours.module.universe.affordances, "something is used"
    for name, counts in other.items():
        assert bits(mine[name]) == bits(counts), name


@pytest.mark.parametrize("name", UNIVERSES)
def test_they_give_the_bits_of_the_interpreter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAMLET_THREADS", "1")
    made = module(name)
    envs = [
        hamlet.make(made, worlds=41, agents=UNIVERSES[name], backend=backend, quiet=True)
        for backend in ("c", "interpreter")
    ]
    compare((envs[0], envs[1]))
    assert str(envs[0].choice) == "c on cpu: as asked for"


def test_rows_of_tables() -> None:
    """... some of which registers hold, and loops that begin with a number and go on with vectors."""
    made = by_tables("town")
    assert "_rows" in made.sources["c_kernels.c"].decode()
    ours, theirs = (hamlet.make(made, worlds=41, backend=name, quiet=True) for name in ("c", "interpreter"))
    compare((ours, theirs))


@pytest.mark.parametrize("dtype", ["uint8", "bfloat16", None])
def test_every_type_of_observations(dtype: str | None) -> None:
    """... in two threads, of which each begins steps and rollouts."""
    made = module(DRAWN)
    envs = [hamlet.make(made, worlds=5000, backend=name, obs_dtype=dtype, quiet=True) for name in ("c", "interpreter")]
    for env in envs:
        env.reset(seed=5)
        for _ in range(3):
            env.step(torch.zeros(5000, dtype=torch.int32))
        env.rollout(4, observe=dtype is not None)
    mine, other = envs
    for field, expected in other.state.items():
        assert bits(mine.state[field]) == bits(expected), field
    if dtype is not None:
        assert bits(mine.observation) == bits(other.observation)


def test_a_package_without_them_says_how_to_get_them() -> None:
    with pytest.raises(ModuleError, match=r"first_meal has no c_kernels\.c: compile first_meal again with --target c"):
        hamlet.make(module(DRAWN, ("triton",)), backend="c")


def test_kernels_of_another_version_are_refused() -> None:
    made = module(DRAWN)
    text = made.sources["c_kernels.c"].replace(b"#define CELLS", b"#define CELL")
    with pytest.raises(ModuleError, match="has kernels in C of another version: compile first_meal again"):
        hamlet.make(replace(made, sources={**made.sources, "c_kernels.c": text}), backend="c")


def test_a_machine_without_a_compiler_makes_no_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CHOICE)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compilers, "find_spec", lambda _name: None)
    with pytest.raises(EnvError, match="kernels in C need a compiler, and there is none"):
        hamlet.make(module(DRAWN), backend="c", quiet=True)


def test_it_runs_on_the_cpu_alone() -> None:
    with pytest.raises(EnvError, match=r'needs CUDA|backend "c" runs on the CPU, not on cuda'):
        hamlet.make(module(DRAWN), backend="c", device="cuda")
