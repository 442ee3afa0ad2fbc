"""Stages of a curriculum: written out as a state that the world keeps, and a rule of the world that switches it."""

from __future__ import annotations

from collections.abc import Iterator

from hamletc import messages
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.places import Places
from hamletc.expansion.trees import free
from hamletc.language import syntax
from hamletc.language.declared import in_namespace

STAGE = "stage"
"""The name of the state."""
SWITCHES = "stages"
"""The name of the rule."""
MOST_IN_A_CHAIN = 100
"""Each switch of a chain is a level of the expression that the rule assigns."""
MOST_IN_A_GROUP = 50
"""Where there are more switches than a chain takes, a chain of groups has a chain in each."""
MOST_SWITCHES = (MOST_IN_A_CHAIN - MOST_IN_A_GROUP) * MOST_IN_A_GROUP
"""As many as have no more levels than the longest chain."""


def stages_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations, stages in their place as parts of the world, and what is wrong with these."""
    found = [item for item in declarations if isinstance(item, syntax.StagesDecl)]
    problems = tuple(problem for item in found for problem in _problems(item, places))
    if problems or not found:
        return declarations, problems
    rule = free(SWITCHES, in_namespace("rule", declarations))
    return tuple(_of_world(item, rule) if isinstance(item, syntax.StagesDecl) else item for item in declarations), ()


def _of_world(stages: syntax.StagesDecl, rule: str) -> syntax.WorldDecl:
    """`kept state stage: easy hard = easy`, and `rule stages: stage = if stage == easy and c then hard else stage`."""
    span, known = stages.span, list(_known(stages).values())
    name = syntax.Name(STAGE, span)
    holds = syntax.StateSpec("options", tuple(known), span)
    state = syntax.MeterDecl(name, known[0], None, (), span, holds, kept=True)
    following = _chain(stages.switches, name) if len(stages.switches) <= MOST_IN_A_CHAIN else _groups(stages, name)
    body = syntax.AssignStmt(syntax.Name(STAGE, span), "=", following, None, span)
    return syntax.WorldDecl((state, syntax.RuleDecl(syntax.Name(rule, span), None, (body,), span)), span)


def _chain(switches: tuple[syntax.Switch, ...], stage: syntax.Name) -> syntax.Expr:
    """`if stage == a and c then b else if stage == b and e then d else stage`."""
    following: syntax.Expr = stage
    for switch in reversed(switches):
        following = syntax.IfExpr(_happens(switch), switch.target, following, switch.span)
    return following


def _groups(stages: syntax.StagesDecl, stage: syntax.Name) -> syntax.Expr:
    """`if (chain) != stage then (chain) else if (next) != stage then (next) else stage`, a chain of each group: the
    first switch that happens, as in one long chain, with fewer levels. No switch leads to the stage that it is in."""
    starts = range(0, len(stages.switches), MOST_IN_A_GROUP)
    following: syntax.Expr = stage
    for group in reversed([stages.switches[start : start + MOST_IN_A_GROUP] for start in starts]):
        chain, place = _chain(group, stage), group[0].span
        one_happens = syntax.BinaryExpr("!=", chain, stage, place, place)
        following = syntax.IfExpr(one_happens, chain, following, place)
    return following


def _happens(switch: syntax.Switch) -> syntax.Expr:
    """`stage == a and c`."""
    place = switch.source.span
    now = syntax.BinaryExpr("==", syntax.Name(STAGE, place), switch.source, place, place)
    return syntax.BinaryExpr("and", now, switch.condition, switch.span, switch.span)


def _known(stages: syntax.StagesDecl) -> dict[str, syntax.Name]:
    """The stages in the order in which they are first met."""
    known: dict[str, syntax.Name] = {}
    for switch in stages.switches:
        known.setdefault(switch.source.text, switch.source)
        known.setdefault(switch.target.text, switch.target)
    return known


def _reached(stages: syntax.StagesDecl) -> set[str]:
    """The stages to which switches lead from the first one, and that one."""
    leads: dict[str, list[str]] = {}
    for switch in stages.switches:
        leads.setdefault(switch.source.text, []).append(switch.target.text)
    pending = [stages.switches[0].source.text]
    reached = set(pending)
    while pending:
        new = set(leads.get(pending.pop(), ())) - reached
        reached |= new
        pending += new
    return reached


def _problems(stages: syntax.StagesDecl, places: Places) -> Iterator[Diagnostic]:
    if len(stages.switches) > MOST_SWITCHES:
        over = stages.switches[MOST_SWITCHES]
        yield places.told(messages.stages.TooManySwitches(over.span, len(stages.switches), MOST_SWITCHES))
        return
    for switch in stages.switches:
        if switch.source.text == switch.target.text:
            yield places.told(messages.stages.SwitchToItself(switch.target.span, switch.source.text))
    first, reached = stages.switches[0].source, _reached(stages)
    lost = next((name for name in _known(stages).values() if name.text not in reached), None)
    if lost is not None:
        yield places.told(messages.stages.StageOutOfReach(lost.span, lost, first))
