"""The learning curve: fixed worlds, all of whose first episodes count, beside random actions, by role."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from small import CARTPOLE, MEAL, SMALL, UPDATES, trained

from hamlet.package.module import Module, load
from hamlet_train.cli.defaults import TICKS
from hamlet_train.draws import evaluation_seed
from hamlet_train.evaluate import Episodes, chooser, environment, first_episodes, played, played_by_chance
from hamlet_train.evaluation import Evaluation, Fared, Middle, Plan, of_chance
from hamlet_train.evaluation import trained as of_policy
from hamlet_train.exact.network import Network
from hamlet_train.exact.words import words
from hamlet_train.pictures import write_curve
from hamlet_train.policy import FILENAME, Policy, read_policy
from hamlet_train.run import Run
from hamlet_train.team import Team


@pytest.fixture(scope="module")
def hunt(compiled: Callable[[str], Module]) -> Module:
    text = Path("universes/gallery/tag.hamlet").read_text()
    return compiled(text)


def policy_of(run: Run) -> tuple[Module, Policy]:
    module = load(run.package)
    return module, read_policy(run.folder / FILENAME, module)


def test_an_evaluation_counts_the_first_episode_of_every_agent(run: Run) -> None:
    """By launches of many ticks as by steps, and not those that happen to end within so many ticks."""
    module, policy = policy_of(run)
    stepped = environment(module, 100, None, 9)
    by_steps = first_episodes(stepped, chooser(stepped, policy, 1))
    by_launches = played(environment(module, 100, None, 9), policy, 1)
    assert by_launches.lengths.tolist() == by_steps.lengths.tolist()
    assert by_launches.endings.tolist() == by_steps.endings.tolist()
    # Kernels add the rewards of an episode in binary32, and steps are added in binary64.
    assert np.allclose(by_launches.returns, by_steps.returns, rtol=1e-5)
    assert (len(by_launches.lengths), by_launches.unfinished) == (100, 0)
    short = played(environment(module, 100, None, 9), policy, 1, ticks=60)
    assert 0 < short.unfinished < 100
    assert short.lengths.tolist() == np.minimum(by_steps.lengths, 60).tolist()
    ended = short.endings >= 0
    assert short.returns[ended].tolist() == by_launches.returns[ended].tolist()


def test_a_curve_is_of_the_weights_and_not_of_the_age_of_worlds(run: Run) -> None:
    """The same worlds each time: what is evaluated twice has the same numbers, at whatever update."""
    manifest, (module, policy) = run.read(), policy_of(run)
    plan = Plan.of(module.universe, [policy.network], 1, UPDATES, manifest.ticks)
    evaluation = Evaluation(module, plan, manifest.seed, 1)
    points = of_policy(run.evaluations())
    assert [point.update for point in points] == [0, 2, 4, 5]
    assert [point.ticks for point in points] == [0, 8_000, 16_000, 20_000]
    last, chance = evaluation.of({None: policy}, 5, 20_000), evaluation.by_chance()
    assert last == points[-1] == evaluation.of({None: policy}, 5, 20_000)
    assert chance == run.evaluations()[0] == of_chance(run.evaluations())
    (fared,) = last.fared
    assert (fared.role, fared.episodes, fared.unfinished) == (None, 50, 0)
    worlds = environment(module, plan.worlds, 1, evaluation_seed(manifest.seed))
    assert fared == Fared.of(None, played(worlds, policy, 1))
    assert len({manifest.seed, manifest.seed + 1, evaluation_seed(manifest.seed)}) == 3


def test_means_are_rounded_once_and_quartiles_are_of_the_numbers() -> None:
    middle = Middle.of(np.array([1e16, 1.0, -1e16, 3.0, 5.0]))
    assert middle == Middle(9 / 5, 1.0, 5.0)


def test_weights_that_no_launch_takes_are_evaluated_by_steps(run: Run) -> None:
    module, policy = policy_of(run)
    for wrong in (2.0**21, np.nan):
        parameters = np.full_like(policy.parameters, wrong)
        assert len(played(environment(module, 4, None, 9), replace(policy, parameters=parameters), 1).lengths) == 4


NETWORK, STEERED = Network(5, (64, 64), 3), Network(5, (64, 64), 3, 1)


@pytest.mark.parametrize(
    ("network", "agents", "ticks", "worlds", "points"),
    [
        # Lifespans are 200 ticks. The shortest trainings have the fewest agents and points.
        (NETWORK, 1, 20_000, 50, 3),
        (NETWORK, 1, 1_000_000, 50, 3),
        (NETWORK, 16, 2_000_000, 8, 4),
        (STEERED, 1, 1_000_000, 50, 3),
        (NETWORK, 1, 5_000_000, 186, 10),
        (NETWORK, 16, 5_000_000, 11, 10),
        (STEERED, 1, 5_000_000, 170, 10),
        (NETWORK, 1, TICKS, 200, 49),
        (NETWORK, 16, TICKS, 32, 27),
        (STEERED, 1, TICKS, 200, 49),
    ],
)
def test_evaluations_are_a_small_part_of_a_training(
    run: Run, network: Network, agents: int, ticks: int, worlds: int, points: int
) -> None:
    """A curve has some ten points; a short training is given fewer agents, and a long one more points."""
    universe = load(run.package).universe
    updates = -(-ticks // (1024 if ticks > 20_000 else 64) // 32)
    plan = Plan.of(universe, [network], agents, updates, ticks)
    assert (plan.worlds, plan.ticks) == (worlds, 200)
    assert sum(plan.due(update, updates) for update in range(1, updates + 1)) == points
    assert plan.due(updates, updates)
    # Ticks take time for themselves, as much as 64 agents in launches and as 80 in steps.
    size = worlds * agents + (80 if network is STEERED else 64)
    assert (points + 1) * size * 200 <= 0.11 * max(ticks, 1_000_000)


def test_steps_of_few_lanes_take_no_thread_and_draw_ahead(
    compiled: Callable[[str], Module], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words by operations of torch took half of the time of an evaluation by steps, and a second thread a tenth."""
    drawn, portions = list[int](), list[int]()
    share = Team.share

    def noted_words(*given: Any) -> Any:
        drawn.append(len(given[1]))
        return words(*given)

    def noted_share(team: Team, *given: Any) -> None:
        portions.append(team.threads)
        share(team, *given)

    monkeypatch.setattr("hamlet_train.draws.words", noted_words)
    monkeypatch.setattr(Team, "share", noted_share)
    module = compiled(CARTPOLE.read_text())
    env = environment(module, 50, None, 1)
    network = Network(4, (8,), env.num_actions, 1)
    policy = Policy(network, np.zeros(network.parameters, np.float32), {})
    episodes = played(env, policy, 4)
    steps = int(episodes.lengths.max())
    assert steps > 20
    assert portions == [1] * steps
    # The words of actions, four ticks to a counter, and those of the control.
    assert drawn == [4, 16] * -(-steps // 16)


def test_numbers_are_by_role(hunt: Module) -> None:
    """What hunts and what is hunted are never added up."""
    env = environment(hunt, 40, 4, 1)
    episodes = played_by_chance(env)
    roles = episodes.by_role(env)
    assert [*roles] == ["it", "runner"]
    assert roles["it"].lengths.tolist() == episodes.lengths[0::4].tolist()
    assert len(roles["runner"].lengths) == 120
    assert roles["it"].length > 1.5 * roles["runner"].length
    fared = Evaluation(hunt, Plan(32, 4, 1000, 1), 0, 1).by_chance().fared
    assert [(each.role, each.episodes) for each in fared] == [("it", 32), ("runner", 96)]


def test_a_curve_has_random_actions_as_a_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.axes import Axes

    levels = list[float]()
    monkeypatch.setattr(Axes, "axhline", lambda _axes, y, **_: levels.append(y))
    bands = list[tuple[list[int], list[float], list[float]]]()
    monkeypatch.setattr(Axes, "fill_between", lambda _axes, *band, **_: bands.append(band))
    write_curve("curve", run.evaluations(), tmp_path / "curve.png")
    (chance,), points = run.evaluations()[0].fared, of_policy(run.evaluations())
    assert levels == [chance.length.mean, chance.returned.mean]
    assert bands[0][0] == [point.ticks for point in points]
    assert bands[0][1:] == tuple(
        [getattr(point.fared[0].length, end) for point in points] for end in ("lower", "upper")
    )


def test_evaluations_take_no_draw_of_a_training(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plan, "due", lambda *_: False)
    seldom = trained(tmp_path / "seldom", SMALL)
    assert len(seldom.evaluations()) == 2
    assert [line.weights for line in seldom.lines()] == [line.weights for line in run.lines()]


def test_the_norm_of_the_gradient_is_noted_now_and_then(run: Run, tmp_path: Path) -> None:
    noted = trained(tmp_path / "noted", replace(SMALL, gradient_norm=2))
    norms = [line.gradient for line in noted.lines()]
    assert [norm > 0 for norm in norms] == [False, True, False, True, False]
    assert all(line.gradient != line.gradient for line in run.lines())
    assert [line.weights for line in noted.lines()] == [line.weights for line in run.lines()]
    assert json.loads((noted.folder / "progress.jsonl").read_text().splitlines()[0])["gradient"] is None


def test_worlds_that_are_begun_by_hand_are_evaluated_alike(run: Run, compiled: Callable[[str], Module]) -> None:
    by_hand = compiled(MEAL.read_text().replace("universe first_meal", "universe first_meal\nepisodes by hand"))
    module, _ = policy_of(run)
    sides = list[Episodes]()
    for each in (module, by_hand):
        sides.append(played_by_chance(environment(each, 60, None, 2)))
    assert torch.equal(*(torch.from_numpy(side.lengths) for side in sides))
