"""How findings are told: their kinds with their words, one file per chapter of the language.

The checker makes a value, as in `report.add(messages.rewards.RewardOfZero(span))`. A chapter is read when something is
wrong with it, so that a universe without mistakes waits for none.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hamletc.messages import actions as actions
    from hamletc.messages import affordances as affordances
    from hamletc.messages import agents as agents
    from hamletc.messages import births as births
    from hamletc.messages import blocking as blocking
    from hamletc.messages import copies as copies
    from hamletc.messages import crowds as crowds
    from hamletc.messages import drawings as drawings
    from hamletc.messages import draws as draws
    from hamletc.messages import effects as effects
    from hamletc.messages import elsewhere as elsewhere
    from hamletc.messages import everywhere as everywhere
    from hamletc.messages import expressions as expressions
    from hamletc.messages import graph as graph
    from hamletc.messages import headings as headings
    from hamletc.messages import inert as inert
    from hamletc.messages import lacking as lacking
    from hamletc.messages import layers as layers
    from hamletc.messages import levels as levels
    from hamletc.messages import locals as locals
    from hamletc.messages import maps as maps
    from hamletc.messages import meters as meters
    from hamletc.messages import moving as moving
    from hamletc.messages import names as names
    from hamletc.messages import observations as observations
    from hamletc.messages import pairs as pairs
    from hamletc.messages import past as past
    from hamletc.messages import places as places
    from hamletc.messages import posts as posts
    from hamletc.messages import pushing as pushing
    from hamletc.messages import ranges as ranges
    from hamletc.messages import relocations as relocations
    from hamletc.messages import rewards as rewards
    from hamletc.messages import roles as roles
    from hamletc.messages import rules as rules
    from hamletc.messages import series as series
    from hamletc.messages import space as space
    from hamletc.messages import stages as stages
    from hamletc.messages import standpoint as standpoint
    from hamletc.messages import starting as starting
    from hamletc.messages import states as states
    from hamletc.messages import tables as tables
    from hamletc.messages import templates as templates
    from hamletc.messages import things as things
    from hamletc.messages import walls as walls
    from hamletc.messages import world as world
else:

    def __getattr__(chapter: str) -> ModuleType:
        name = f"{__name__}.{chapter}"
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            raise AttributeError(f"there is no chapter {chapter!r} of messages") from None
