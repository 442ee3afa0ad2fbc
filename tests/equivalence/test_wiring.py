"""Nothing is inert: each attribute of each construct changes what happens, where it should and not before, on all
backends. `make wiring` runs all kernels; here the programs are executed by their definition, and few kernels."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from agreement import checked
from wiring import BASES, WIRES, Base
from wiring.check import Bench
from wiring.reflection import APART, attributes, choices, classes, values

import hamlet
from hamlet import EnvError
from processes import Run

SUMS = """
universe sums
space none
lifespan 9 ticks
param p = 0.5 in 0.25 .. 0.75
input i = 0.5 in 0.25 .. 0.75
meter a = 0.5
rule add: a += 0.0625 * p + 0.03125 * i
reward a
observe { meters }
"""


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.name)
def test_what_is_changed_shows(base: Base) -> None:
    bench = Bench(base, ("ir",))
    for wire in base.wires:
        bench.check(wire)
    assert bench.compared > 0


def test_every_attribute_has_a_wire() -> None:
    wired = {wire.field for _, wire in WIRES}
    assert wired == set(attributes())
    assert len(classes()) > 60


@pytest.mark.parametrize("attribute", [name for name in attributes() if choices(name)])
def test_every_choice_has_a_wire(attribute: str) -> None:
    found = set()
    for base, wire in WIRES:
        if wire.field == attribute:
            found |= values(checked(base.text), attribute) | values(checked(base.changed(wire)), attribute)
    assert found == choices(attribute)


@pytest.mark.parametrize("attribute", ["Param.low", "Param.high", "Input.low", "Input.high"])
def test_bounds_of_what_is_given(attribute: str, tmp_path: Path) -> None:
    """A value beyond the bounds is refused; with other bounds the same value works."""
    assert attribute in APART
    kind, _, bound = attribute.partition(".")
    old, new, beyond = ("0.25 ..", "0 ..", 0.125) if bound == "low" else (".. 0.75", ".. 1", 0.875)
    line = f"{kind.lower()} {kind[0].lower()} = 0.5 in 0.25 .. 0.75"
    results = []
    for name, text in (("as_it_is", SUMS), ("changed", SUMS.replace(line, line.replace(old, new)))):
        path = tmp_path / f"{name}.hamlet"
        path.write_text(text.replace("universe sums", f"universe {name}"))
        env = hamlet.make(hamlet.compile(path, tmp_path / name), worlds=2, backend="interpreter")
        given = env.params if kind == "Param" else env.inputs
        try:
            given[kind[0].lower()] = beyond
        except EnvError:
            results.append(None)
        else:
            env.step(torch.tensor([1, 1], dtype=torch.int32))
            results.append(float(env.state["meters"][0, 0]))
    assert results[0] is None
    part, other = (0.0625, 0.03125) if kind == "Param" else (0.03125, 0.0625)
    assert results[1] == 0.5 + part * beyond + other * 0.5


def test_kernels_see_a_few_changes(run_program: Run) -> None:
    """In a process of its own, because Triton decides when it is imported whether kernels run on its interpreter."""
    program = Path(__file__).with_name("wire.py")
    result = run_program(program, "--backends", "c,triton", "--only", "shared")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 changes" in result.stdout
