"""Where affordances stand that windows show: `window 2 of Bed`, `window 2 of open Bar`."""

from __future__ import annotations

from functools import reduce

from hamlet import universe
from hamlet.universe import Expression, Span
from hamletc import messages
from hamletc.checking.names import Names
from hamletc.checking.observed_cells import affordances_of, shows_agents
from hamletc.checking.observed_items import Listing
from hamletc.language import syntax


def shows_affordances(word: syntax.Name, names: Names) -> bool:
    """Whether an affordance is meant, and nothing else that is declared by this name."""
    other = names.means(word, "cell meter") or names.means(word, "region") or names.means(word, "terrain")
    return word.text in affordances_of(names) and not other and not shows_agents(word, names)


def stands(word: syntax.Name, opened: syntax.Name | None, listing: Listing) -> Expression | None:
    """The condition that an affordance, or one of its copies, stands on a cell; with `opened` one that is open."""
    names, span = listing.names, word.span
    if word.text not in affordances_of(names):
        names.refuse(word, "an affordance", affordances_of(names))
        return None
    conditions: list[Expression] = []
    for affordance in listing.draft.affordances:
        if word.text not in (affordance.name, affordance.copy_of):
            continue
        here, when = universe.Here(affordance.name, span), _open_when(affordance, listing.draft.clock, span)
        if opened is None:
            conditions.append(here)
        elif when is not None:
            conditions.append(universe.Binary("and", here, when, span))
        else:
            listing.report.add(messages.observations.AlwaysOpen(opened.span, word, affordance.span))
            return None
    if not conditions:
        return None  # it has errors
    return reduce(lambda one, other: universe.Binary("or", one, other, span), conditions)


def _open_when(affordance: universe.Affordance, clock: universe.Clock | None, span: Span) -> Expression | None:
    """The condition under which an affordance that is there is open; `None` where it always is."""
    opening = None if affordance.appears is not None else affordance.opening
    included = None if affordance.hours is None else _in_day(affordance.hours, clock, span)
    if opening is None or included is None:
        return included if opening is None else opening
    return universe.Binary("and", included, opening, span)


def _in_day(hours: universe.Hours, clock: universe.Clock | None, span: Span) -> Expression | None:
    """The condition that an affordance is open at this hour; `None` where it is at all hours. A side that holds in the
    whole day, or never, is left out: its author wrote no comparison."""
    both = hours.condition(span)
    if clock is None or not isinstance(both, universe.Binary):
        return both
    if hours.closes in (0, clock.hours):
        return both.left if hours.opens else None
    return both if hours.opens else both.right
