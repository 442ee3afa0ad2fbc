"""Trainings on a universe with controls: the same weights however they are computed, files, and that they learn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from small import CART, StoppedError, trained

from hamlet.package.module import Module, load
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import Episodes, chooser, environment, played, played_by_chance
from hamlet_train.exact.network import FIRST_LOG_DEVIATION, MOST_LOG_DEVIATION
from hamlet_train.files import read_tensors, write_tensors
from hamlet_train.policy import FILENAME, Policy, read_policy
from hamlet_train.ppo import Progress
from hamlet_train.ranks import Ranks
from hamlet_train.reproduce import repeat
from hamlet_train.run import Run
from hamlet_train.training import Watch, begun


@pytest.fixture(scope="module")
def cart(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """`CART` in one process with one thread."""
    return trained(tmp_path_factory.mktemp("training") / "cart", CART)


def progress(run: Run) -> str:
    return "".join((run.folder / f"{name}.jsonl").read_text() for name in ("progress", "evaluations"))


def test_threads_and_interruptions_change_nothing(cart: Run, tmp_path: Path) -> None:
    def stop(update: Progress) -> None:
        if update.update == 7:
            raise StoppedError

    with pytest.raises(StoppedError):
        trained(tmp_path / "cut", CART, threads=2, watch=stop)
    cut = trained(tmp_path / "cut", CART, threads=2)
    assert progress(cut) == progress(cart)
    assert len({line.weights for line in cart.lines()}) == CART.updates
    left, right = (read_tensors(run.folder / "policy.safetensors") for run in (cut, cart))
    assert left[1] == right[1]
    assert {name: each.tobytes() for name, each in left[0].items()} == {
        name: each.tobytes() for name, each in right[0].items()
    }


def test_a_training_with_controls_is_reproduced(cart: Run) -> None:
    found = repeat(cart, cart.read(), 1, Watch())
    assert (found.updates, found.differs) == (CART.updates, None)


def test_a_pole_is_learnt_to_stand(cart: Run) -> None:
    """Clearly above random controls, drawn and by the means, in worlds of another seed."""
    module = load(cart.package)
    policy = read_policy(cart.folder / FILENAME, module)
    by_chance = hundred(module).length
    assert by_chance < 30
    assert hundred(module, policy).length > 5 * by_chance
    assert hundred(module, policy, greedy=True).length > 5 * by_chance


def hundred(module: Module, policy: Policy | None = None, greedy: bool = False) -> Episodes:
    """A hundred episodes of a policy, or of random actions and controls."""
    env = environment(module, 100, None, 99)
    return played_by_chance(env) if policy is None else played(env, policy, 1, greedy)


def test_some_worlds_are_steered_as_all_of_them_are(cart: Run) -> None:
    """Draws are those of global lanes and ticks."""
    module = load(cart.package)
    policy = read_policy(cart.folder / FILENAME, module)
    whole, some = environment(module, 10, None, 5), environment(module, 4, None, 5, first_world=6)
    in_whole, in_some = chooser(whole, policy, 1), chooser(some, policy, 1)
    drawn = []
    for _ in range(3):
        (actions, controls), (few_actions, few_controls) = in_whole(), in_some()
        assert controls is not None
        assert few_controls is not None
        assert torch.equal(few_controls, controls[:, 6:])
        drawn.append(controls.clone())
        whole.step(actions, controls)
        some.step(few_actions, few_controls)
    assert len(torch.stack(drawn).unique()) > 15


def test_deviations_stay_within_their_bounds(cart: Run) -> None:
    manifest = cart.read()
    paid = replace(manifest, settings=replace(manifest.settings, entropy=10.0))
    training = begun(load(cart.package), paid, Ranks(), 1)
    learner = training.crews[0].learner
    learned, network = learner.learned, learner.network
    deviations = network.log_deviations(learned.parameters)
    assert deviations.tolist() == [FIRST_LOG_DEVIATION]
    training.advance()
    assert FIRST_LOG_DEVIATION < deviations[0] < MOST_LOG_DEVIATION
    deviations[:] = MOST_LOG_DEVIATION
    training.advance()
    assert deviations.tolist() == [MOST_LOG_DEVIATION]


def test_controls_lie_in_their_range(cart: Run) -> None:
    """Also where the means are ten thousand times as large."""
    module = load(cart.package)
    policy = read_policy(cart.folder / FILENAME, module)
    found = set[float]()
    for factor in (-10_000, 10_000):
        parameters = policy.parameters.copy()
        policy.network.views(parameters)[-1][0][policy.network.actions] *= factor
        _, controls = chooser(environment(module, 64, None, 5), replace(policy, parameters=parameters), 1)()
        assert controls is not None
        assert controls.shape == (1, 64)
        found |= set(controls.flatten().tolist())
    assert found == {-1.0, 1.0}


def test_what_does_not_fit_is_refused(cart: Run, tmp_path: Path) -> None:
    module = load(cart.package)
    tensors, about = read_tensors(cart.folder / "policy.safetensors")
    assert (about["controls"], tensors["log_deviations"].shape) == (1, (1,))
    write_tensors(tmp_path / "two", tensors, about | {"controls": 2})
    with pytest.raises(TrainError, match=r"two has the log_deviations \[1\], and its network takes \[2\]"):
        read_policy(tmp_path / "two", module)
    del tensors["log_deviations"]
    write_tensors(tmp_path / "none", tensors, about)
    with pytest.raises(TrainError, match="none has no log_deviations"):
        read_policy(tmp_path / "none", module)
    policy = read_policy(cart.folder / FILENAME, module)
    narrower = replace(policy, network=replace(policy.network, controls=0))
    with pytest.raises(TrainError, match="2 actions and 0 controls"):
        chooser(environment(module, 1, None, 0), narrower, 1)
