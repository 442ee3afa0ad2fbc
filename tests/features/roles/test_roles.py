"""Roles mean what is written out by hand, for agents with these numbers; a program is told what is whose."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet import EnvError, schema
from hamlet.backend.protocol import Stream
from hamlet.env.environment import Env
from hamlet.universe.codec import from_json, to_json
from hamletc.compile import check
from hamletc.diagnostics import Diagnostic
from hamletc.errors import SourceError
from hamletc.frontend import Stopwatch
from hamletc.language.formatter import format_source
from hamletc.read import read_universe
from samples import ROLES, sample, universe_of
from samples.by_hand import Player

HEAD = """universe farm
space grid 5 { starts anywhere }
lifespan 10 ticks
meter energy = 1 { decay 0.09375 }
affordance Hay at (2) { instantly { energy += 0.25  HAY } }
dies when energy <= 0
reward 0.5
"""
WITH_ROLES = (
    HEAD.replace("HAY", "wool += 0.25  wolf.fear = 0.5")
    + """
role wolf: 2 agents {
    meter hunger = 0.5 { decay -0.0625  move -0.03125 }
    meter fear = 0.25
    let hungry = hunger > 0.6
    action HOWL { needs hunger < 0.9  fear += 0.125 }
    rule haste: hungry -> energy -= 0.0625 * uniform(0, 1)
    rule calm: fear -= 0.0625
    cascade weak: energy < 0.5 -> hunger += 0.125 * deficit
    affordance Den at (4) { instantly { hunger -= 0.25 } }
    allow LEFT when hungry
    allow all when energy > 0.125
    dies when hunger >= 1 or fear >= 0.5
    reward 1 - hunger
    report howls: count(action == HOWL)
}
role sheep: others {
    meter wool = uniform(0, 0.5) { decay -0.0625 }
    rule haste: count(wolf and here == Hay) > 0 -> wool -= 0.125
    reward fleece: wool
    ends when wool >= 0.7 { reward 2 }
}
rule shear: sheep and wool > 0.75 -> { wool -= 0.25  energy += 0.0625 }
observe { meters  position relative }
"""
)
"""All that a role can have, but its own observations."""
BY_HAND = (
    HEAD.replace("HAY", "`sheep.wool` += 0.25 when agent >= 2  `wolf.fear` = if agent < 2 then 0.5 else `wolf.fear`")
    + """
