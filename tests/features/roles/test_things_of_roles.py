"""Things that only agents of a role carry, slots of roles, and how many lie on a cell in each world."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import pytest
import torch

import hamlet
from hamlet.package.module import Module
from hamletc.checking.check import check
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse

SMITHS = """universe smiths

space grid 3 x 3
lifespan forever

param heap = 2.5 in 1 .. 9

slots 2

item wood {
    lying 4 when position x > 0
    up to heap
    can pick drop give
}

meter energy = 1 { only falls }

role smith: 2 agents {
    slots 5
    item axe {
        carried 1
        wear 3
        craft from 2 wood
        can pick drop
    }
    action STRIKE { needs axe > 0  wear axe }
    reward axe + 0.1 * wear of axe
    observe { items  cell axe }
}
role peasant: others {
    reward energy
    rule tired: wood > 1 -> energy -= 0.01
}

reward 0.1 * wood
report struck:  1 when action == STRIKE
report crafted: 1 when action == CRAFT_axe
observe { position relative  items  meters }
"""


MINERS = """universe miners

space grid 3 x 3
lifespan forever

slots 2

template Works(ore, tool) {
    item ore {
        lying 9
        can pick drop
    }
    item tool {
        craft from 2 ore
    }
    reward tool
}

role miner: 2 agents {
    use Works(iron, pick_axe)
}
role smith: 1 agent {
    slots 4
    use Works(coal, hammer)
    observe { items }
}

