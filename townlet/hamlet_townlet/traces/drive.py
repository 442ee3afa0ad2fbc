"""Taking an environment through a recorded run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from hamlet_townlet.adapter.env import VectorizedEnv
from hamlet_townlet.traces.streams import BEGINNINGS, STEPS, VIEWS, Stream
from hamlet_townlet.traces.trace import Array, Trace


@dataclass(slots=True)
class Found:
    """What an environment gave, by stream: a value for each step, or for each reset.

    `stopped` is the step at which it raised an error, and the error.
    """

    values: dict[str, list[Array]] = field(default_factory=dict)
    stopped: tuple[int, str] | None = None

    def add(self, stream: Stream, env: VectorizedEnv) -> None:
        if stream.read is not None:
            self.values.setdefault(stream.name, []).append(stream.read(env).cpu().numpy().copy())


class Recorded:
    """An exploration module that gives what was recorded."""

    def __init__(self) -> None:
        self.rewards = torch.zeros(0)

    def compute_intrinsic_rewards(self, observations: Tensor) -> Tensor:
        return self.rewards.to(observations.device)


def drive(env: VectorizedEnv, trace: Trace, steps: int, before_last: Callable[[], None] = lambda: None) -> Found:
    """Take so many steps of a trace, of which 0 are the reset only. `before_last` is called before the last one."""
    found = Found()
    module = Recorded()
    env.exploration_module = module if trace.meta.explored else None
    begins = {step: number for number, step in enumerate(trace.resets)}
    multiplier = trace.meta.depletion_multiplier
    for step in range(max(steps, 1)):
        if step in begins:
            begin(env, trace, begins[step], found)
        if step == steps:
            break
        if step == steps - 1:
            before_last()
        actions = torch.from_numpy(trace.arrays["actions"][step].astype(np.int64)).to(env.device)
        module.rewards = torch.from_numpy(trace.arrays["intrinsic_raw"][step])
        try:
            env.step(actions, multiplier)
        except RuntimeError as error:
            found.stopped = (step, str(error))
            break
        for stream in STEPS:
            found.add(stream, env)
    return found


def begin(env: VectorizedEnv, trace: Trace, number: int, found: Found) -> None:
    """Reset, then set what was recorded of this reset."""
    env.reset()
    for stream in BEGINNINGS:
        if stream.name == "reset_dones" or not trace.meta.scrambled:
            found.add(stream, env)
    found.values.setdefault("reset_affordance_positions", []).append(_fixed_places(env, trace))
    arrays = {stream.name: trace.arrays[stream.name][number] for stream in BEGINNINGS}
    env.positions = torch.from_numpy(arrays["reset_positions"])
    env.meters = torch.from_numpy(arrays["reset_meters"])
    env.dones = torch.from_numpy(arrays["reset_dones"])
    env.step_counts = torch.from_numpy(arrays["reset_step_counts"])
    env.time_of_day = int(arrays["reset_time_of_day"])
    places = arrays["reset_affordance_positions"]
    for name in env.affordances:
        env.affordances[name] = torch.from_numpy(places[trace.meta.affordances.index(name)])
    for stream in VIEWS:
        found.add(stream, env)


def _fixed_places(env: VectorizedEnv, trace: Trace) -> Array:
    """Where affordances are after a reset, f64 [affordances of the vocabulary, axes]; NaN but at configured places."""
    places = np.full(trace.arrays["reset_affordance_positions"].shape[1:], np.nan)
    for item in env.module.universe.affordances:
        if item.place is not None:
            places[trace.meta.affordances.index(item.name)] = env.affordances[item.name].cpu().numpy()
    return places
