"""What of PPO can be chosen, and what is chosen unless somebody says otherwise."""

from __future__ import annotations

from dataclasses import dataclass


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
