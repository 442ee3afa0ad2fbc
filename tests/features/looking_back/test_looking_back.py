"""What looks back is what a plain loop over the recorded past gives, bit for bit; and worlds begin with values of their
own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

import hamlet
from hamlet.numbers.counters import WORLD_EPISODE_DRAWS
from hamlet.numbers.random import draw_words, share
from hamlet.package.module import Module
from hamlet.universe import DrawUniform, draws

TEXT = """
universe past
space none
clock 5 hours
lifespan 17 ticks
meter energy = uniform(0.2, 1) { decay 0.03 }
state tired  = false
state sky: clear dull wet = choice(clear, dull, wet)
world {
    meter stock = 6 in 0 .. 9
    state open = false
    rule swing: stock = if open then stock + 1 else stock - 1
    rule doors: open = if stock < 3 then true else open and lag(stock, 2) < 8
    rule slow:  stock += 0.5 * (smooth(stock, 0.25) - mean(stock, 3)) + 0.001 * since(open)
}
affordance Bed { instantly { energy += 0.2 } }
action JAB  { energy -= 0.05 }
action HOOK { energy -= 0.01 }
allow HOOK when lag(action == JAB, 1)
allow JAB when since(action == HOOK, 3) >= 3
allow WAIT when mean(energy, 2) > 0.5
rule sleepy: tired = energy < 0.5
rule turn:   sky = choice(clear, dull, wet)
report lag1:    lag(energy, 1)
report lag4:    lag(energy, 4)
report mean3:   mean(energy, 3)
report smooth:  smooth(energy, 0.3)
report since:   since(tired)
report jabbed:  since(action == JAB, 4)
report rose:    1 when rising(tired)
report fell:    1 when falling(energy < 0.4)
report used2:   1 when lag(used == Bed, 2)
report dull3:   1 when lag(sky, 3) == dull
report hours:   lag(hour, 2) + 10 * lag(age, 1)
reward energy
observe { meters  state  world }
"""
F = np.float32
LANES, TICKS = 12, 60


def past(first: object, seen: list[object], ticks: int) -> object:
    """What was so many ticks before the one that follows those that were seen."""
    return seen[-ticks] if ticks <= len(seen) else first


class Lane:
    """The past of a lane in one episode: what each rule left, in plain Python."""

    def __init__(self, energy: F, sky: int) -> None:
        self.first, self.sky = energy, sky
        self.energies: list[F] = []
        self.skies: list[int] = []
        self.tired: list[bool] = []
        self.actions: list[str] = []
        self.uses: list[bool] = []
        self.average = energy
        self.ticks = self.jabs = 0

    def tick(self, energy: F, sky: int, tired: bool, action: str, used: bool) -> list[float]:
        """The reports of a tick that leaves this. Energy is not changed after the rules."""
        number = len(self.energies)
        back = [past(self.first, self.energies, ticks) for ticks in (1, 2)]
        mean = F(F(F(energy + back[0]) + back[1]) / F(3)) if number else F(F(energy + F(self.first * F(2))) / F(3))
        self.average = F(self.average + F(F(0.3) * F(energy - self.average)))
        low = [e < F(0.4) for e in (self.first, *self.energies)]
        self.ticks = 0 if tired else self.ticks + 1
        never = 4 if number == 0 else self.jabs
        self.jabs = 0 if action == "JAB" else min(never + 1, 4)
        found = [
            back[0],
            past(self.first, self.energies, 4),
            mean,
            self.average,
            self.ticks,
            self.jabs,
            tired and not past(False, self.tired, 1),
            not energy < F(0.4) and low[-1],
            past(False, self.uses, 2),
            past(self.sky, self.skies, 3) == 1,
            (number - 2) % 5 + 10 * (number - 1) if number > 1 else 0,
        ]
        self.energies.append(energy)
        self.skies.append(sky)
        self.tired.append(tired)
        self.actions.append(action)
        self.uses.append(used)
        return [float(value) for value in found]


@pytest.fixture(scope="module")
def module(compiled: Callable[[str], Module]) -> Module:
    return compiled(TEXT)


@pytest.mark.parametrize("backend", ["interpreter", pytest.param("c", marks=pytest.mark.long)])
def test_reports_and_masks(module: Module, backend: str) -> None:
    env = hamlet.make(module, worlds=LANES, agents=1, backend=backend, seed=3, validate=True)
    env.reset()
    names, generator = env.action_names, np.random.default_rng(5)
    states: list[Lane | None] = [None] * LANES
    fired = np.zeros(11)
    for _ in range(TICKS):
        before = env.meter("energy").numpy().copy(), env.meter("sky").numpy().copy(), env.state["age"].numpy().copy()
        for lane in range(LANES):
            if before[2][lane] == 0:
                states[lane] = Lane(F(before[0][lane]), int(before[1][lane]))
        mask = env.action_mask.numpy()
        for lane, kept in enumerate(states):
            assert kept is not None
            last = kept.actions[-3:]
            assert mask[lane, names.index("HOOK")] == (last[-1:] == ["JAB"])
            assert mask[lane, names.index("JAB")] == ("HOOK" not in last[-2:])
            now, ago = F(before[0][lane]), past(kept.first, kept.energies, 1)
            assert mask[lane, names.index("WAIT")] == (F(F(now + ago) / F(2)) > F(0.5))
        actions = generator.integers(0, len(names), LANES)
        env.step(torch.tensor(actions, dtype=torch.int32))
        ended = (env.outcome["truncated"] | env.outcome["terminated"]).numpy()
        for lane, kept in enumerate(states):
            assert kept is not None
            if ended[lane]:  # its state is that of the next episode
                states[lane] = None
                continue
            rest = [bool(env.meter("tired")[lane]), names[actions[lane]], names[actions[lane]] == "INTERACT"]
            expected = kept.tick(F(env.meter("energy")[lane]), int(env.meter("sky")[lane]), *rest)
            found = env.outcome["reports"][:, lane].tolist()
            assert found == expected
            fired += np.array(expected) != 0
    assert (fired > 5).all(), fired


def test_the_past_of_a_world(module: Module) -> None:
    env = hamlet.make(module, worlds=4, agents=2, backend="interpreter", seed=4)
    env.reset()
    stock, first, average, is_open, since = F(6), F(6), F(6), False, 0
    seen: list[F] = []
    for tick in range(16):
        env.step(torch.full((8,), env.action_names.index("WAIT"), dtype=torch.int32))
        stock = F(min(stock + F(1), F(9))) if is_open else F(max(stock - F(1), F(0)))
        is_open = True if stock < 3 else is_open and past(first, seen, 2) < 8
        back = [past(first, seen, ticks) for ticks in (1, 2)]
        mean = F(F(F(stock + back[0]) + back[1]) / F(3)) if tick else F(F(stock + F(first * F(2))) / F(3))
        smooth = F(average + F(F(0.25) * F(stock - average)))
        passed = F(0) if is_open else F(since + 1)
        stock = F(stock + F(F(F(0.5) * F(smooth - mean)) + F(F(0.001) * passed)))
        stock = F(min(max(stock, F(0)), F(9)))
        average = F(average + F(F(0.25) * F(stock - average)))
        since = 0 if is_open else since + 1
        seen.append(stock)
        assert env.meter("stock").tolist() == [float(stock)] * 4
        assert env.meter("open").tolist() == [float(is_open)] * 4


TICKING = """
universe ticking
space grid 2 x 2
lifespan 17 ticks
meter calm = 0.5 { only read }
world {
    state fifths: int in 0 .. 9 = 0
    state late: int in 0 .. 9 = 0
    rule fives: every 5 ticks -> fifths += 1
    rule ends:  after 12 ticks -> late += 1
}
cells {
    meter moss = 0 in 0 .. 9
    meter dust = 0 in 0 .. 9
    rule grow:   every 5 ticks -> moss += 1
    rule settle: after 12 ticks -> dust += 1
}
reward fifths + late + moss + dust
observe { state  meters  cell moss dust }
"""


def test_a_world_counts_its_ticks(compiled: Callable[[str], Module]) -> None:
    for backend in ("interpreter", "c"):
        env = hamlet.make(compiled(TICKING), worlds=3, agents=2, backend=backend, seed=4)
        env.reset()
        for episode in range(2):
            for tick in range(1, 18):
                _, reward, _, truncated, _ = env.step(torch.zeros(6, dtype=torch.int32))
                fifths, late = tick // 5, max(tick - 12, 0)
                assert reward.tolist() == [2.0 * fifths + 2.0 * late] * 6, (backend, episode, tick)
            assert truncated.all()


BEGUN = """
universe begun_worlds
space none
lifespan 5 ticks
param wage = 0.25 in 0 .. 1
meter energy = 0.5 { decay 0.1 }
world {
    meter stock = 8 * wage + uniform(0, 2) in 0 .. 9
    meter crowd = agents in 0 .. 3
    state lucky = chance(0.5)
    rule use: stock -= 0.1 * count(true)
    rule fade: crowd -= 1
    rule turn: lucky = not lucky
}
affordance Pump { instantly { energy += 0.3 } }
reward energy
observe { meters  world  state }
"""
SEED = (11 << 32) + 5


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_worlds_begin_with_draws_of_their_own(compiled: Callable[[str], Module], backend: str) -> None:
    module = compiled(BEGUN)
    env = hamlet.make(module, worlds=40, agents=2, backend=backend, seed=SEED, first_world=2)
    env.reset()
    assert env.meter("crowd").tolist() == [2.0] * 40
    assert set(env.meter("lucky").tolist()) == {0.0, 1.0}
    site = next(draw.site for draw in draws(module.universe) if isinstance(draw, DrawUniform))
    for _ in range(2):
        worlds, episode = torch.arange(2, 42), int(env.state["episode"][0])
        word = draw_words(worlds, episode, site // 4, WORLD_EPISODE_DRAWS, (5, 11))[site % 4]
        base = 8 * env.params["wage"]
        assert torch.equal(env.meter("stock"), base + share(word) * 2.0)
        env.rollout(5)  # the lifespan: all worlds begin anew
        assert env.state["age"].max() == 0
    env.params["wage"][:] = 1.0
    env.reset()
    assert env.meter("stock").tolist() >= [8.0] * 40
    assert env.meter("stock").max() <= 9


def test_a_checkpoint_holds_what_states_can_hold(compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(BEGUN), worlds=3, agents=1, backend="interpreter", seed=SEED)
    env.reset()
    saved = env.state_dict()
    env.load_state_dict(saved)
    saved["state"]["world_meters"][2, 1] = 0.5
    with pytest.raises(hamlet.EnvError, match="lucky of the state must hold whole numbers"):
        env.load_state_dict(saved)


STAYS = """
universe stays
space grid 3 x 2 { starts anywhere }
meter energy = 1 { decay 0.1 }
cells {
    state burning = chance(0.5)
    meter warmth = uniform(0, 1)
    rule burns: burning = chance(0.5)
}
dies when energy <= 0
reward energy * total(warmth when burning) over cells
observe { meters }
"""


def test_a_checkpoint_holds_what_states_of_cells_can_hold(compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(STAYS), worlds=3, agents=1, backend="interpreter", seed=SEED)
    env.reset()
    saved = env.state_dict()
    saved["state"]["cell_meters"][7, 1] = 0.5
    env.load_state_dict(saved)
    saved["state"]["cell_meters"][4, 1] = 0.5
    with pytest.raises(hamlet.EnvError, match=r"burning\[1,1\] of the state must hold whole numbers"):
        env.load_state_dict(saved)


ILL = """
universe ill
space none
lifespan 9 ticks
state was: real in 0 .. 100 = 0
effect cold lasts 4 ticks { again stack up to 3 }
rule catches: age < 2 -> begin cold
rule looks: was = LOOKED
reward was
observe { state }
"""


@pytest.mark.parametrize(
    ("looked", "values"),
    [
        # Behind the rules of these ticks 4, 4, 3 and 2 are left, of 1, 2, 2 and 2 stacks; before them nothing.
        ("lag(left of cold, 1)", [0, 4, 4, 3]),
        ("lag(10 * stacks of cold, 1)", [0, 10, 20, 20]),
        ("mean(left of cold, 2)", [2, 4, 3.5, 2.5]),
        ("smooth(left of cold, 0.5)", [2, 3, 3, 2.5]),
    ],
)
def test_what_is_left_of_an_effect_is_looked_back_at(
    compiled: Callable[[str], Module], looked: str, values: list[float]
) -> None:
    """The rule is there: where an effect's numbers lie is known before its rule is."""
    module, seen = compiled(ILL.replace("LOOKED", looked)), list[float]()
    env = hamlet.make(module, worlds=1, seed=0, backend="interpreter")
    for _ in values:
        env.rollout(1)
        seen.append(float(env.meter("was")[0]))
    assert seen == values