meter `wolf.hunger` = 0.5 { decay (-0.0625 when agent < 2)  move (-0.03125 when agent < 2) }
meter `wolf.fear` = 0.25
action `wolf.HOWL` { needs agent < 2 and `wolf.hunger` < 0.9  `wolf.fear` += 0.125 }
rule `wolf.haste`: agent < 2 and `wolf.hunger` > 0.6 -> energy -= 0.0625 * uniform(0, 1)
rule `wolf.calm`: agent < 2 -> `wolf.fear` -= 0.0625
cascade `wolf.weak`: energy < 0.5 -> `wolf.hunger` += 0.125 * deficit when agent < 2
affordance `wolf.Den` at (4) { needs agent < 2  instantly { `wolf.hunger` -= 0.25 } }
allow LEFT when agent >= 2 and position x > 0 or agent < 2 and `wolf.hunger` > 0.6
allow all when agent >= 2 or energy > 0.125
dies when agent < 2 and `wolf.hunger` >= 1 or agent < 2 and `wolf.fear` >= 0.5
reward 1 - `wolf.hunger` when agent < 2
report `wolf.howls`: count(action == `wolf.HOWL`) when agent < 2
meter `sheep.wool` = uniform(0, 0.5) { decay (-0.0625 when agent >= 2) }
rule `sheep.haste`: agent >= 2 and count(agent < 2 and here == Hay) > 0 -> `sheep.wool` -= 0.125
reward `sheep.fleece`: `sheep.wool` when agent >= 2
ends when agent >= 2 and `sheep.wool` >= 0.7 { reward 2 }
rule shear: agent >= 2 and `sheep.wool` > 0.75 -> { `sheep.wool` -= 0.25  energy += 0.0625 }
observe { meters energy  position relative }
""".replace("reward 1 - `wolf.hunger` when", "reward (1 - `wolf.hunger`) when")
)


def test_roles_are_what_is_written_out_by_hand() -> None:
    ours, theirs = (Player(universe_of(text), worlds=24, agents=5, seed=3) for text in (WITH_ROLES, BY_HAND))
    assert schema.action_names(ours.universe) == schema.action_names(theirs.universe)
    generator = torch.Generator().manual_seed(1)
    names = schema.action_names(ours.universe)
    for tick in range(1, 61):
        drawn = torch.randint(0, len(names), (ours.buffers.shape.lanes,), generator=generator)
        actions = [names[number] for number in drawn]
        for player in (ours, theirs):
            player.do(actions)
            player.stream = Stream(3, tick)
        for left, right in ((ours.buffers.state, theirs.buffers.state), (ours.buffers.outcome, theirs.buffers.outcome)):
            for name, values in left.items():
                assert torch.equal(bits(values), bits(right[name])), name
        assert torch.equal(ours.buffers.mask, theirs.buffers.mask)
        assert torch.equal(ours.buffers.observation, theirs.buffers.observation)
    fired = ours.coverage.counts
    assert all(fired.values()), [name for name, count in fired.items() if not count]


def test_backticks_without_need_name_no_cause_of_a_role() -> None:
    text = WITH_ROLES.replace("dies when hunger >= 1", "dies when chance(`hunger` / 8)")
    formatted, _ = format_source(text)
    assert "`hunger`" in text
    assert "`hunger`" not in formatted
    names, again = ([cause.name for cause in universe_of(each).causes] for each in (text, formatted))
    assert names == again
    assert "wolf and chance(wolf.hunger / 8)" in names


def bits(values: torch.Tensor) -> torch.Tensor:
    return values.view(torch.int32) if values.is_floating_point() else values


def test_meters_and_actions_of_another_role_stand_still() -> None:
    player = Player(universe_of(WITH_ROLES), worlds=2, agents=4)
    player.do(*["wolf.HOWL"] * 3)
    fear, wool = (player.meter(name).reshape(2, 4) for name in ("wolf.fear", "sheep.wool"))
    assert (fear[:, :2] != 0.25).all()
    assert (fear[:, 2:] == 0.25).all()
    began = Player(universe_of(WITH_ROLES), worlds=2, agents=4).meter("sheep.wool").reshape(2, 4)
    assert (wool[:, :2] == began[:, :2]).all()
    assert (wool[:, 2:] != began[:, 2:]).all()
    howl = schema.action_names(player.universe).index("wolf.HOWL")
    assert player.buffers.mask[howl].reshape(2, 4).tolist() == [[True, True, False, False]] * 2


# --- what is observed ------------------------------------------------------------------------------------------------

SEEING = """universe seeing
space grid 4 x 3 { starts anywhere }
param p = 3 in 0 .. 4
meter energy = 1 { decay 0.1 }
role sheep: others {
    meter wool = 0.5 in 0 .. 2 { decay -0.1 }
    observe { window 1  meters }
}
role wolf: 2 agents {
    meter hunger = 0.25 { decay -0.1 }
    observe { params  meters  position absolute  constant -5 5 }
}
role owl: 1 agent
affordance Barn at random { instantly { energy += 0.1 } }
reward energy + wool + hunger
observe { meters  here }
"""


def test_each_role_has_its_own_rows() -> None:
    universe = universe_of(SEEING)
    player = Player(universe, worlds=2, agents=5)
    player.do("WAIT")
    seen = player.buffers.observation.reshape(-1, 2, 5)
    assert len(seen) == schema.observation_rows(universe) == 3 + 10
    wolves, owl, sheep = seen[:, :, :2], seen[:, :, 2:3], seen[:, :, 3:]
    energy, hunger, wool = (
        torch.from_numpy(player.meter(name)).reshape(2, 5) for name in ("energy", "wolf.hunger", "sheep.wool")
    )
    assert torch.equal(seen[0], energy)
    assert torch.equal(wolves[3], torch.full((2, 2), 3.0))
    assert torch.equal(wolves[4], hunger[:, :2])
    x, y = torch.from_numpy(player["position"]).reshape(2, 2, 5)[:, :, :2].float()
    assert torch.equal(wolves[5], x)
    assert torch.equal(wolves[6], y)
    assert (wolves[7] == -5).all()
    assert (wolves[8] == 5).all()
    assert (wolves[9:] == 0).all()
    assert torch.equal(sheep[12], wool[:, 3:])
    assert set(sheep[3:12].unique().tolist()) <= {0.0, 1.0}
    assert (owl[3:] == 0).all()
    # As bytes a row has the range of what all roles have there, and of the zeros.
    ranges = [(s.scale.low, s.scale.high) for s in schema.observation_segments(universe) for _ in range(s.count)]
    wanted = [(0, 4), (0, 1), (0, 3), (0, 2), (-5, 5), (-5, 5), (0, 1), (0, 1), (0, 1), (0, 2)]
    assert ranges[3:] == [(float(low), float(high)) for low, high in wanted]


def test_rows_have_the_names_of_all_roles() -> None:
    universe = universe_of(SEEING)
    names = schema.observation_names(universe)
    assert names[3:5] == ("param.p/window[-1,-1]", "meter.wolf.hunger/window[0,-1]")
    assert names[-1] == "meter.sheep.wool"
    assert len(set(names)) == len(names)
    assert [role.name for role in universe.roles or ()] == ["wolf", "owl", "sheep"]


# --- what a program is told ------------------------------------------------------------------------------------------


def make(text: str, folder: Path, **arguments: object) -> Env:
    path = folder / "seeing.hamlet"
    path.write_text(text)
    module = hamlet.compile(path, folder / "package")
    return hamlet.make(module, backend="interpreter", **arguments)  # type: ignore[arg-type]


def test_an_environment_says_what_is_whose(tmp_path: Path) -> None:
    text = SEEING.replace("role owl: 1 agent", "role owl: 1 agent { action HOOT { energy += 0.1 } }")
    env = make(text, tmp_path, worlds=3)
    assert env.num_agents == 4
    wolf, owl, sheep = env.roles.values()
    assert [*env.roles] == ["wolf", "owl", "sheep"]
    assert (wolf.agents, owl.agents, sheep.agents) == (range(2), range(2, 3), range(3, 4))
    assert wolf.lanes.tolist() == [0, 1, 4, 5, 8, 9]
    assert owl.action_names[-1] == "owl.HOOT"
    assert "owl.HOOT" not in wolf.action_names
    assert [env.action_names[number] for number in wolf.action_numbers] == list(wolf.action_names)
    assert wolf.meter_names == ("energy", "wolf.hunger")
    assert wolf.observation_names[3:5] == ("param.p", "meter.wolf.hunger")
    assert len(wolf.observation_names) == 9
    assert sum(segment.count for segment in sheep.observation_segments) == 13
    assert owl.observation_names == env.observation_names[:3]
    assert make(text, tmp_path, worlds=2, agents=6).roles["sheep"].agents == range(3, 6)


@pytest.mark.parametrize(
    ("text", "agents", "problem"),
    [
        (SEEING, 3, "a world of seeing has at least 4 agents (2 wolf, 1 owl, the other sheep), not 3"),
        (SEEING, 1025, "a world with roles has at most 1024 agents, not 1025"),
        (SEEING.replace("others", "1 agent"), 5, "a world of seeing has 4 agents (2 wolf, 1 owl, 1 sheep), not 5"),
    ],
)
def test_other_numbers_of_agents_are_refused(text: str, agents: int, problem: str, tmp_path: Path) -> None:
    with pytest.raises(EnvError, match=re.escape(problem.replace("2 wolf, 1 owl, 1 sheep", "1 sheep, 2 wolf, 1 owl"))):
        make(text, tmp_path, agents=agents)


# --- texts -----------------------------------------------------------------------------------------------------------


def test_a_universe_over_another_changes_roles_part_by_part(tmp_path: Path) -> None:
    (tmp_path / "farm.hamlet").write_text(WITH_ROLES)
    (tmp_path / "parts.hamlet").write_text(
        "template Loud(who, much) { role who { action ROAR { energy -= much } } }\n"
        "role wolf { rule more: wolf.hunger += 0.01 }\n"
    )
    path = tmp_path / "hard.hamlet"
    path.write_text(
        'universe hard extends "farm.hamlet"\n'
        "without rule sheep.haste\n"
        "without meter wolf.fear\nwithout rule wolf.calm\nwithout action wolf.HOWL\nwithout report wolf.howls\n"
        "without dies\n"
        "override affordance Hay at (1) { instantly { energy += 0.5  wool += 0.25 } }\n"
        "override role wolf: 3 agents\n"
        "override role wolf { meter hunger = 0.75 { decay -0.1 } }\n"
        'include "parts.hamlet"\nuse Loud(sheep, 0.125)\n'
    )
    problems = diagnostics(path)
    # A cause of the wolves asks for the meter that is left out.
    assert [each.message for each in problems] == ["there is no `fear`"]
    text = (tmp_path / "farm.hamlet").read_text().replace(" or fear >= 0.5", "")
    (tmp_path / "farm.hamlet").write_text(text)
    universe = check(read_universe(path, Stopwatch())).universe
    wolf, sheep = universe.roles or ()
    assert (wolf.first, wolf.agents, sheep.first, sheep.agents) == (0, 3, 3, None)
    assert wolf.meters == ("wolf.hunger",)
    assert wolf.actions == ()
    assert sheep.actions == ("sheep.ROAR",)
    assert next(meter.start for meter in universe.meters if meter.name == "wolf.hunger") == 0.75
    assert {item.name for item in universe.dynamics} == {"wolf.haste", "wolf.weak", "shear", "wolf.more"}


def diagnostics(path: Path) -> list[Diagnostic]:
    with pytest.raises(SourceError) as caught:
        check(read_universe(path, Stopwatch()))
    return errors(caught.value)


def test_templates_stand_in_roles() -> None:
    text = """universe shared