observe { position relative }
"""


def codes(text: str) -> list[str]:
    file, problems = parse(text)
    assert file is not None
    assert not problems
    return [found.code for found in check(file, ("smiths.hamlet",))[1]]


def test_a_role_has_things_and_slots_of_its_own(compiled: Callable[..., Module]) -> None:
    env = hamlet.make(compiled(SMITHS), worlds=30, agents=5, backend="interpreter", seed=3, quiet=True)
    smiths = torch.arange(150) % 5 < 2
    heaps = 1 + torch.arange(30) % 4
    env.reset(params={"heap": heaps + 0.5})
    assert torch.equal(env.meter("smith.axe"), smiths.float())
    acts = {name: env.action_names.index(name) for name in env.action_names}
    drawn = torch.Generator().manual_seed(1)
    happened = dict.fromkeys(("gift", "struck", "crafted", "dropped", "worn out", "more than others"), 0)

    def wood() -> torch.Tensor:
        return env.meter("lying of wood").sum(dim=0) + env.meter("wood").reshape(30, 5).sum(dim=1)

    for _ in range(250):
        # What the masks say, and sometimes anything: what an agent cannot do has no effect.
        likely = env.action_mask.float() + 0.02
        actions = torch.multinomial(likely, 1, generator=drawn).flatten().to(torch.int32)
        able = env.action_mask.gather(1, actions.long().unsqueeze(1)).flatten()
        before = {name: env.meter(name).clone() for name in ("wood", "smith.axe", "wear of smith.axe")}
        all_wood, axes = wood(), before["smith.axe"].sum() + env.meter("lying of smith.axe").sum()
        env.step(actions)
        crafts = able & (actions == acts["smith.CRAFT_axe"])
        struck = able & (actions == acts["smith.STRIKE"])
        broken = struck & (before["wear of smith.axe"] == 2)
        assert torch.equal(wood(), all_wood - 2 * crafts.reshape(30, 5).sum(dim=1))
        assert (
            env.meter("smith.axe").sum() + env.meter("lying of smith.axe").sum() == axes + crafts.sum() - broken.sum()
        )
        for name in ("smith.axe", "wear of smith.axe"):
            assert (env.meter(name)[~smiths] == 0).all()
        assert (env.meter("wood")[~smiths] <= 2).all()
        assert (env.meter("wood") + env.meter("smith.axe") <= 5).all()
        assert (env.meter("lying of wood") <= heaps).all()
        happened["gift"] += int(((env.meter("wood") > before["wood"]) & (actions == acts["WAIT"])).sum())
        happened["struck"] += int(struck.sum())
        happened["crafted"] += int(crafts.sum())
        happened["worn out"] += int(broken.sum())
        happened["dropped"] += int((env.meter("lying of smith.axe") > 0).any())
        happened["more than others"] += int((env.meter("wood")[smiths] > 2).any())
    assert all(happened.values()), happened
    assert not env.action_mask.reshape(30, 5, -1)[:, 2:, acts["smith.PICK_axe"]].any()
    assert env.roles["peasant"].action_names == env.action_names[: acts["GIVE_wood"] + 1]
    assert env.roles["smith"].observation_names[-3:] == (
        "state.smith.axe",
        "state.wear of smith.axe",
        "cell.lying of smith.axe",
    )
    assert "state.wood" in env.roles["peasant"].observation_names


def test_slots_outside_are_for_roles_without_their_own(compiled: Callable[..., Module]) -> None:
    env = hamlet.make(compiled(MINERS), worlds=20, backend="interpreter", seed=1, quiet=True)
    env.reset()
    picks = [env.action_names.index(name) for name in ("miner.PICK_iron", "miner.PICK_iron", "smith.PICK_coal")]
    most = torch.zeros(3)
    for _ in range(9):
        env.step(torch.tensor(picks * 20, dtype=torch.int32))
        carried = env.meter("miner.iron") + env.meter("smith.coal")
        most = torch.maximum(most, carried.reshape(20, 3).amax(dim=0))
    assert most.tolist() == [2, 2, 4]
    assert env.roles["smith"].observation_names[-2:] == ("state.smith.coal", "state.smith.hammer")


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("observe { position", "observe { items  position", ["H064"]),
        ("observe { items", "observe { items coal", []),
        ("observe { items", "observe { items coke", ["H020"]),
        ("slots 2\n", "", ["H230"] * 2),
        ("    slots 4\n", "", []),
    ],
)
def test_slots_and_what_is_observed(old: str, new: str, found: list[str]) -> None:
    assert MINERS.count(old) == 1
    assert codes(MINERS.replace(old, new)) == found


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("slots 2\n", "", []),  # who is no smith carries nothing
        ("    slots 5\n", "", []),
        ("        can pick drop\n", "        can give\n", ["H250"]),
        ("    slots 5\n", "    slots 0\n", ["H235"]),
        ("slots 2\n", "slots 2  slots 3\n", ["H024"]),
        ("    slots 5\n", "    slots 5  slots 6\n", ["H024"]),
        ("rule tired: wood > 1", "rule tired: axe > 1", ["H213"]),
        ("observe { position relative  items", "observe { position relative  items axe", ["H213"]),
        ("up to heap", "up to 2 * heap", ["H235"]),
        ("up to heap", "up to heaps", ["H235"]),
        ("meter energy = 1 { only falls }\n", "meter energy = 1 { only falls }  rule all: axe += 1\n", []),
        ("meter energy = 1 { only falls }\n", "meter energy = 1 { only falls }  rule all: axe = 1\n", ["H233"]),
        ("craft from 2 wood", "craft from 2 woods", ["H020"]),
        ("        carried 1\n", "", []),
        ("wear axe }", "wear wood }", ["H236"]),
    ],
)
def test_what_is_wrong_with_them(old: str, new: str, found: list[str]) -> None:
    assert SMITHS.count(old) == 1
    assert codes(SMITHS.replace(old, new)) == found


def test_they_are_formatted() -> None:
    for text in (SMITHS, MINERS):
        assert format_source(text)[0] == text


def test_names_of_things_of_roles_reach_nothing_but_names(compiled: Callable[..., Module]) -> None:
    hostile = SMITHS.replace("CRAFT_axe", "`CRAFT_'); raise #`")
    hostile = hostile.replace("item axe", "item `'); raise #`").replace("wear axe", "wear `'); raise #`")
    hostile = hostile.replace("wear of axe", "wear of `'); raise #`").replace("axe > 0", "`'); raise #` > 0")
    hostile = hostile.replace("reward axe", "reward `'); raise #`").replace("cell axe", "cell `'); raise #`")
    made = compiled(hostile, "triton").sources
    assert not any(isinstance(node, ast.Raise) for node in ast.walk(ast.parse(made["triton_kernels.py"])))
    in_c = re.sub(r"/\*.*?\*/", "", made["c_kernels.c"].decode(), flags=re.DOTALL)
    assert not re.search(r"\braise\b", in_c)
