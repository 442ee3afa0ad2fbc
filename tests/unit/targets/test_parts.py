"""Kernels in C of large universes: functions in parts, whose size grows with the universe and gives the same bits."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from hamlet import load
from hamlet.backend.choose import Choice, start
from hamlet.universe import Universe
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.compile import Options, build, lower, optimise, specialise
from hamletc.frontend import Stopwatch
from hamletc.ir.ops import Type
from hamletc.kernel.code import Compute, Function
from hamletc.package import write
from hamletc.targets.c import parts
from hamletc.targets.c.module import built, functions_of
from samples import sample, universe_of

EFFORT = Effort(worlds=67, ticks=3, rounds=16, compact=(torch.float32,))


def many(meters: int, cascades: int = 0, actions: int = 0) -> str:
    """So many meters, cascades among all of them, and actions; with what needs values of the tick before."""
    lines = [
        "universe sized",
        "space grid 4 x 4",
        "lifespan 50 ticks",
        "param rate = 1.0 in 0 .. 2",
        *(f"meter m{n} = 0.{n % 9 + 1} in -1 .. {1 + n % 3} {{ decay 0.0{n % 90 + 10} }}" for n in range(meters)),
        *(
            f"cascade c{n}: m{n * 7 % meters} < 0.{n % 70 + 10} -> m{(n * 7 + n % 5 + 1) % meters} -= 0.1 * deficit"
            for n in range(cascades)
        ),
        "rule lags: m1 += 0.25 * rate * previous(m0)",
        "rule swaps: m2 > 0.1 -> m2 = previous(m3)",
        "rule back: m2 <= 0.1 -> m3 = previous(m2) unclamped",
        *(
            f"action A{n} {{ {f'needs m0 >= 0.{n % 5}  ' if n % 3 == 0 else ''}m{n % 3} += 0.{n % 90 + 10}  "
            f"m{n % 4 + 1} -= 0.01 {f'move ({n % 3 - 1}, 1)' if n % 4 == 1 else ''} }}"
            for n in range(actions)
        ),
        "affordance Bed at random { needs m0 < 0.9  instantly { m0 += 0.5 } }",
        "affordance Desk at random lasts 3 ticks { each tick { m1 += 0.1 }  on completion { m0 += 0.5 } }",
        "dies when m0 <= -0.5 or m5 <= -0.9",
        "reward m1",
        *(f"report r{n}: m{n} * previous(m{n})" for n in range(10)),
        "observe { position relative  meters  here  progress  params }",
    ]
    return "\n".join(lines)


def kernels(universe: Universe) -> str:
    files = build(universe, Options(targets=("c",)), Stopwatch())
    return files["c_kernels.c"].decode()


@pytest.mark.parametrize("name", ["sized", pytest.param("lasting", marks=pytest.mark.long)])
def test_parts_give_the_bits_of_the_interpreter(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "ITEMS", 25)
    monkeypatch.setattr(parts, "LARGE", 0)
    universe = universe_of(many(12, 16, 36)) if name == "sized" else sample(name)
    write(build(universe, Options(targets=("c",)), Stopwatch()), tmp_path / "package")
    module, cpu = load(tmp_path / "package"), torch.device("cpu")
    report = verify(module.universe, [Candidate(start(module, Choice("c", cpu, "compared")), cpu)], EFFORT)
    assert report.equal, report.render()
    assert report.compared > 100_000


def functions(universe: Universe) -> list[Function]:
    """Those of the tree of kernels."""
    return functions_of(built(specialise(optimise(lower(universe)), "c").program, universe))


def length(function: Function) -> int:
    """The lines of a function."""
    return sum(len(each.lines) if isinstance(each, Compute) else 1 for each in function.body)


def test_small_universes_are_not_cut() -> None:
    assert "_part_" not in kernels(sample("town"))


def test_the_length_of_a_part_does_not_depend_on_the_universe() -> None:
    universes = [universe_of(many(count, count)) for count in (100, 300)]
    texts = [kernels(universe) for universe in universes]
    lines = [{each.name: length(each) for each in functions(universe)} for universe in universes]
    cut = [{name: count for name, count in each.items() if "_of_tick" in name} for each in lines]
    assert len(cut[1]) > 1.5 * len(cut[0]) > 2
    # A value is fetched, computed and kept.
    assert max(max(each.values()) for each in cut) <= 4 * parts.ITEMS
    others = [{name: count for name, count in each.items() if "_part_" not in name} for each in lines]
    # A function that calls parts has a line for each, and the rollout one for each array that holds values for them.
    assert others[0].keys() == others[1].keys()
    assert max(others[1][name] - others[0][name] for name in others[0].keys() - {"_tick"}) <= len(Type)
    assert len(texts[1]) < 4 * len(texts[0])
