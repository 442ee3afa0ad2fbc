"""Agents that block each other's moves."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet import universe
from hamlet.universe import Action, Blocking, OfAll, Span, leading, nodes
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
    item = said[0]
    priority = None if item.highest is None else highest_of(item.highest, names, report)
    return None if priority is None and item.highest is not None else Blocking(priority, item.span)


def highest_of(said: syntax.Expr, names: Names, report: Findings) -> universe.Expression | None:
    """The number of agents by which they come first, the highest of all; `None` where something is wrong with it."""
    priority = Expressions(names, report, scope="claim").number(said)
    if isinstance(priority, universe.Number):
        report.add(messages.blocking.SamePriorityOfAll(priority.span))
    return priority


def check_blocking(draft: Draft, report: Findings) -> None:
    """Check that agents that block each other can move, and that it is known where they want to go before anybody
    does."""
    for held in (draft.blocking, draft.pushing):
        if held is not None:
            for action, asked in _goals_of_all(draft):
                said = "agents block" if isinstance(held, Blocking) else "agents push"
                report.add(messages.blocking.GoalOfAllAgents(asked, action, said, held.span))
    _check_claims(draft, report)
    if draft.blocking is None:
        return
    if not any(any(move.by) for move in draft.moves_taken()) and not any(map(displaces, draft.actions)):
        report.add(messages.blocking.NobodyMoves(draft.blocking.span))


def _check_claims(draft: Draft, report: Findings) -> None:
    """Check that it is known who walks into something solid before anybody does, where there are places to claim."""
    claimed = [each for each in draft.affordances if each.capacity is not None]
    if claimed and any(each.solid for each in draft.affordances):
        served = next((each for each in claimed if each.solid), claimed[0])
        for action, asked in _goals_of_all(draft):
            report.add(messages.blocking.WalkOfAllAgents(asked, action, served.name, served.span))


def _goals_of_all(draft: Draft) -> Iterator[tuple[str, Span]]:
    """The own actions of which what all agents have together decides where they lead, and where they ask for that."""
    for action in draft.actions:
        asked = [node for node in nodes(leading(action.body)) if isinstance(node, OfAll)]
        if asked:
            yield action.name, asked[-1].span


def displaces(action: Action) -> bool:
    """Whether an own action moves the agent that takes it."""
    return leads_by_numbers(action) or (action.move is not None and any(action.move))


def leads_by_numbers(action: Action) -> bool:
    """Whether what an own action does decides where it leads."""
    return any(isinstance(node, universe.Displace | universe.Teleport) for node in nodes(action.body))
