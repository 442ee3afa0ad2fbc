"""What an affordance remembers of each agent."""

from __future__ import annotations

import pytest
import torch

from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamlet.universe.walk import assigns
from hamletc.checking.check import check
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from samples import universe_of

CPU = torch.device("cpu")
CLINIC = """universe clinic

space none
lifespan 9 ticks

meter health = 0.5 { decay 0.02 }

affordance Doctor {
    per agent state visits: int in 0 .. 10 = 0
    meter seen = 0 in 0 .. 100
    rule counts: seen += total(visits)
    needs visits < 2
    instantly { visits += 1  health += 0.1 }
}

reward health - 0.01 * visits of Doctor + 0.001 * seen of Doctor
observe { meters  state }
"""


def test_each_agent_has_its_own() -> None:
    """Agent 0 goes to the doctor three times, of which the third is one too many; agent 1 once."""
    universe = universe_of(CLINIC)
    names = [meter.name for meter in universe.meters]
    interpreter, buffers = (
        Interpreter(universe, torch.device("cpu")),
        allocate(universe, Shape(1, 2), torch.device("cpu"), None),
    )
    interpreter.reset(buffers, Stream(1, 0))
    for tick, actions in enumerate(([0, 1], [0, 0], [0, 1])):
        interpreter.step(buffers, torch.tensor(actions, dtype=torch.int32), Stream(1, tick))
    assert buffers.state["meters"][names.index("visits of Doctor")].tolist() == [2, 1]
    assert buffers.outcome["used"].tolist() == [-1, -1]
    assert buffers.state["world_meters"][0].tolist() == [1 + 3 + 3]
    assert format_source(CLINIC)[0] == CLINIC


WRITTEN = """universe town

space grid 5 x 5
lifespan 9 ticks

template Stall(name, amount) {
    affordance name: 2 copies at random {
        per agent state visits: int in 0 .. 10 = 0
        needs visits < 2
        instantly { visits += 1  health += amount }
    }
    rule forgets: every 4 ticks -> visits of name = 0
}

use Stall(Baker, 0.1)
use Stall(Butcher, 0.2)

meter health = 0.5 { decay 0.02 }

role smith: 1 agent {
    affordance Anvil at random {
        per agent meter heat = 0
        needs heat < 0.5
        instantly { heat += 0.5 }
    }
    rule cools: together { heat of Anvil -= 0.1  heat of Anvil = 0.5 * heat of Anvil }
}
role guest: others

rule tired: health < 0.1 -> visits of `Baker 2` += 1

reward health
observe { meters }
"""


def test_rules_write_what_affordances_remember() -> None:
    """By the name of the affordance; where it has copies, of each of them."""
    universe = universe_of(WRITTEN)
    rules = {each.name: [written.meter for written in assigns(each.body)] for each in universe.dynamics}
    assert rules == {
        "Baker_forgets": ["visits of Baker 1", "visits of Baker 2"],
        "Butcher_forgets": ["visits of Butcher 1", "visits of Butcher 2"],
        "smith.cools": ["heat of smith.Anvil", "heat of smith.Anvil"],
        "tired": ["visits of Baker 2"],
    }
    assert format_source(WRITTEN)[0] == WRITTEN
    for name in ("visits of Doctor", "`visits of Doctor`"):
        (heals,) = universe_of(f"{CLINIC}rule heals: every 3 ticks -> {name} = 0\n").dynamics
        assert [written.meter for written in assigns(heals.body)] == ["visits of Doctor"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("visits of Nurse = 0", "H020"),
        ("trust of Doctor = 0", "H176"),
        ("left of ill = 3", "H176"),
        ("seen of Doctor = 3", "H090"),
        ("health of Doctor = 3", "H176"),
    ],
)
def test_what_no_rule_writes(statement: str, expected: str) -> None:
    text = f"{CLINIC}effect ill lasts 3 ticks {{ each tick {{ health -= 0.1 }} }} rule r {{ begin ill  {statement} }}"
    file, problems = parse(text)
    found = problems if file is None or problems else check(file, ("clinic.hamlet",))[1]
    assert [each.code for each in found if each.severity == "error"] == [expected]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("seen += total(visits)", "visits = 0", "H091"),
        ("seen += total(visits)", "seen += visits", "H092"),
        ("visits of Doctor +", "visits of Nurse +", "H020"),
        ("per agent state", "per world state", "H009"),
        ("per agent state", "kept per agent state", "H009"),
    ],
)
def test_misuse(old: str, new: str, expected: str) -> None:
    assert old in CLINIC
    file, problems = parse(CLINIC.replace(old, new))
    found = problems if file is None or problems else check(file, ("clinic.hamlet",))[1]
    assert expected in {each.code for each in found if each.severity == "error"}
