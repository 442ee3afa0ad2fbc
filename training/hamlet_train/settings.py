"""Settings of PPO, and their defaults."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from hamlet.universe.quantities import Number
from hamlet.universe.whole import Universe

LIMITS: dict[str, tuple[float, float]] = {
    "horizon": (1, 4096),
    "epochs": (1, 255),
    "minibatches": (1, 4096),
    "rate": (0.0, 1.0),
    "discount": (0.0, 1.0),
    "trace": (0.0, 1.0),
    "clip": (0.0, 1.0),
    "entropy": (0.0, 10.0),
    "value": (0.0, 10.0),
    "norm": (1e-6, 1e6),
    "memory": (0, 64),
    "critic": (0, 1),
    "team": (0, 1),
}
MEMORY = "memory"
OF_OPTIONS = (MEMORY, "critic", "team")
"""Settings that have options of their own."""
WIDEST, DEEPEST = 1024, 8
"""Outputs of a hidden layer, and hidden layers."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of PPO (Schulman et al. 2017).

    Attributes:
        hidden: outputs of hidden layers.
        horizon: ticks between updates.
        epochs, minibatches: how often an update goes over what was seen, and in how many parts each time.
        rate: the step size of Adam at the beginning; it goes down linearly to 0.
        discount, trace: gamma and lambda of generalised advantage estimation.
        clip: by how much the ratio of probabilities may move.
        entropy, value: the weights of the entropy, which goes down to 0 too, and of the value's loss.
        norm: the greatest norm of a gradient.
        memory: how many numbers an agent remembers; 0 of a network without a memory. Options of their own say this and
            what follows.
        critic: 1 where the critic is a network of its own, which sees the world.
        team: 1 where agents who share a policy are paid the mean of what all of them in their world are paid.
    """

    hidden: tuple[int, ...] = (64, 64)
    horizon: int = 32
    epochs: int = 2
    minibatches: int = 16
    rate: float = 2e-3
    discount: float = 0.998
    trace: float = 0.98
    clip: float = 0.2
    entropy: float = 0.05
    value: float = 0.5
    norm: float = 0.5
    memory: int = 0
    critic: int = 0
    team: int = 0


def usual_of(universe: Universe) -> Settings:
    """The defaults of trainings in a universe. Who is paid for its end alone looks no further than its lifespan: from
    further away an end that comes soon is worth hardly more than one that comes late."""
    settings, lifespan = Settings(), universe.lifespan
    unpaid = all(isinstance(each.value, Number) and each.value.value == 0 for each in universe.rewards)
    if lifespan is None or not unpaid or universe.roles:
        return settings
    return replace(settings, discount=min(1 - 1 / lifespan.ticks, settings.discount))


def names() -> list[str]:
    """The settings that `--set` changes, in their order."""
    return [field.name for field in fields(Settings) if field.name not in OF_OPTIONS]


def read_settings(said: Any) -> Settings:
    """Settings from JSON.

    Raises:
        ValueError: one lacks, is unknown, or is out of range.
    """
    # Runs of before there were these options say nothing of them.
    if not isinstance(said, dict) or {*said, *OF_OPTIONS} != {*names(), *OF_OPTIONS}:
        raise ValueError(f"settings are {', '.join(names())}")
    said = dict.fromkeys(OF_OPTIONS, 0) | said
    for name, usual in asdict(Settings()).items():
        number, (low, high) = said[name], LIMITS.get(name, (1, WIDEST))
        layers = number if name == "hidden" and isinstance(number, list) else [number]
        kinds = (int, float) if isinstance(usual, float) else (int,)
        if not 1 <= len(layers) <= DEEPEST or not all(type(each) in kinds and low <= each <= high for each in layers):
            raise ValueError(f"the setting {name} lies in {low:g} .. {high:g}")
    return Settings(**said | {"hidden": tuple(said["hidden"])})
