"""training.yaml: the environment."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet_townlet.pack.spanned import Spanned


@dataclass(frozen=True, slots=True)
class Training:
    """What training.yaml says about the environment. `None` stands for all affordances or actions."""

    partial_observability: Spanned[bool]
    vision_range: Spanned[int]
    temporal: Spanned[bool]
    randomize_affordances: Spanned[bool]
    enabled_affordances: tuple[Spanned[str], ...] | None
    enabled_actions: tuple[Spanned[str], ...] | None
    num_agents: Spanned[int]
    lifespan: Spanned[int]
