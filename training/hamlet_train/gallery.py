"""The shipped universes beside each other: random actions, a script, the policy of the zoo, and what theory says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from hamlet.env.environment import Env
from hamlet.policies.zoo import SHIPPED, ZOO
from hamlet_train import certainty
from hamlet_train.certainty import Interval
from hamlet_train.evaluate import Episodes, environment, played, played_by_chance
from hamlet_train.evaluation import LONGEST
from hamlet_train.judged import ALL
from hamlet_train.policy import read_all
from hamlet_train.report.studied import best_alone
from hamlet_train.run import Run, open_universe


@dataclass(frozen=True, slots=True)
class Yardstick:
    """A number that somebody has for a universe without training.

    Attributes:
        measure: `return`, or `length` in ticks.
        theory: the number; why: the reason for it.
        scripted: what a script of `benchmarks/scripted.py` or `benchmarks/roles.py` reaches, and its name.
    """

    measure: str = "return"
    theory: float | None = None
    why: str = ""
    scripted: tuple[float, str] | None = None


YARDSTICKS = {
    "town": Yardstick("length", 500.0, "the lifespan", (500.0, "knows where everything is")),
    "shifts": Yardstick("length", 500.0, "the lifespan", (488.0, "remembers")),
    "predators": Yardstick(scripted=(2986.0, "shoots hares above 40")),
    "cartpole": Yardstick("return", 500.0, "1 for each tick of the lifespan"),
    "bandit": Yardstick("return", 75.0, "the best of three uniform chances is 3/4 in the mean"),
    "combo": Yardstick("return", 1.0, "the whole strength of the enemy"),
    "commons": Yardstick("return", 6.5, "an effort of 1.8 all the time (Gordon 1954)"),
}
"""Yardsticks by universe."""


@dataclass(frozen=True, slots=True)
class Row:
    """How a role of a universe fares, or all of its agents, whose role is "all".

    Attributes:
        measure: of all numbers. script: the name of the best script, or of the best single action.
        theory: `None` where nobody knows; why: the reason for it.
    """

    universe: str
    role: str
    measure: str
    random: Interval
    scripted: float
    script: str
    trained: Interval
    theory: float | None
    why: str

    def report(self) -> dict[str, Any]:
        """The row for JSON."""
        return asdict(self)


def compared(name: str, episodes: int, threads: int) -> list[Row]:
    """A row for each role of a universe of the zoo: about so many first episodes in worlds that its training has not,
    the same ones for all sides. Episodes of a universe without a lifespan count as they are after 1,000 ticks.

    Raises:
        TrainError: the policy is damaged, or is for another version of the universe.
        CompileError: the universe has errors.
    """
    run = Run(ZOO / name)
    manifest = run.read()
    module = open_universe(SHIPPED / manifest.source.removeprefix("universes/"))
    policies = read_all(run.folder, module)
    lifespan = module.universe.lifespan
    longest, worlds = LONGEST if lifespan is None else lifespan.ticks, -(-episodes // manifest.agents)

    def here() -> Env:
        return environment(module, worlds, manifest.agents, manifest.seed + 1)

    env = here()
    chance = _roles(env, played_by_chance(env, longest))
    action, alone = best_alone(here, longest, lambda _: None)
    env = here()
    learnt = _roles(env, played(env, policies, threads, ticks=longest))
    yardstick = YARDSTICKS.get(name, Yardstick())
    rows = []
    everybody = f"{action} all the time" if len(chance) == 1 else f"{action} all the time, every role"
    for role in chance:
        scripted, script = yardstick.scripted or (_mean(alone[role], yardstick.measure).value, everybody)
        random, trained = (_mean(each[role], yardstick.measure) for each in (chance, learnt))
        rows.append(
            Row(name, role, yardstick.measure, random, scripted, script, trained, yardstick.theory, yardstick.why)
        )
    return rows


def _roles(env: Env, episodes: Episodes) -> Mapping[str, Episodes]:
    return episodes.by_role(env) or {ALL: episodes}


def _mean(episodes: Episodes, measure: str) -> Interval:
    return certainty.of_mean([episodes.lengths if measure == "length" else episodes.returns])
