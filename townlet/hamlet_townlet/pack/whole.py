"""A whole pack."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hamlet_townlet.pack.affordances import Affordance, CustomAction
from hamlet_townlet.pack.bars import Bar, TerminalCondition
from hamlet_townlet.pack.cascades import Cascade, Modulation
from hamlet_townlet.pack.rewards import Rewards
from hamlet_townlet.pack.substrate import Substrate
from hamlet_townlet.pack.training import Training
from hamlet_townlet.pack.variables import Variable
from hamletc.language.source import Source

FILES = (
    "bars.yaml",
    "cascades.yaml",
    "affordances.yaml",
    "substrate.yaml",
    "drive_as_code.yaml",
    "training.yaml",
    "variables_reference.yaml",
    "cues.yaml",
    "global_actions.yaml",
)
"""The files of a pack."""
ACTIONS = FILES[-1]
"""It may also be in the folder above, which packs share."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack without errors. Spans of its parts refer to its `sources` by number: one for each of `FILES`."""

    directory: Path
    sources: tuple[Source, ...]
    bars: tuple[Bar, ...]
    terminal_conditions: tuple[TerminalCondition, ...]
    modulations: tuple[Modulation, ...]
    cascades: tuple[Cascade, ...]
    affordances: tuple[Affordance, ...]
    actions: tuple[CustomAction, ...]
    substrate: Substrate
    training: Training
    variables: tuple[Variable, ...]
    rewards: Rewards

    @property
    def deployed(self) -> tuple[Affordance, ...]:
        """The affordances that are in the world: those whose name *or id* is enabled, in file order."""
        return deployed_affordances(self.affordances, self.training)


def deployed_affordances(affordances: tuple[Affordance, ...], training: Training) -> tuple[Affordance, ...]:
    """The affordances whose name or id is enabled; HAMLET looks for both."""
    if training.enabled_affordances is None:
        return affordances
    enabled = {name.value for name in training.enabled_affordances}
    return tuple(a for a in affordances if a.name.value in enabled or a.id.value in enabled)
