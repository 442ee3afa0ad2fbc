"""Params of each world at `make` and `reset`, and the distributions that they are drawn from."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.env.write.distributions import Distribution, Drawing
from hamlet.package.module import Module

SHOP = """
universe shop
space none
param wage = 0.1 in 0 .. 0.5
param hunger = 1 in 0.5 .. 2
meter food = 0.5 { decay 0.05 * hunger }
action WORK { food += 0.1 * wage }
dies when food <= 0
reward food
observe { meters  params }
"""
SEED = 0x123456789ABCDEF0


def plain_words(seed: int, world: int, episode: int, name: str) -> list[int]:
    """Philox4x32-10 on Python's integers, after docs/semantics.md."""
    c = [world, episode, int.from_bytes(sha256(name.encode()).digest()[:4], "little"), 4]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [p1 >> 32 ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, p0 >> 32 ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def make(module: Module, worlds: int = 50, first_world: int = 0, backend: str = "interpreter", **given: object) -> Env:
    return hamlet.make(
        module, worlds=worlds, first_world=first_world, backend=backend, seed=SEED, params=given or None, quiet=True
    )


@pytest.fixture(scope="module")
def shop(compiled: Callable[[str], Module]) -> Module:
    return compiled(SHOP)


def test_words_are_those_of_the_page() -> None:
    worlds, episodes = torch.tensor([0, 7, 2**32 - 1]), torch.tensor([0, 3, 2**31 - 1])
    found = torch.stack(Drawing(SEED, worlds, episodes).words("wage"), dim=1).tolist()
    expected = [plain_words(SEED, w, e, "wage") for w, e in zip(worlds.tolist(), episodes.tolist(), strict=True)]
    assert found == expected


def test_uniform_numbers_are_exact(shop: Module) -> None:
    found = make(shop, wage=hamlet.Uniform(0.05, 0.3)).params["wage"].tolist()
    low, high = np.float32(0.05), np.float32(0.3)
    for world, value in enumerate(found):
        share = np.float32(plain_words(SEED, world, 0, "wage")[0] >> 8) * np.float32(2**-24)
        assert value == float(low + share * (high - low))
    assert len(set(found)) > 40


def test_logarithms_are_uniform(shop: Module) -> None:
    found = make(shop, hunger=hamlet.LogUniform(0.5, 2)).params["hunger"].tolist()
    for world, value in enumerate(found):
        share = Fraction(plain_words(SEED, world, 0, "hunger")[0] >> 8, 1 << 24)
        assert math.isclose(value, 0.5 * 4 ** float(share), rel_tol=1e-6)
        assert 0.5 <= value <= 2


def test_choices(shop: Module) -> None:
    values = (0.25, 0.5, 0.125)
    found = make(shop, wage=hamlet.Choice(values)).params["wage"].tolist()
    assert found == [values[plain_words(SEED, world, 0, "wage")[0] * 3 >> 32] for world in range(50)]
    assert set(found) == set(values)


def test_normal_numbers_are_clipped_at_the_bounds(shop: Module) -> None:
    found = make(shop, worlds=2000, wage=hamlet.Normal(0.2, 0.2)).params["wage"]
    assert (float(found.min()), float(found.max())) == (0.0, 0.5)
    inner = found[(found > 0) & (found < 0.5)]
    assert 0.6 < len(inner) / 2000 < 0.9
    for world in range(50):
        first, second, *_ = plain_words(SEED, world, 0, "wage")
        turn = 2 * math.pi * (second >> 8) / 2**24
        wanted = 0.2 + 0.2 * math.sqrt(-2 * math.log(((first >> 8) + 1) / 2**24)) * math.cos(turn)
        assert math.isclose(float(found[world]), min(max(wanted, 0), 0.5), abs_tol=1e-6)


DISTRIBUTIONS = [
    hamlet.Uniform(0.1, 0.4),
    hamlet.LogUniform(0.1, 0.4),
    hamlet.Choice([0.1, 0.2]),
    hamlet.Normal(0.2, 1),
]


@pytest.mark.parametrize("given", DISTRIBUTIONS, ids=lambda given: type(given).__name__)
def test_shards_and_sizes_do_not_matter(given: Distribution, shop: Module) -> None:
    whole = make(shop, wage=given).params["wage"]
    parts = [make(shop, count, first, "c", wage=given).params["wage"] for first, count in ((0, 13), (13, 37))]
    assert torch.equal(torch.cat(parts), whole)
    # Another param is drawn apart, and does not change this one.
    both = make(shop, wage=given, hunger=hamlet.Uniform(0.5, 2)).params
    assert torch.equal(both["wage"], whole)
    assert len(both["hunger"].unique()) > 40


def test_params_are_set_before_the_episode(shop: Module) -> None:
    env = make(shop, wage=hamlet.Uniform(0, 0.5), hunger=torch.linspace(0.5, 2, 50))
    observation, _ = env.reset()
    assert observation is not None
    assert torch.equal(observation[:, 2], torch.linspace(0.5, 2, 50))
    assert torch.equal(observation[:, 1], env.params["wage"])
    given = env.params["wage"].clone()
    observation, _ = env.reset(params={"hunger": 0.75})
    assert observation is not None
    assert torch.equal(observation[:, 1], given), "what is not given keeps its values"
    assert observation[:, 2].unique().tolist() == [0.75]


def test_params_survive(shop: Module) -> None:
    env = make(shop, backend="c", wage=hamlet.Uniform(0, 0.5))
    given = env.params["wage"].clone()
    assert env.rollout(200).episodes() > 100
    assert torch.equal(env.params["wage"], given), "episodes that begin by themselves"
    env.reset()
    env.reset(seed=3)
    assert torch.equal(env.params["wage"], given)
    other = make(shop)
    other.load_state_dict(env.state_dict())
    assert torch.equal(other.params["wage"], given)
    assert torch.equal(pickle.loads(pickle.dumps(env)).params["wage"], given)


def test_each_reset_draws_for_its_episodes(shop: Module) -> None:
    given = {"wage": hamlet.Uniform(0, 0.5)}
    env = make(shop, **given)
    first = env.params["wage"].clone()
    env.reset(params=given)
    assert torch.equal(env.params["wage"], first), "episode 0 begins again"
    env.reset(params=given)
    assert not torch.equal(env.params["wage"], first)
    assert torch.equal(env.params["wage"], _words(1))
    env.step(torch.zeros(50, dtype=torch.int32))
    env.params["wage"] = hamlet.Uniform(0, 0.5)
    assert torch.equal(env.params["wage"], _words(1)), "an assignment is for the episodes that there are"
    env.reset(seed=SEED, params=given)
    assert torch.equal(env.params["wage"], first), "a seed begins at episode 0"


def _words(episode: int) -> torch.Tensor:
    words = [plain_words(SEED, world, episode, "wage")[0] >> 8 for world in range(50)]
    return torch.tensor(words, dtype=torch.float32) * 2**-24 * 0.5


def test_a_refused_reset_changes_nothing(shop: Module) -> None:
    env = make(shop)
    env.rollout(5)
    before = {name: value.clone() for name, value in env.state.items()}
    for params in ({"wage": 0.2, "hunger": 9}, {"wag": 1}, {"wage": hamlet.Uniform(0, 0.6)}, [("wage", 1)]):
        with pytest.raises(EnvError):
            env.reset(seed=1, params=params)  # type: ignore[arg-type]
    assert (env.seed, env.tick) == (SEED, 5)
    assert all(torch.equal(env.state[name], value) for name, value in before.items())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: hamlet.Uniform(0.3, 0.1), "Uniform(low=0.3, high=0.1) begins with the lower number, which is not 0.3"),
        (lambda: hamlet.Uniform(0, math.nan), "Uniform takes numbers, not nan"),
        (lambda: hamlet.Uniform("0", 1), "Uniform takes numbers, not '0'"),
        (
            lambda: hamlet.Uniform(10**400, 1),
            "Uniform takes numbers that binary32 has, up to 3.4e+38 either way, not an int",
        ),
        (lambda: hamlet.Uniform(-3e38, 3e38), "Uniform(low=-3e+38, high=3e+38) is too wide for binary32"),
        (lambda: hamlet.LogUniform(0, 1), "LogUniform(low=0, high=1) takes numbers above 0"),
        (lambda: hamlet.Choice([]), "Choice takes a list of numbers, not []"),
        (lambda: hamlet.Choice([1, True]), "Choice takes numbers, not True"),
        (lambda: hamlet.Normal(1, 0), "Normal(mean=1, deviation=0) has no deviation above 0"),
    ],
)
def test_what_is_no_distribution(make: Callable[[], object], message: str) -> None:
    with pytest.raises(EnvError) as caught:
        make()
    assert str(caught.value) == message


def test_what_does_not_fit_a_param(shop: Module) -> None:
    with pytest.raises(EnvError, match=r"param wage must lie in 0 \.\. 0\.5, not 0\.6"):
        make(shop, wage=hamlet.Uniform(0, 0.6))
    with pytest.raises(EnvError, match="the universe has no param 'wag': did you mean 'wage'"):
        make(shop, wag=1)
    with pytest.raises(EnvError, match=r"param wage takes a number or a tensor \[50\], not \[3\]"):
        make(shop, wage=[0.1, 0.2, 0.3])
