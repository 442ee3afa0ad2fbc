"""How long a training is, in which worlds, and what is said where it went wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small import SMALL, UPDATES, trained

from hamlet.env.write.distributions import Choice, Normal, Uniform
from hamlet.package.module import Module, load
from hamlet_train.advice import advice
from hamlet_train.budget import Aim, stalled
from hamlet_train.errors import TrainError
from hamlet_train.evaluation import RANDOM, TRAINED, Evaluated, Fared, Middle
from hamlet_train.ppo import Progress
from hamlet_train.ranks import Ranks
from hamlet_train.reproduce import repeat
from hamlet_train.run import Run, packaged
from hamlet_train.training import Watch, begun, ignore
from hamlet_train.variety import params_of
from hamletc.errors import CompileError

BERRIES = Path("universes/gallery/berries.hamlet").resolve()


def evaluated(returned: float, length: float = 1.0, policy: str = TRAINED, update: int = 1, *roles: str) -> Evaluated:
    middles = Middle(length, 0.0, 0.0), Middle(returned, 0.0, 0.0)
    return Evaluated(policy, update, update, tuple(Fared(role, 9, 0, *middles) for role in roles or (None,)))


def progress(update: int, entropy: float, role: str | None = None) -> Progress:
    numbers = dict.fromkeys(("policy_loss", "value_loss", "clipped", "divergence"), 0.0)
    return Progress(update, update, 0, math.nan, math.nan, math.nan, **numbers, entropy=entropy, weights="", role=role)


@pytest.fixture(scope="module")
def berries(tmp_path_factory: pytest.TempPathFactory) -> Module:
    return packaged(BERRIES, tmp_path_factory.mktemp("berries") / "package")


def test_params_are_numbers_or_distributions(berries: Module) -> None:
    names = [param.name for param in berries.universe.params]
    param = berries.universe.params[0]
    low, high = param.low, param.high
    middle = (low + high) / 2
    for said, expected in (
        (f"{middle}", middle),
        (f"uniform({low}, {high})", Uniform(low, high)),
        (f"normal({middle},0.1)", Normal(middle, 0.1)),
        (f"choice({low},{middle},{high})", Choice((low, middle, high))),
    ):
        assert params_of([f"{names[0]}={said}"], berries.universe) == {names[0]: expected}
    for text, message in (
        (f"{names[0]}=uniform(1)", "write NAME=NUMBER or"),
        (f"{names[0]}=gamma(1,2)", "write NAME=NUMBER or"),
        (f"{names[0]}=much", "write NAME=NUMBER or"),
        (f"{names[0]}={high + 1}", "outside of its bounds"),
        (f"{names[0]}=uniform({low},{high + 1})", "outside of its bounds"),
        (f"{names[0]}=uniform({high},{low})", "uniform"),
        ("nothing=1", "has no such param"),
    ):
        with pytest.raises(CompileError, match=message):
            params_of([text], berries.universe)
    with pytest.raises(CompileError, match="given twice"):
        params_of([f"{names[0]}={low}", f"{names[0]}={low}"], berries.universe)


def test_worlds_of_a_training_draw_their_params(berries: Module, tmp_path: Path) -> None:
    """By their global numbers: whoever has which worlds, they are the same."""
    param = berries.universe.params[0]
    varied = replace(
        SMALL, universe="berries", source=str(BERRIES), worlds=130, ticks=130 * 20 * 2,
        params=(f"{param.name}=uniform({param.low},{param.high})",),
    )  # fmt: skip
    of_all = begun(berries, varied, Ranks(), 1).env.params[param.name].numpy().copy()
    assert len(np.unique(of_all)) == 130
    parts = [begun(berries, varied, Ranks(rank, 2), 1).env.params[param.name].numpy() for rank in range(2)]
    assert np.concatenate(parts).tobytes() == of_all.tobytes()
    run = trained(tmp_path / "varied", varied)
    assert run.read().params == varied.params
    assert repeat(run, run.read(), 1, Watch(ignore)).differs is None
    plain = trained(tmp_path / "plain", replace(varied, params=()))
    assert plain.read().weights != run.read().weights


def test_an_aim_is_a_mean_of_a_role() -> None:
    assert Aim.of("length=475", []) == Aim(None, "length", 475.0)
    assert Aim.of("wolf.return = 2.5", ["wolf"]) == Aim("wolf", "return", 2.5)
    for text, roles, said in (
        ("475", [], "write length=NUMBER"),
        ("length=", [], "write length=NUMBER"),
        ("length=nan", [], "write length=NUMBER"),
        ("age=3", [], "write length=NUMBER"),
        ("length=3", ["wolf", "sheep"], "say whose, of wolf, sheep"),
        ("hare.length=3", ["wolf", "sheep"], "say whose, of wolf, sheep"),
        ("wolf.length=3", [], "the universe has no roles"),
    ):
        with pytest.raises(TrainError, match=said):
            Aim.of(text, roles)
    assert Aim(None, "length", 5.0).reached(evaluated(0.0, 5.0))
    assert not Aim(None, "return", 5.0).reached(evaluated(0.0, 5.0))
    assert not Aim("wolf", "length", 5.0).reached(evaluated(0.0, 5.0, TRAINED, 1, "sheep"))


def test_a_training_stalls_where_no_role_gets_better() -> None:
    points = [evaluated(each) for each in (1.0, 3.0, 2.0, 3.0)]
    assert stalled(points, 2)
    assert not stalled(points, 3)
    assert not stalled(points, 0)
    assert not stalled([*points, evaluated(4.0)], 2)
    assert not stalled([evaluated(9.0, policy=RANDOM), *points[:2]], 1)


def test_a_training_ends_when_it_has_its_aim_and_repeats(run: Run, tmp_path: Path) -> None:
    points = [each for each in run.evaluations() if each.policy == TRAINED]
    assert [each.update for each in points] == [0, 2, 4, 5]
    least = points[1].fared[0].length.mean
    aimed = trained(tmp_path / "aimed", replace(SMALL, until=f"length={least}"))
    manifest = aimed.read()
    assert (manifest.ended, len(aimed.lines())) == (2, 2)
    assert aimed.lines() == run.lines()[:2]
    repeated = repeat(aimed, manifest, 1, Watch(ignore))
    assert (repeated.updates, repeated.differs, repeated.weights) == (2, None, manifest.weights)
    again = trained(aimed.folder, replace(SMALL, until=f"length={least}"))
    assert again.read() == manifest
    far = trained(tmp_path / "far", replace(SMALL, until="length=1000"))
    assert (far.read().ended, len(far.lines())) == (0, UPDATES)
    assert far.read().weights == run.read().weights


def test_what_to_change_first_is_said_where_nothing_was_learnt() -> None:
    chance = evaluated(10.0, policy=RANDOM)
    steady = [progress(update, 1.3 - 0.05 * update) for update in range(1, 11)]
    assert advice(steady, [chance, evaluated(0.0), evaluated(20.0)]) == []
    (said,) = advice(steady, [chance, evaluated(0.0), evaluated(10.1)])
    assert said.startswith("nothing was learnt: it returns 10.1, and random actions 10. Take more --ticks first")
    settled = [progress(update, 1.3 if update < 3 else 0.01) for update in range(1, 11)]
    (said,) = advice(settled, [chance, evaluated(0.0), evaluated(9.0)])
    assert said.startswith("the policy settled after update 3 of 10")
    assert "--set entropy=0.1 first" in said
    assert advice(settled, [chance, evaluated(0.0), evaluated(30.0)]) == []
    late = [progress(update, 1.3 if update < 9 else 0.01) for update in range(1, 11)]
    assert advice(late, [chance, evaluated(0.0), evaluated(30.0)]) == []
    assert advice([], []) == []


def test_who_learns_no_more_and_still_tries_is_told() -> None:
    chance = evaluated(0.0, policy=RANDOM)

    def said(entropy: float, *returns: float) -> list[str]:
        lines = [progress(update, 2.0 if update < 3 else entropy) for update in range(1, 13)]
        points = [evaluated(each, update=3 * number) for number, each in enumerate(returns)]
        return advice(lines, [chance, *points])

    (line,) = said(1.0, 0.0, 0.5, 0.8, 0.83, 0.84)
    assert line.startswith("the return has hardly risen in the last quarter of the training, and the entropy")
    assert "is still 50% of the first one" in line
    assert "--set discount=0.99 first, then --set entropy=0.01" in line
    for entropy, last in ((0.6, 0.84), (1.0, 0.86), (1.0, 0.0)):
        assert not any("hardly risen" in each for each in said(entropy, 0.0, 0.5, 0.8, 0.83, last))
    assert said(1.0, 0.0, 0.84) == []


def test_stages_that_are_over_at_once_are_said() -> None:
    points = [evaluated(10.0, policy=RANDOM), evaluated(20.0)]

    def through(first: int, updates: int) -> list[Progress]:
        lines = [progress(update, 1.0 / update) for update in range(1, updates + 1)]
        return [replace(each, stages={"near": 4 * (each.update <= first), "far": 0, "done": 4 * (each.update > first)})
                for each in lines]  # fmt: skip

    (said,) = advice(through(2, 50), points)
    assert said.startswith("after update 3 of 50 all worlds are in the stage done, so those before it taught little: ")
    assert "--set horizon=16 first" in said
    for lines in (through(10, 50), through(50, 50), through(2, 19)):
        assert advice(lines, points) == []
    going = through(2, 50)
    going[-1] = replace(going[-1], stages={"near": 0, "far": 1, "done": 3})
    assert advice(going, points) == []


def test_a_role_that_meets_better_ones_has_not_learnt_nothing() -> None:
    chance, last = (evaluated(10.0, 1.0, policy, 1, "it", "runner") for policy in (RANDOM, TRAINED))
    learnt = [progress(update, 1.0 / update, role) for update in range(1, 6) for role in ("it", "runner")]
    assert advice(learnt, [chance, last]) == []
    idle = [progress(update, 1.0, role) for update in range(1, 6) for role in ("it", "runner")]
    assert [each.split(":")[0] for each in advice(idle, [chance, last])] == [
        "nothing was learnt of it",
        "nothing was learnt of runner",
    ]


def test_runs_of_before_say_nothing_of_it(run: Run) -> None:
    manifest = run.read()
    assert (manifest.params, manifest.until, manifest.patience, manifest.ended) == ((), None, 0, 0)
    assert load(run.package).universe.name == manifest.universe
