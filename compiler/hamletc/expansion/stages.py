"""Stages of a curriculum: written out as a state that the world keeps, and a rule of the world that switches it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hamletc.diagnostics import Diagnostic, Label
from hamletc.expansion.places import Places
from hamletc.language import syntax
from hamletc.language.spelling import spell_name

STAGE = "stage"
"""The name of the state."""
SWITCHES = "stages"
"""The name of the rule."""
MOST_SWITCHES = 100
"""Each is a level of the expression that the rule assigns."""


def stages_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations, stages in their place as parts of the world, and what is wrong with these."""
    found = [item for item in declarations if isinstance(item, syntax.StagesDecl)]
    problems = tuple(problem for item in found for problem in _problems(item, places))
    if problems or not found:
        return declarations, problems
    return tuple(_of_world(item) if isinstance(item, syntax.StagesDecl) else item for item in declarations), ()


def _of_world(stages: syntax.StagesDecl) -> syntax.WorldDecl:
    """`kept state stage: easy hard = easy`, and `rule stages: stage = if stage == easy and c then hard else stage`."""
    span, known = stages.span, list(_known(stages).values())
    name = syntax.Name(STAGE, span)
    holds = syntax.StateSpec("options", tuple(known), span)
    state = syntax.MeterDecl(name, known[0], None, (), span, holds, kept=True)
    following: syntax.Expr = name
    for switch in reversed(stages.switches):
        place = switch.source.span
        now = syntax.BinaryExpr("==", syntax.Name(STAGE, place), switch.source, place, place)
        switches = syntax.BinaryExpr("and", now, switch.condition, switch.span, switch.span)
        following = syntax.IfExpr(switches, switch.target, following, switch.span)
    body = syntax.AssignStmt(syntax.Name(STAGE, span), "=", following, None, span)
    return syntax.WorldDecl((state, syntax.RuleDecl(syntax.Name(SWITCHES, span), None, (body,), span)), span)


def _known(stages: syntax.StagesDecl) -> dict[str, syntax.Name]:
    """The stages in the order in which they are first met."""
    known: dict[str, syntax.Name] = {}
    for switch in stages.switches:
        known.setdefault(switch.source.text, switch.source)
        known.setdefault(switch.target.text, switch.target)
    return known


def _problems(stages: syntax.StagesDecl, places: Places) -> Iterator[Diagnostic]:
    if len(stages.switches) > MOST_SWITCHES:
        over = stages.switches[MOST_SWITCHES]
        message = f"stages have at most {MOST_SWITCHES} switches, not {len(stages.switches):,}"
        yield places.diagnose("H033", message, over.span, hint="Join stages, or keep a number of the stage in a state.")
        return
    for switch in stages.switches:
        if switch.source.text == switch.target.text:
            hint = "Leave it out, or write another stage behind `->`."
            message = f"`{switch.source.text}` switches to itself"
            yield places.diagnose("H240", message, switch.target.span, "the same stage", hint=hint)
    first = stages.switches[0].source
    reached = {first.text}
    for _ in stages.switches:
        reached |= {switch.target.text for switch in stages.switches if switch.source.text in reached}
    lost = next((name for name in _known(stages).values() if name.text not in reached), None)
    if lost is not None:
        hint = f"Write what leads to it, as in `{spell_name(first)} -> {spell_name(lost)} when wins >= 10`."
        found = places.diagnose("H241", f"nothing leads to the stage `{lost.text}`", lost.span, hint=hint)
        label = Label(places.shown(first.span), "worlds begin here")
        yield replace(found, secondary=(label, *found.secondary))
