"""What an affordance remembers of each agent."""

from __future__ import annotations

import pytest
import torch

from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
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