space none
meter energy = 1 { decay 0.1 }
template Need(need, pace) {
    meter need = 0.5 { decay pace }
    dies when need <= 0
}
role cat: 1 agent { use Need(milk, 0.1) }
role dog: 2 agents { use Need(milk, 0.2)  use Need(walk, 0.05)  reward milk }
reward energy
observe { meters }
"""
    universe = universe_of(text.replace("reward milk", "reward milk  observe { meters }"))
    assert [meter.name for meter in universe.meters] == ["energy", "cat.milk", "dog.milk", "dog.walk"]
    assert [cause.name for cause in universe.causes] == [
        "cat and cat.milk <= 0", "dog and dog.milk <= 0", "dog and dog.walk <= 0",
    ]  # fmt: skip


def test_one_role_is_everybody() -> None:
    text = "universe one\nspace none\nlet n = 2\nmeter energy = 1 { decay 0.1 }\nreward energy\nobserve { meters }\n"
    universe = universe_of(f"{text}role cat: n agents {{ rule play: energy -= 0.1  dies when energy < 0.1 }}\n")
    assert [rule.guard for rule in universe.dynamics] == [None]  # type: ignore[union-attr]
    assert universe.causes[0].name == "energy < 0.1"


def test_texts_and_files_say_the_same() -> None:
    text = (Path(__file__).parents[2] / "samples" / "universes" / "meeting" / f"{ROLES}.hamlet").read_text()
    assert format_source(text)[0] == text
    universe = sample(ROLES)
    assert repr(from_json(to_json(universe))) == repr(universe)


# --- mistakes --------------------------------------------------------------------------------------------------------

ROLE_A = "role a: 1 agent { meter m = 0.5 { decay 0.1 }  action ACT { m += 0.2 }  dies when m <= 0 }\n"
ROLE_B = "role b: others { meter k = 0.5 { decay 0.1 }  dies when k <= 0 }\n"


def mistakes(text: str) -> list[str]:
    """The errors of a text."""
    whole = f"universe wrong\nspace none\nmeter energy = 1 {{ decay 0.1 }}\nreward energy\nobserve {{ meters }}\n{text}"
    try:
        universe_of(whole)
    except SourceError as error:
        return [f"{each.code} {each.message}" for each in errors(error)]
    return []


def errors(error: SourceError) -> list[Diagnostic]:
    return [each for each in error.diagnostics if each.severity == "error"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("role a: 0 agents\nrole b: others\n", "H210 a role without agents"),
        ("role a: 1023 agents\nrole b: 2 agents\n", "H210 these roles have 1025 agents together"),
        ("role a: 1024 agents\nrole b: others\n", "H210 these roles have 1024 agents together"),
        ("role a: 1025 agents\n", "H033 the number of agents of a role must be 1 .. 1024"),
        ("role a: 1.5 agents\nrole b: others\n", "H032 the number of agents of a role must be a whole number"),
        ("role a: others\nrole b: others\n", "H211 two roles take all other agents"),
        ("role a: 1 agent\nrole a: 2 agents\n", "H022 the role `a` is declared twice"),
        ("role a { rule r: energy -= 0.1 }\n", "H212 it is not said how many agents are of the role `a`"),
        (f"{ROLE_A}{ROLE_B}meter a.x = 1 {{ decay 0.1 }}\n", "H212 `a.x` is declared outside of its role"),
        (f"{ROLE_A}role b: others {{ rule r: energy -= m }}\n", "H213 agents of the role `b` have no meter `m`"),
        (f"{ROLE_A}{ROLE_B}rule r: b and m > 0.5 -> energy -= 0.1\n", "H213 agents of the role `b` have no meter `m`"),
        (f"{ROLE_A}role b: others {{ rule r: m -= 0.1 }}\n", "H213 agents of the role `b` have no meter `m`"),
        (
            f"{ROLE_A}role b: others {{ allow ACT when energy > 0.5 }}\n",
            "H213 agents of the role `b` have no action `ACT`",
        ),
        (
            f"{ROLE_A}{ROLE_B.replace('k', 'm')}rule r: m > 0.5 -> energy -= 0.1\n",
            "H214 several roles have `m`",
        ),
        (
            f"{ROLE_A}role b: others {{ meter energy = 1 }}\n",
            "H022 `energy` of the role `b` has the name of what all agents have",
        ),
        (f"{ROLE_A}{ROLE_B}let a = 0.5\n", "H022 the name `a` is declared twice"),
        (f"{ROLE_A}role b: others {{ reward nothing }}\n", "H215 `reward nothing` is said of all agents"),
        (
            f"template T(n) {{ param n = 1 in 0 .. 2 }}\n{ROLE_A}role b: others {{ use T(p) }}\n",
            "H215 `T` declares what a role cannot have",
        ),
        (f"{ROLE_A}{ROLE_B}reward shaping(1.5, energy)\n", "H216 a discount is above 0 and at most 1"),
        (
            f"{ROLE_A}{ROLE_B}clock 4 hours\nreward shaping(0.9, hour)\n",
            "H216 a potential cannot ask for what changes between ticks",
        ),
        (f"{ROLE_A}{ROLE_B}reward shaping(0.9)\n", "H030 `shaping` takes two arguments"),
        (f"{ROLE_A}{ROLE_B}reward shaping(0.9, count(a))\n", "H093 `count` cannot stand here"),
        (f"{ROLE_A}{ROLE_B}reward 2 * shaping(0.9, energy)\n", "H020 there is no `shaping`"),
        (f"{ROLE_A}{ROLE_B}world ends when chance(0.1)\n", "H217 nothing is drawn for the end of a world"),
        (f"{ROLE_A}{ROLE_B}world ends when energy < 0.5\n", "H092 `energy` is another for each agent"),
        (f"{ROLE_A}{ROLE_B}world {{ meter s = 1  rule r: s -= 0.1 when a }}\n", "H092 `a` is another for each agent"),
        (f"{ROLE_A}{ROLE_B}rule r: c and energy > 0.5 -> energy -= 0.1\n", "H020 there is no `c`"),
        (f"{ROLE_A}{ROLE_B}rule r: a.k > 0.5 -> energy -= 0.1\n", "H020 there is no `a.k`"),
        (f"{ROLE_A}{ROLE_B}ends when energy < 0.5 {{ reward 0 }}\n", "H064 a reward of 0 has no effect"),
        (f"{ROLE_A}{ROLE_B}reward shaping(0.9, 0.5)\n", "H064 this potential is always the same"),
        ("rule r: wolf.hunger > 0.5 -> energy -= 0.1\n", "H004 `.` means nothing between names"),
    ],
)  # fmt: skip
def test_a_mistake_is_said_once(text: str, wanted: str) -> None:
    assert mistakes(text) == [wanted]


def test_meters_of_a_role_are_observed_by_its_agents() -> None:
    text = f"{ROLE_A}{ROLE_B}".replace("meter k", "observe { meters k }  meter k")
    assert mistakes(text) == []
    whole = f"universe wrong\nspace none\nmeter energy = 1 {{ decay 0.1 }}\nreward energy\n{ROLE_A}{ROLE_B}"
    with pytest.raises(SourceError, match="only agents of the role `a` have a meter `m`"):
        universe_of(f"{whole}observe {{ meters m }}\n")


@pytest.mark.parametrize("name", ["__import__('os')", '"""', "{x}", "a b", "if"])
def test_names_of_roles_reach_no_code(name: str, tmp_path: Path) -> None:
    text = SEEING.replace("wolf", f"`{name}`").replace("hunger", f"`{name} too`")
    env = make(text, tmp_path)
    env.step([0] * 4)
    assert f"{name}.{name} too" in env.roles[name].meter_names[1]
