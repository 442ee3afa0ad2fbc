"""What states hold, what may be written into them, and what may be looked back at."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamlet.universe import MeterValue, Number, StateType
from hamlet_lab.verify.injection import Injector
from hamletc.checking.check import check
from hamletc.language.parser import parse
from samples import universe_of

CPU = torch.device("cpu")
FRAME = """
universe states
space grid 4 x 4
clock 24 hours
lifespan 100 ticks
param p = 2 in 0 .. 4
input given = 0 in 0 .. 1
inert allowed
meter energy = 0.5 {{ decay 0.01 }}
state n: int in -5 .. 20 = 3
state flag = false
state sky: clear dull wet = dull
state other: clear dull wet = dull
state apart: clear dull = dull
world {{ meter stock = 3 in 0 .. 9  state storm = false  rule sold: stock -= count(used == Bed) {world} }}
cells {{ state fire = chance(0.1)  state wood: int in 0 .. 5 = integer(1, 5)  state ground: clear wet = clear {cells} }}
affordance Bed at random {{ instantly {{ energy += 0.1 }} }}
action JAB {{ energy -= 0.1 }}
{text}
reward energy
observe {{ meters  state }}
"""


def codes(text: str = "", world: str = "", cells: str = "") -> set[str]:
    """The codes of errors in the frame with these declarations."""
    file, problems = parse(FRAME.format(text=text, world=world, cells=cells))
    found = problems if file is None or problems else check(file, ("states.hamlet",))[1]
    return {diagnostic.code for diagnostic in found if diagnostic.severity == "error"}


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("rule r: fire = not fire", ""),
        ("rule r: not fire and chance(0.1 * neighbours(1 when fire)) -> fire = true", ""),
        ("rule r: fire -> { wood -= 1  ground = wet }", ""),
        ("rule r: wood = neighbours(wood) + count(here == Bed)", ""),
        ("rule r: wood = total(n)", ""),
        ("rule r: ground == previous(ground) and ground != wet -> wood -= 1", ""),
        ("rule r: wood += 0.5", "H163"),
        ("rule r: wood = total(energy)", "H163"),
        ("rule r: fire += 1", "H162"),
        ("rule r: ground = snow", "H161"),
        ("rule r: wood += ground", "H161"),
        ("state dry = 0.5 > energy", "H183"),
        ("state depth: int in 0 .. 5 = position x", ""),
        ("state depth: int in 0 .. 5 = uniform(0, 1)", "H163"),
    ],
)
def test_states_of_cells(cells: str, expected: str) -> None:
    assert codes(cells=cells) == {*filter(None, [expected])}


@pytest.mark.parametrize("text", ["rule r: fire -> energy -= 0.1", "rule r: ground == wet -> n = wood"])
def test_agents_read_the_state_of_their_cell(text: str) -> None:
    assert codes(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rule r: n += 1", ""),
        ("rule r: n = floor(2 * energy) + hour - age", ""),
        ("rule r: n = if flag then n * n else min(n, 3)", ""),
        ("rule r: n += 1 when flag", ""),
        ("rule r: n = count(flag) + round(average(energy))", ""),
        ("rule r: n = mod(n, 3) + integer(1, 6) - abs(n)", ""),
        ("rule r: n = choice(1, 2, n)", ""),
        ("rule r: n = position x + distance to Bed", ""),
        ("rule r: n = since(flag) + lag(n, 2)", ""),
        ("rule r: n += energy", "H163"),
        ("rule r: n += 0.5", "H163"),
        ("rule r: n = n / 2", "H163"),
        ("rule r: n = p", "H163"),
        ("rule r: n = average(n)", "H163"),
        ("rule r: n = straight distance to Bed", "H163"),
        ("rule r: n = smooth(n, 0.5)", "H163"),
        ("rule r: n = mean(n, 2)", "H163"),
        ("rule r: n += uniform(1, 2)", "H163"),
        ("state m: int in 0 .. 5 = 0.5  rule r: m += 1", "H163"),
        ("state m: int in 0 .. 5 = p  rule r: m += 1", "H163"),
        ("state m: int in 0 .. 20000000 = 0  rule r: m += 1", "H164"),
        ("state m: int in 0.5 .. 2 = 1  rule r: m += 1", "H164"),
        ("state m: int in 5 .. 0 = 1  rule r: m += 1", "H040"),
        ("state m: int in 0 .. 5 = 9  rule r: m += 1", "H041"),
        ("state m = 3  rule r: m += 1", "H160"),
        ("state m: calm = calm  rule r: m = calm", "H160"),
        ("state m: calm calm = calm  rule r: m = calm", "H160"),
        ("state m: calm angry = sad  rule r: m = calm", "H161"),
        ("state m = 0.5 < energy  rule r: m = false", ""),
        ("rule r: flag = not flag", ""),
        ("rule r: flag = if energy < 0.5 then true else sky == wet", ""),
        ("rule r: flag += 1", "H162"),
        ("rule r: flag = 1", "H027"),
        ("rule r: energy += flag", "H027"),
        ("rule r: n += 1 unclamped", "H162"),
        ("rule r { together { n += 1  n -= 2 } }", ""),
        ("rule r: sky = wet", ""),
        ("rule r: sky = if flag then wet else choice(clear: 2, dull: 1)", ""),
        ("rule r: sky = other", ""),
        ("rule r: sky = previous(other)", ""),
        ("rule r: sky = lag(other, 3)", ""),
        ("rule r: sky = apart", "H161"),
        ("rule r: sky = 1", "H161"),
        ("rule r: sky += wet", "H162"),
        ("rule r: energy += sky", "H161"),
        ("rule r: sky == wet -> energy += 0.1", ""),
        ("rule r: wet != sky -> energy += 0.1", ""),
        ("rule r: sky == other -> energy += 0.1", ""),
        ("rule r: lag(sky, 2) != previous(sky) -> energy += 0.1", ""),
        ("rule r: sky == apart -> energy += 0.1", "H161"),
        ("rule r: sky == snow -> energy += 0.1", "H161"),
        ("rule r: sky < wet -> energy += 0.1", "H161"),
        ("rule r: sky == 1 -> energy += 0.1", "H161"),
        ("rule r: sky == (if flag then wet else other) -> energy += 0.1", ""),
        ("rule r: (if flag then wet else snow) != sky -> energy += 0.1", "H161"),
        ("rule r: wet -> energy += 0.1", "H020"),
        ("rule r: storm -> energy += 0.1", ""),
        ("rule r: storm = true", "H090"),
        ("let wet = 0.5  rule r: sky == wet -> energy += 0.1 * wet", ""),
        ("let wet = 0.5  rule r: sky = if chance(wet) then wet else choice(wet: 1, dull: 2)", ""),
        ("template Sky(name, first) { state name: first dim = dim  rule name: name == first -> name = dim }"
         "  use Sky(mood, bright)", ""),
        ("rule r: at hour 8 -> energy += 0.1", ""),
        ("rule r: energy += 0.1 when at hour 0", ""),
        ("rule r: at hour 24 -> energy += 0.1", "H046"),
        ("rule r: energy += lag(energy, 2) + mean(energy, 4) + smooth(energy, 0.1) - since(flag)", ""),
        ("rule r: energy += since(action == JAB, 5)", ""),
        ("allow JAB when lag(action == JAB, 1) or since(used == Bed, 4) < 3 or rising(hour > 3)", ""),
        ("action KICK { needs lag(used == nothing, 1)  energy -= 0.1 }", ""),
        ("rule r: energy += lag(2, 3)", "H165"),
        ("rule r: energy += lag(uniform(0, 1), 3)", "H068"),
        ("rule r: energy += lag(total(energy), 3)", "H093"),
        ("rule r: energy += lag(previous(energy), 3)", "H165"),
        ("rule r: energy += lag(lag(energy, 1), 3)", "H168"),
        ("rule r: energy += previous(lag(energy, 1))", "H168"),
        ("rule r: energy += total(lag(energy, 1))", "H168"),
        ("cascade c: energy < 0.3 -> n += floor(lag(deficit, 2))", "H165"),
        ("rule r: energy += lag(energy, 65)", "H166"),
        ("rule r: energy += lag(energy, 0)", "H166"),
        ("rule r: energy += lag(energy, 1.5)", "H166"),
        ("rule r: energy += lag(energy, p)", "H031"),
        ("rule r: energy += mean(energy, 1)", "H166"),
        ("rule r: energy += smooth(energy, 1)", "H166"),
        ("rule r: energy += smooth(flag, 0.5)", "H027"),
        ("rule r: energy += since(energy)", "H027"),
        ("rule r: energy += lag(energy)", "H030"),
        ("rule r: energy += mean(energy)", "H030"),
        ("allow JAB when lag(given, 1) > 0.5", "H059"),
        ("meter later = lag(energy, 2)  rule r: later += 0.1", "H083"),
        ("meter mean = 0.5  rule r: mean += 0.1 * mean(mean, 3)", ""),
    ],
)  # fmt: skip
def test_what_states_hold_and_what_has_a_past(text: str, expected: str) -> None:
    assert codes(text) == ({expected} if expected else set())


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        ("rule r: storm = stock < 2 and not previous(storm)", ""),
        ("rule r: stock += lag(stock, 3) - since(storm)", ""),
        ("state day: int in 0 .. 9 = agents  rule r: day += 1", ""),
        ("state day: int in 0 .. 9 = integer(0, 9)  rule r: day += 1", ""),
        ("meter more = 2 * p + uniform(0, 1) in 0 .. 20  rule r: more -= 0.1", ""),
        ("meter more = hour in 0 .. 20  rule r: more -= 0.1", "H083"),
        ("meter more = agent in 0 .. 20  rule r: more -= 0.1", "H092"),
        ("rule r: stock += lag(energy, 3)", "H092"),
        ("rule r: stock += count(true)", ""),
        ("rule r: flag = true", "H091"),
    ],
)
def test_states_and_start_values_of_the_world(world: str, expected: str) -> None:
    assert codes(world=world) == ({expected} if expected else set())


def test_a_state_in_the_universe() -> None:
    universe = universe_of(FRAME.format(text="rule r: sky = wet", world="", cells=""))
    energy, n, flag, sky, *_ = universe.meters
    assert energy.type is None
    assert (n.type, n.low, n.high, n.start) == (StateType("int", ()), -5.0, 20.0, 3.0)
    assert (flag.type, flag.high, flag.start) == (StateType("bool", ()), 1.0, 0.0)
    assert (sky.type, sky.high, sky.start) == (StateType("options", ("clear", "dull", "wet")), 2.0, 1.0)


# --- proofs that something is whole ----------------------------------------------------------------------------------

LEAVES = (
    *("n", "m", "2", "3.5", "e", "hour", "age", "floor(e)", "integer(0, 3)", "p", "count(flag)", "0.25", "position x"),
)
FORMS = (
    *("({} + {})", "({} - {})", "({} * {})", "min({}, {})", "max({}, {})", "({} / max(1, abs({})))", "round({} + {})"),
    *("mod({}, 3 + abs({}))", "clamp({}, {} - 100, 200)", "(if flag then {} else {})", "previous({} + {})"),
    *("choice({}, {})", "(abs({}) - {})", "lag({} + {}, 2)", "mean({} + {}, 2)"),
)
REFUSED = {"H163", "H165", "H168", "H054", "H031", "H058", "H068", "H093"}
"""What is wrong with some of these: above all that they are not whole."""


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(str.format, st.sampled_from(FORMS), inner, inner)


NUMBERS = st.recursive(st.sampled_from(LEAVES), nested, max_leaves=6)
WHOLE = """
universe whole
space grid 4 x 4
clock 5 hours
lifespan 9 ticks
inert allowed
param p = 0.75 in 0 .. 4
meter e = 0.3 in -4 .. 4
state n: int in -4000 .. 4000 = 3
state m: int in -7 .. 9 = integer(-3, 3)
state flag = false
rule first: m += 1
rule turn: flag = e < hour
rule rest: e = mod(e * 1.7 + 0.3, 4)
rule it: n = {}
reward e
observe {{ meters  state }}
"""


@settings(max_examples=examples(50), deadline=None)
@given(NUMBERS)
def test_what_is_proven_to_be_whole_is(number: str) -> None:
    file, _ = parse(WHOLE.format(number))
    assert file is not None
    universe, found = check(file, ("whole.hamlet",))
    if universe is None:
        assert {each.code for each in found if each.severity == "error"} <= REFUSED
        return
    shape, row = Shape(7, 2), [meter.name for meter in universe.meters].index("n")
    interpreter, buffers = Interpreter(universe, CPU), allocate(universe, shape, CPU, None)
    for seed in range(2):
        for name, value in Injector(universe, shape, seed).state().items():
            buffers.state[name].copy_(value)
        for tick in range(3):
            interpreter.step(buffers, torch.full((14,), tick, dtype=torch.int32), Stream(5, tick))
            values = buffers.state["meters"][row].numpy()
            assert np.array_equal(values, np.rint(values)), (number, values)


def test_nodes_that_states_become() -> None:
    """An option is the number that it has among those of its state."""
    universe = universe_of(FRAME.format(text="rule r: sky = wet", world="", cells=""))
    (rule,) = universe.dynamics
    (assign,) = rule.body[0].assigns
    assert isinstance(assign.value, Number)
    assert assign.value.value == 2.0
    assert not any(isinstance(node, MeterValue) for node in (assign.value,))
