"""What was recorded from HAMLET's engine, replayed bit for bit.

Here are the first steps of every fifth trace on the interpreter, and of traces of four kinds of space on kernels
in C or on Triton's interpreter, in turns. HAMLET_LONG_TESTS=1 takes every trace and every kind of space, and
`make conformance` replays all steps of all traces on each.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import torch
from traces import SHARED, about, of_each_kind, pack_of, traces

import hamlet
from hamlet import schema
from hamlet.package import manifest
from hamlet.package.module import Module
from hamlet.universe.codec import to_json
from hamlet_townlet.adapter import VectorizedEnv
from hamlet_townlet.traces import read_trace, replay
from processes import COMMAND, Run, Says
from samples import recorded
from samples.packs import checked

STEPS = 24
"""A day, with the resets in it; of one trace of each kind of space, `MORE_STEPS`."""
MORE_STEPS = 48
TRITON_STEPS = 3

pytestmark = pytest.mark.skipif(not traces(), reason=f"there are no recorded traces in {SHARED}")


def names(paths: list[Path]) -> list[str]:
    return [path.stem for path in paths]


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("conformance")


@cache
def compiled(pack: Path, packages: Path) -> Module:
    return hamlet.compile(pack, packages / pack.name)


@cache
def interpreted(pack: Path) -> Module:
    """What the interpreter needs: no kernels are made, which takes most of the time."""
    done = checked(pack)
    described = {name: text.encode() for name, text in done.attached.items()}
    return Module(pack, done.universe, manifest.sha256(to_json(done.universe).encode()), described)


def test_there_are_traces_of_every_kind() -> None:
    assert len(traces()) >= 100
    assert len(of_each_kind()) >= 5


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param(trace, id=trace.stem, marks=[pytest.mark.long] if n % 5 and trace not in of_each_kind() else [])
        for n, trace in enumerate(traces())
    ],
)
def test_on_the_interpreter(trace: Path) -> None:
    steps = MORE_STEPS if trace in of_each_kind() else STEPS
    report = replay(interpreted(pack_of(trace)), read_trace(trace), steps=steps)
    assert report.ok, report.render()


STOPPED = [trace for trace in traces() if about(trace)["T"] == 0]


@pytest.mark.parametrize("trace", STOPPED, ids=names(STOPPED))
def test_where_the_engine_stopped_in_the_first_step(trace: Path) -> None:
    env = VectorizedEnv(interpreted(pack_of(trace)), 4, backend="interpreter")
    env.reset()
    interact = schema.interact_action(env.module.universe)
    with pytest.raises(RuntimeError):
        env.step(torch.full((4,), interact))


def in_turns(first: int) -> list[object]:
    """Every other kind of space; of those the first two by default."""
    mine = of_each_kind()[first::2]
    return [pytest.param(path, id=path.stem, marks=[pytest.mark.long] if n > 1 else []) for n, path in enumerate(mine)]


@pytest.mark.parametrize("trace", in_turns(0))
def test_on_kernels_in_c(trace: Path, packages: Path) -> None:
    report = replay(compiled(pack_of(trace), packages), read_trace(trace), "c")
    assert report.ok, report.render()


@pytest.mark.parametrize("trace", in_turns(1))
def test_on_triton(trace: Path, packages: Path, run_program: Run) -> None:
    package = compiled(pack_of(trace), packages).path
    arguments = ("--backend", "triton", "--steps", str(TRITON_STEPS))
    done = run_program(COMMAND, "replay", package, trace, *arguments, TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"the first {TRITON_STEPS} of" in done.stdout


# --- what is not equal ----------------------------------------------------------------------------------------------


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A copy of a trace, to be damaged."""
    trace = SHARED / "traces" / "L3_temporal_mechanics__randstate.npz"
    if not trace.exists():
        pytest.skip(f"{trace} is not there")
    arrays, meta = recorded.read(trace)
    return recorded.write(tmp_path / trace.name, arrays, meta)


def test_one_changed_value_is_named(damaged: Path) -> None:
    arrays, meta = recorded.read(damaged)
    view = arrays["meters"].view("i4")
    view[20, 3, 6] ^= 1
    recorded.write(damaged, arrays, meta)
    module = interpreted(SHARED / "packs" / "L3_temporal_mechanics")
    report = replay(module, read_trace(damaged), steps=30)
    assert not report.ok
    found = report.divergence
    assert found is not None
    assert (found.field, found.tick, found.agent, found.row) == ("meters", 20, 3, "health")
    assert found.writes
    assert all(line.source.file in ("bars.yaml", "cascades.yaml", "affordances.yaml") for line in found.writes)


def test_the_command(damaged: Path, hamletc_says: Says) -> None:
    pack = SHARED / "packs" / "L3_temporal_mechanics"

    def run(*arguments: str | Path) -> tuple[int, str]:
        code, out, err = hamletc_says("replay", *arguments)
        return code, out + err

    code, text = run(pack, damaged, "--steps", "5")
    assert code == 0
    assert "\nequal in all " in "\n" + text
    code, text = run(SHARED / "packs" / "test", damaged)
    assert code == 2
    assert "was recorded from another pack" in text
    arrays, meta = recorded.read(damaged)
    arrays["rewards"][2, 0] += 1
    recorded.write(damaged, arrays, meta)
    code, text = run(pack, damaged, "--steps", "5")
    assert code == 1
    assert "where  rewards, agent 0" in text
    damaged.write_bytes(damaged.read_bytes()[:5000])
    code, text = run(pack, damaged)
    assert code == 2
    assert text.startswith("error: ")
    assert len(text.splitlines()) == 1
