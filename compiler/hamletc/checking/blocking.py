"""Agents that block each other's moves."""

from __future__ import annotations

from hamlet import universe
from hamlet.universe import Action, Blocking, OfAll, nodes
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, all_of
from hamletc.language import syntax


def resolve_blocking(file: syntax.File, names: Names, report: Findings) -> Blocking | None:
    """`space grid 8 x 8 { agents block to highest energy }`; a second one has been reported."""
    space = next((item for item in file.declarations if isinstance(item, syntax.SpaceDecl)), None)
    said = () if space is None else all_of(space.properties, syntax.BlockProperty)
    if not said:
        return None
    item, priority = said[0], None
    if item.highest is not None:
        priority = Expressions(names, report, scope="claim").number(item.highest)
        if isinstance(priority, universe.Number):
            report.add(messages.blocking.SamePriorityOfAll(priority.span))
        if priority is None:
            return None
    return Blocking(priority, item.span)


def check_blocking(draft: Draft, report: Findings) -> None:
    """Check that agents that block each other can move, and that it is known where they want to go before anybody
    does."""
    if draft.blocking is None:
        return
    if not any(any(move.by) for move in draft.moves_taken()) and not any(map(displaces, draft.actions)):
        report.add(messages.blocking.NobodyMoves(draft.blocking.span))
    for action in draft.actions:
        asked = [node for node in nodes((action.body, action.needs)) if isinstance(node, OfAll)]
        if asked and leads_by_numbers(action):
            report.add(messages.blocking.GoalOfAllAgents(asked[0].span, action.name, draft.blocking.span))


def displaces(action: Action) -> bool:
    """Whether an own action moves the agent that takes it."""
    return leads_by_numbers(action) or (action.move is not None and any(action.move))


def leads_by_numbers(action: Action) -> bool:
    """Whether what an own action does decides where it leads."""
    return any(isinstance(node, universe.Displace | universe.Teleport) for node in nodes(action.body))
