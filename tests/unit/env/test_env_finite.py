"""What an environment hands out and takes back is finite: bfloat16, returns at their limits, meters and their reach."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hamlet
from hamlet import EnvError
from hamlet.package.module import Module

COUNTED = """
universe counted
space none
lifespan 20 ticks
inert allowed
meter food = 1 in 0 .. 1 { decay 0.1 }
meter drift = 0 in -1 .. 1
affordance Meal { instantly { food += 0.5 } }
rule drifts: drift += food - 0.5 unclamped
rule swings: food += 0.1 * sin(clamp(drift, -9, 9))
reward 1.2e29 * (food - 0.25)
observe { meters }
"""


@pytest.fixture(scope="module")
def counted(compiled: Callable[[str], Module]) -> Module:
    return compiled(COUNTED)


@pytest.fixture(scope="module")
def endless(compiled: Callable[[str], Module]) -> Module:
    text = (
        COUNTED.replace("counted", "endless")
        .replace("lifespan 20 ticks", "dies when food <= 0")
        .replace("1.2e29", "6e23")
    )
    return compiled(text)


def make(module: Module, **changes: Any) -> Any:
    return hamlet.make(module, worlds=8, backend="interpreter", **({"seed": 3} | changes))


def loaded(module: Module, field: str, value: float, row: int | None = None) -> Any:
    """An environment that went on from a state with this value in all lanes."""
    env = make(module)
    env.rollout(5)
    saved = env.state_dict()
    saved["state"][field][... if row is None else row] = value
    env.load_state_dict(saved)
    return env


def is_finite(env: Any, counts: Any) -> bool:
    tensors = [*env.state.values(), *env.outcome.values(), env.observation, counts.statistics.finished_return]
    return all(bool(each.isfinite().all()) for each in tensors)


@pytest.mark.parametrize("begin", [2.0**101 * 1.49, -(2.0**101) * 1.49, 0.0])
def test_returns_of_a_counted_life_begin_below_their_limit_and_stay_there(counted: Module, begin: float) -> None:
    env = loaded(counted, "episode_return", begin)
    for _ in range(10):
        counts = env.rollout(7)
        assert is_finite(env, counts)
        make(counted).load_state_dict(env.state_dict())


@pytest.mark.parametrize("begin", [2.0**103, -(2.0**103)])
def test_returns_of_an_endless_life_stall(endless: Module, begin: float) -> None:
    env = loaded(endless, "episode_return", begin)
    counts = env.rollout(50)
    assert is_finite(env, counts)
    assert float(env.state["episode_return"].abs().max()) <= 2.0**103
    make(endless).load_state_dict(env.state_dict())


@pytest.mark.parametrize("value", [2.0**103, float("inf"), -float("inf")])
def test_larger_returns_than_rewards_add_up_to_are_refused(counted: Module, value: float) -> None:
    with pytest.raises(EnvError, match="episode_return of the state is larger than rewards add up to"):
        loaded(counted, "episode_return", value)


def test_an_endless_return_has_a_limit_too(endless: Module) -> None:
    with pytest.raises(EnvError, match="episode_return"):
        loaded(endless, "episode_return", 2.0**103 * 1.001)


def test_a_return_that_is_never_finished_may_be_larger(tmp_path: Path) -> None:
    source = tmp_path / "never.hamlet"
    text = COUNTED.replace("counted", "never").replace("lifespan 20 ticks\n", "").replace("1.2e29", "1e31")
    source.write_text(text)
    module = hamlet.compile(source, tmp_path / "never")
    env = loaded(module, "episode_return", 2.0**127)
    assert is_finite(env, env.rollout(20))
    make(module).load_state_dict(env.state_dict())
    with pytest.raises(EnvError, match="episode_return"):
        loaded(module, "episode_return", 2.0**127 * 1.001)


def test_meters_are_held_to_what_they_reach(endless: Module) -> None:
    drift = endless.universe.meters[1]
    assert drift.reach == (-(2.0**23), 2.0**23)
    env = loaded(endless, "meters", 2.0**23, row=1)
    assert is_finite(env, env.rollout(3))
    with pytest.raises(EnvError, match=r"meter drift of the state must lie in -8388608 \.\. 8388608, not 3e\+38"):
        loaded(endless, "meters", 3e38, row=1)


def test_a_package_of_an_older_compiler_knows_no_reach(endless: Module) -> None:
    text = (endless.path / "universe.json").read_text(encoding="utf-8")
    assert text.count('"reach": [-8388608.0, 8388608.0]') == 1
    assert '"reach": null' not in text


WIDE = """
universe wide
space none
lifespan 20 ticks
inert allowed
param far = 1 in 0 .. {most}
meter food = 1 in 0 .. 1 {{ decay 0.1 }}
affordance Meal {{ instantly {{ food += 0.5 }} }}
report shown: food + far * 0.1
reward food
observe {{ meters  {observed} }}
"""


@pytest.mark.parametrize(
    ("most", "observed", "refused"),
    [
        ("3.4e38", "params", "param.far"),
        ("3.3961775e38", "params", "param.far"),
        ("3.3961773e38", "params", None),
        ("3.3895314e38", "params", None),
        ("3.4e38", "time", None),
        ("1", "constant 1 -3.4e38", "constant"),
    ],
)
def test_bfloat16_observations_are_finite_or_refused(
    tmp_path: Path, most: str, observed: str, refused: str | None
) -> None:
    source = tmp_path / "wide.hamlet"
    text = WIDE.format(most=most, observed=observed)
    source.write_text(text.replace("space none", "space none\nclock 24 hours") if observed == "time" else text)
    module = hamlet.compile(source, tmp_path / "wide")
    assert make(module, obs_dtype="float32").observation.isfinite().all()
    if refused is not None:
        with pytest.raises(EnvError, match=rf'"bfloat16" cannot hold {refused}.*would be infinite; take "float32"'):
            make(module, obs_dtype="bfloat16")
        return
    env = make(module, obs_dtype="bfloat16")
    env.params["far"] = module.universe.params[0].high
    assert env.observation.isfinite().all()
