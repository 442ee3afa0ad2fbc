"""Kinds of agents: which numbers they have."""

from __future__ import annotations

from hamlet.schema import MOST_AGENTS
from hamletc import messages
from hamletc.checking.names import Names, Numbered
from hamletc.checking.report import Findings, whole_number
from hamletc.language import syntax


def number_roles(declarations: list[syntax.RoleDecl], names: Names, report: Findings) -> None:
    """Give agents to roles, in file order; a role of all others has the last numbers."""
    first: int | None = 0
    found: dict[str, Numbered | None] = {}
    counted = [item for item in declarations if item.agents is not None]
    others = [item for item in declarations if item.agents is None]
    for item in counted:
        agents = None if item.agents is None else _count(item.agents, report)
        found[item.name.text] = None if first is None or agents is None else Numbered(first, agents)
        first = None if first is None or agents is None else first + agents
    for item in others:
        found[item.name.text] = None if first is None else Numbered(first, None)
    most = MOST_AGENTS - len(others)
    if first is not None and first > most:
        span = counted[-1].span if counted[-1].agents is None else counted[-1].agents.span
        report.add(messages.agents.TooManyAgents(span, first, MOST_AGENTS, tuple(item.span for item in others)))
    names.roles = found


def fewest_agents(names: Names) -> int:
    """The fewest agents of a world: one of each role at least."""
    return sum(1 if role is None else role.agents or 1 for role in (names.roles or {}).values()) or 1


def only_agents(names: Names) -> int | None:
    """How many agents a world has where its roles say so; `None` where one of them is all others, or there are none."""
    counts = [None if role is None else role.agents for role in (names.roles or {}).values()]
    return None if not counts or None in counts else sum(count or 0 for count in counts)


def _count(agents: syntax.Signed, report: Findings) -> int | None:
    """The number of agents of a role."""
    if agents.text == "0":
        report.add(messages.agents.RoleWithoutAgents(agents.span))
        return None
    return whole_number(agents, 1, MOST_AGENTS, "the number of agents of a role", report)


def most_of(condition: syntax.Expr, names: Names) -> int:
    """For how many agents of a world a condition holds at most, by the roles that it names."""
    numbered = {name: each.agents for name, each in (names.roles or {}).items() if each is not None}
    match condition:
        case syntax.RoleExpr(role=role) if (agents := numbered.get(role)) is not None:
            return agents
        case syntax.BinaryExpr(op="and", left=left, right=right):
            return min(most_of(left, names), most_of(right, names))
        case _:
            known = [agents for agents in numbered.values() if agents is not None]
            all_known = bool(known) and len(known) == len(names.roles or {})
            return min(sum(known), MOST_AGENTS) if all_known else MOST_AGENTS
