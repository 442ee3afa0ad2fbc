"""What agents of a role draw stays the same when a universe gets another role: the role's name is always in the key."""

from __future__ import annotations

import torch
from plain_philox import site

from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Backend, Stream
from hamlet.interpreter import Interpreter
from hamlet.schema import action_names
from hamlet.schema.fields import report_names
from hamlet.universe import Universe, draws
from hamlet_lab.divergence.executed import Executed
from hamletc.compilation import Compilation
from samples import universe_of

CPU, CATS, TICKS = torch.device("cpu"), 16, 16
HOUSE = """universe house
space none
lifespan 12 ticks
slots 3
item milk { carried integer(0, 2)  use { energy += uniform(0, 0.1) } }
meter energy = 1 { decay 0.01 }
reward 0.25 when chance(0.5)
role cat: 16 agents {
    observe { meters }
    meter warmth = uniform(0.4, 0.6) { decay uniform(0, 0.02) }
    action PURR { warmth += uniform(0, 0.1) }
    rule play: chance(0.5) -> warmth -= uniform(0, 0.1)
    cascade cold: warmth < 0.5 -> energy -= uniform(0, 0.1)
    dies when chance(0.02) or warmth < uniform(0, 0.1)
    ends when chance(0.03) { reward uniform(1, 2) }
    reward uniform(0, 1)
    reward 2 * uniform(0, 1)
    reward joy: normal(0, 1)
    report mews: integer(1, 6)
}
"""
DOG = """role dog: others {
    observe { meters }
    meter bone = uniform(0, 1) { decay uniform(0, 0.1) }
    rule play: bone -= uniform(0, 0.1)
    dies when chance(0.02) or bone < uniform(0, 0.1)
    ends when chance(0.03) { reward uniform(1, 2) }
    reward uniform(0, 1)
    reward 2 * uniform(0, 1)
    reward joy: bone
}
"""
OF_CATS = (
    "dies when cat and chance(0.02)",
    "dies when cat and cat.warmth < uniform(0, 0.1)",
    "ends when cat and chance(0.03)",
    "goal cat and chance(0.03)",
    "reward: uniform(0, 1) when cat",
    "reward: 2 * uniform(0, 1) when cat",
    "reward cat.joy",
    "report cat.mews",
    "rule cat.play",
    "cascade cat.cold",
    "action cat.PURR",
    "meter cat.warmth",
    "start cat.warmth",
)


def test_keys_name_the_role() -> None:
    """Also where it is the only one."""
    for text in (HOUSE, HOUSE + DOG):
        found = {draw.site for draw in draws(universe_of(text))}
        assert {site(construct) for construct in OF_CATS} <= found


def test_another_role_changes_no_draw_of_the_first() -> None:
    """All that happens to the agents of a role in the first world, on the interpreter and on the tick IR."""
    alone, both = universe_of(HOUSE), universe_of(HOUSE + DOG)
    before = lives(alone, Interpreter(alone, CPU), CATS)
    for backend in (Interpreter(both, CPU), Executed(both, Compilation.begin(both).program, "ir")):
        after = lives(both, backend, CATS + 3)
        for name, values in before.items():
            assert torch.equal(values, after[name]), name
    assert before["terminated"].any(0).sum() > 3
    assert before["cause"].unique().tolist() == [-1, 0, 1, 2, 3]


def lives(universe: Universe, backend: Backend, agents: int) -> dict[str, torch.Tensor]:
    """What becomes of the cats of the first world: [ticks, cats] by name."""
    buffers = allocate(universe, Shape(1, agents), CPU, None)
    backend.reset(buffers, Stream(5, 0))
    names = action_names(universe)
    chosen = [("WAIT", "USE_milk", "cat.PURR")[cat % 3] if cat < CATS else "WAIT" for cat in range(agents)]
    actions = torch.tensor([names.index(name) for name in chosen], dtype=torch.int32)
    rows = {meter.name: row for row, meter in enumerate(universe.meters) if not meter.name.startswith("dog.")}
    # The causes of the cats in file order, with their own numbers: 0 and 1 are deaths, 2 is a goal, 3 old age.
    causes = [number for number, cause in enumerate(universe.causes) if "dog" not in cause.name]
    numbers = torch.full((len(universe.causes) + 2,), -2)
    numbers[[*causes, len(universe.causes), -1]] = torch.tensor([*range(len(causes) + 1), -1])
    mews = report_names(universe).index("cat.mews")
    ticks = []
    for tick in range(TICKS):
        backend.step(buffers, actions, Stream(5, tick))
        found = {name: buffers.state["meters"][row] for name, row in rows.items()}
        found |= {name: buffers.outcome[name] for name in ("reward", "terminated")}
        found["cause"] = numbers[buffers.outcome["cause"].long()]
        found["mews"] = buffers.outcome["reports"][mews]
        ticks.append({name: values[:CATS].clone() for name, values in found.items()})
    return {name: torch.stack([tick[name] for tick in ticks]) for name in ticks[0]}
