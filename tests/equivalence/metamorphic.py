"""Changes that must not change a bit: shards, permutations, batch sizes, launches, checkpoints, names, a weak cascade.
`python metamorphic.py FOLDER [CHECK ...]` runs all, or some, on Triton's interpreter.

A program of its own, because Triton decides when it is imported whether kernels run on its interpreter.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from string import Template

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet.telemetry import Record
from on_interpreter import interpret

POND = Template("""
universe $pond
space grid 4 x 3 { edges bounce }
moves { $NORTH (0, -1)  $EAST (1, 0)  $SOUTH (0, 1)  $WEST (-1, 0)  $LEAP (2, 1) }
clock 6 hours
lifespan 30 ticks { reward 1.0 }
track uses by world
$declared
param $chill = 0.04 in 0 .. 1
input $wind = 0.25 in -1 .. 1
meter $warmth = 0.9 { decay $chill }
meter $food   = 0.5 { decay 0.03  move 0.01 }
rule $gust: $warmth -= 0.01 * $wind
cascade $hunger: $food < 0.3 -> $warmth -= 0.02 * deficit
$cascade
affordance $Fire at random { instantly { $warmth += 0.3 } }
affordance $Reeds at (0, 0) open 1 .. 5 lasts 2 ticks { on completion { $food += 0.5 } }
action $DRIFT { needs $food > 0.1  $food -= 0.01  move (1, 1) }
allow $DRIFT when $food > 0.1
dies when $warmth <= 0 or $food <= 0
reward $sun: $warmth * $food
reward 0.01 * streak of $Fire
report $cold: 0.01 * distance to $Fire
observe { grid  meters  time  progress  here $Fire nothing  params }
""")

NAMES = (
    *("pond", "NORTH", "EAST", "SOUTH", "WEST", "LEAP", "chill", "wind", "warmth", "food", "gust", "hunger", "Fire"),
    *("Reeds", "DRIFT", "sun", "cold"),
)
PLAIN = {name: name for name in NAMES} | {"declared": "", "cascade": ""}
ODD = (
    *("lane", "STAY", "tick_", "where", "tl", "action", "f32", "lambda", "np", "float32", "self", "`{x}`", "`a b`"),
    *("`Fire`", "REST", "`#`", "reward_"),
)
"""Words of the language, of Python, of generated code, and no words at all; one for each name."""
RENAMED = PLAIN | dict(zip(NAMES, ODD, strict=True))
WEAK = PLAIN | {
    "declared": "param strength = 0 in 0 .. 1",
    "cascade": "cascade weak: warmth < 0.5 -> food -= strength * deficit",
}


WORLDS = 200


class Ponds:
    """Compiles variants of the pond into a folder, each once, and makes environments of them.

    Attributes:
        ticks: enough for several episodes.
    """

    ticks = 35

    def __init__(self, folder: Path, backend: str) -> None:
        self.backend = backend
        self._folder = folder
        self._modules: dict[str, Module] = {}

    def make(
        self,
        names: dict[str, str],
        worlds: int,
        agents: int = 1,
        seed: int = 5,
        first_world: int = 0,
        backend: str | None = None,
        autoreset: str = "same_step",
    ) -> Env:
        text = POND.substitute(names)
        if text not in self._modules:
            folder = self._folder / str(len(self._modules))
            folder.mkdir(parents=True)
            (folder / "pond.hamlet").write_text(text)
            self._modules[text] = hamlet.compile(folder / "pond.hamlet", folder / "package")
        return hamlet.make(
            self._modules[text],
            worlds=worlds,
            agents=agents,
            device="cpu",
            backend=backend or self.backend,
            seed=seed,
            first_world=first_world,
            autoreset=autoreset,
        )


Bits = dict[str, torch.Tensor]


def bits(env: Env) -> Bits:
    """All that an environment holds, floats as the integers of their bits; the last dimension is lanes, or worlds."""
    assert env.observation is not None
    observed = {"observation": env.observation.T.contiguous(), "mask": env.action_mask.T}
    arrays = {**env.state, **env.outcome, **observed}
    return {name: a.clone().view(torch.int32) if a.is_floating_point() else a.clone() for name, a in arrays.items()}


def assert_same(left: Bits, right: Bits) -> None:
    assert left.keys() == right.keys()
    for name in left:
        assert torch.equal(left[name], right[name]), name


def eventful(env: Env) -> None:
    """Comparisons of runs in which nothing happened would show nothing."""
    assert int(env.state["episode"].max()) > 0


def random_actions(env: Env, ticks: int) -> torch.Tensor:
    """Actions, i32 [ticks, lanes]."""
    generator = torch.Generator().manual_seed(1)
    lanes = env.state["age"].shape[0]
    return torch.randint(0, env.num_actions, (ticks, lanes), generator=generator, dtype=torch.int32)


def shards(ponds: Ponds) -> None:
    """Batches of other sizes hold parts of the same worlds."""
    for agents in (1, 3):
        whole = ponds.make(PLAIN, 300, agents)
        whole.rollout(ponds.ticks)
        eventful(whole)
        parts = []
        for first, worlds in ((0, 1), (1, 99), (100, 200)):
            shard = ponds.make(PLAIN, worlds, agents, first_world=first)
            shard.rollout(ponds.ticks)
            parts.append(bits(shard))
        assert_same(bits(whole), {name: torch.cat([part[name] for part in parts], dim=-1) for name in parts[0]})


def permuted(ponds: Ponds, agents: int, worlds_move: bool) -> None:
    """Worlds, or the agents of a world, in another order from some tick on, as long as no episode ends."""
    generator = torch.Generator().manual_seed(2)
    plain, other = (ponds.make(PLAIN, WORLDS, agents) for _ in range(2))
    before, after = random_actions(plain, 3), random_actions(plain, 7)
    for env in (plain, other):
        env.rollout(len(before), before)
    worlds = torch.randperm(WORLDS, generator=generator) if worlds_move else torch.arange(WORLDS)
    order = torch.arange(agents).flip(0) if not worlds_move else torch.arange(agents)
    lanes = (worlds.unsqueeze(1) * agents + order).reshape(-1)
    columns = {WORLDS: worlds, WORLDS * agents: lanes}

    def moved(array: torch.Tensor) -> torch.Tensor:
        return array[..., columns[array.shape[-1]]]

    for array in other.state.values():
        array.copy_(moved(array.clone()))
    plain.rollout(len(after), after)
    other.rollout(len(after), moved(after))
    assert int(plain.state["episode"].max()) == 0
    assert bool(plain.state["seen"].any())
    assert_same({name: moved(array) for name, array in bits(plain).items()}, bits(other))
    assert any(not torch.equal(moved(array), array) for array in bits(plain).values())


def worlds_in_another_order(ponds: Ponds) -> None:
    for agents in (1, 3):
        permuted(ponds, agents, worlds_move=True)


def agents_in_another_order(ponds: Ponds) -> None:
    permuted(ponds, 3, worlds_move=False)


def launches(ponds: Ponds) -> None:
    """One rollout, several, and single steps."""
    once, parts, steps = (ponds.make(PLAIN, 50) for _ in range(3))
    actions = random_actions(once, ponds.ticks)
    once.rollout(ponds.ticks, actions)
    eventful(once)
    for begin, end in ((0, 2), (2, 3), (3, 30), (30, ponds.ticks)):
        parts.rollout(end - begin, actions[begin:end])
    for row in actions:
        steps.step(row)
    assert_same(bits(once), bits(parts))
    assert_same(bits(once), bits(steps))


def records(ponds: Ponds) -> None:
    """Telemetry has the records of the interpreter, by steps and by rollouts, where agents die together or apart."""
    for agents, autoreset in ((1, "same_step"), (3, "next_step")):
        several = []
        for backend in (ponds.backend, "interpreter"):
            env = ponds.make(PLAIN, WORLDS // 2, agents, backend=backend, autoreset=autoreset)
            found: list[Record] = []
            with env.telemetry(every=20, to=found.append):
                for each in random_actions(env, 8):
                    env.step(each)
                env.rollout(27)
                env.rollout(5, statistics=False)
            eventful(env)
            assert sum(record.episodes for record in found) > WORLDS // 2
            assert all(record.meters["warmth"] > 0 for record in found[1:])
            several.append(repr(found))
        assert several[0] == several[1]


def checkpoint(ponds: Ponds) -> None:
    """Saved in the middle and gone on with elsewhere, with the random policy, whose words depend on the tick."""
    straight, first, second = (ponds.make(PLAIN, 50, 2, seed=seed) for seed in (5, 5, 9))
    straight.rollout(ponds.ticks)
    eventful(straight)
    first.rollout(17)
    file = io.BytesIO()
    torch.save(first.state_dict(), file)
    file.seek(0)
    second.load_state_dict(torch.load(file, weights_only=True))
    second.rollout(ponds.ticks - 17)
    assert_same(_lasting(straight), _lasting(second))


def _lasting(env: Env) -> Bits:
    return {name: array for name, array in bits(env).items() if name not in env.outcome}


def names(ponds: Ponds) -> None:
    """All names are others."""
    plain, renamed = ponds.make(PLAIN, 64), ponds.make(RENAMED, 64)
    for env in (plain, renamed):
        env.rollout(ponds.ticks)
        eventful(env)
    assert_same(bits(plain), bits(renamed))


def a_cascade_without_strength(ponds: Ponds) -> None:
    plain, weak = ponds.make(PLAIN, 64), ponds.make(WEAK, 64)
    for env in (plain, weak):
        env.rollout(ponds.ticks)
        eventful(env)
    expected, found = bits(plain), bits(weak)
    for rows, params in ((expected, 1), (found, 2)):
        del rows["params"]
        rows["observation"] = rows["observation"][:-params]
    assert_same(expected, found)
    weak.params["strength"] = 1.0
    for env in (plain, weak):
        env.rollout(ponds.ticks)
    assert not torch.equal(plain.state["meters"], weak.state["meters"])


CHECKS: tuple[Callable[[Ponds], None], ...] = (
    shards,
    worlds_in_another_order,
    agents_in_another_order,
    launches,
    records,
    checkpoint,
    names,
    a_cascade_without_strength,
)


def main(folder: Path, names: list[str]) -> int:
    ponds = Ponds(folder, "triton")
    for check in CHECKS:
        if not names or check.__name__ in names:
            check(ponds)
            print(f"{check.__name__} holds", flush=True)
    return 0


if __name__ == "__main__":
    interpret()
    # A launch takes as long as its ticks there: some have died after so many.
    Ponds.ticks = 20
    torch.set_num_threads(1)
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
