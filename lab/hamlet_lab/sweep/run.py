"""Runs variants: the worlds of many in one environment, as many as memory allows, or one variant after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

import hamlet
from hamlet.backend.choose import choose
from hamlet.env.environment import Env
from hamlet.env.make import LANE_LIMIT
from hamlet.errors import HamletError
from hamlet.package.module import Module
from hamlet_lab.sweep.common import build_repeating
from hamlet_lab.sweep.grid import Values
from hamlet_lab.sweep.measured import Measured
from hamletc.cli.policy import Player
from hamletc.errors import CompileError
from hamletc.targets.target import target_names

BATCH = 1 << 29
"""Bytes that the counts of a batch take, about."""
FIRST_LANES = 4096
"""The lanes of the first batch, which tells how many episodes a lane has."""
FIRST_KEPT = 32
"""The episodes that it has room for at first."""
FEW_VARIANTS = 64
"""Up to so many variants with common random numbers run one after the other: kernels of their own would take longer."""
MANY_LANES = 4096
"""So do variants of so many lanes, each of which keeps the machine busy alone."""

RANDOM = Player()
Numbers: TypeAlias = Literal["common", "independent"]
"""Whether all variants have the same random numbers, or each its own."""
Params = Callable[[int, int], Mapping[str, Values]]
"""The params of the variants from one number to before another."""


@dataclass(frozen=True, slots=True)
class Trial:
    """How each variant is run.

    Attributes:
        module: of the universe.
        worlds: of each variant.
        agents: in each world.
        ticks: for how long.
        seed: of all randomness.
        backend, device: as `hamlet.make` takes them.
        policy: who acts.
        numbers: "common": every variant has the global worlds first_world .. first_world + worlds - 1. "independent":
            variant v has the `worlds` worlds from first_world + v * worlds on.
        first_world: see `numbers`.
    """

    module: Module
    worlds: int = 1
    agents: int = 1
    ticks: int = 1000
    seed: int = 0
    backend: str = "auto"
    device: str | None = None
    policy: Player = RANDOM
    numbers: Numbers = "common"
    first_world: int = 0

    @property
    def lanes(self) -> int:
        """Of each variant."""
        return self.worlds * self.agents


def measure(trial: Trial, params: Params, variants: int, first: int = 0) -> Iterator[Measured]:
    """Run this many variants from number `first` on, and measure them in their order, batch by batch. Measurements do
    not depend on what a batch is.

    Raises:
        CompileError: there are too many worlds, or the environment refuses what it is given.
    """
    if trial.numbers == "common":
        yield from _common(trial, params, variants, first)
        return
    if (first + variants) * trial.lanes >= LANE_LIMIT:
        raise CompileError(
            f"{first + variants:,} variants of {trial.worlds:,} worlds of {trial.agents:,} agents are too many: "
            "fewer than 2**31 agents fit"
        )
    yield from _batches(trial, params, variants, first)


def _common(trial: Trial, params: Params, variants: int, first: int) -> Iterator[Measured]:
    """Variants that have the same worlds."""
    try:
        backend = choose(trial.backend, trial.device).backend
    except HamletError as error:
        raise CompileError(str(error)) from error
    # A network draws with the words of the lanes that it has in a launch, whatever kernels make of their numbers.
    network = trial.policy.obs_dtype is not None
    alone = variants <= FEW_VARIANTS or trial.lanes >= MANY_LANES or network
    if alone or trial.first_world or backend not in target_names():
        episodes = min(FIRST_KEPT, trial.ticks)
        for number in range(first, first + variants):
            measured, episodes = _batch(trial, params(number, number + 1), trial.first_world, 1, episodes)
            yield measured
        return
    module = build_repeating(trial.module.universe, trial.worlds, trial.agents, backend)
    yield from _batches(replace(trial, module=module, backend=backend), params, variants, first)


def _batches(trial: Trial, params: Params, variants: int, first: int) -> Iterator[Measured]:
    """Variants side by side; their worlds are numbered one after the other, and with common random numbers kernels
    begin anew with each variant."""
    end, episodes, room = first + variants, min(FIRST_KEPT, trial.ticks), max(FIRST_LANES // trial.lanes, 1)
    while first < end:
        count = min(room, end - first)
        number = 0 if trial.numbers == "common" else trial.first_world + first * trial.worlds
        measured, episodes = _batch(trial, params(first, first + count), number, count, episodes)
        yield measured
        room = max(BATCH // (trial.lanes * _bytes(trial.module, episodes)), 1)
        first += count


def _bytes(module: Module, episodes: int) -> int:
    """The bytes of a lane's counts, and of what is made of them."""
    return 4 * len(module.universe.affordances) + 12 * episodes


def _batch(trial: Trial, params: Mapping[str, Values], world: int, count: int, episodes: int) -> tuple[Measured, int]:
    """Variants side by side, from a global world on, and how many episodes of a lane to keep in the next batch."""
    params = {name: np.repeat(values.astype(np.float32), trial.worlds) for name, values in params.items()}
    try:
        counts, env = _rollout(trial, params, world, count, episodes)
        most = int(counts.episodes.max())
        if most > episodes:
            # Once more, from the same beginning, with room for all.
            counts, env = _rollout(trial, params, world, count, most)
    except HamletError as error:
        raise CompileError(str(error)) from error
    ages, alive = (env.state[name].cpu().numpy() for name in ("age", "alive"))
    measured = Measured.of(counts, ages, alive, count, len(trial.module.universe.causes) + 1)
    return measured, min(max(episodes, most + most // 2), trial.ticks)


def _rollout(trial: Trial, params: Mapping[str, Any], world: int, count: int, episodes: int) -> tuple[Any, Env]:
    env = hamlet.make(
        trial.module,
        worlds=count * trial.worlds,
        agents=trial.agents,
        first_world=world,
        seed=trial.seed,
        backend=trial.backend,
        device=trial.device,
        params=params,
        obs_dtype=trial.policy.obs_dtype,
        quiet=True,
        launch="step",
    )
    return env.rollout(trial.ticks, trial.policy.of(env), per_lane=episodes).lanes, env
