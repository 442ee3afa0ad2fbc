"""All declarations of a file, resolved one by one into a draft."""

from __future__ import annotations

from typing import TypeVar

from hamlet.universe import Span
from hamletc.checking.affordances import resolve_action, resolve_affordance
from hamletc.checking.draft import Draft
from hamletc.checking.dynamics import resolve_cascade, resolve_rule
from hamletc.checking.expressions import Expressions
from hamletc.checking.masks import resolve_masks
from hamletc.checking.meters import resolve_claim, resolve_input, resolve_meter, resolve_param
from hamletc.checking.moves import check_actions, resolve_moves
from hamletc.checking.names import Names
from hamletc.checking.observations import Observations
from hamletc.checking.outcomes import (
    pays_nothing,
    resolve_causes,
    resolve_clock,
    resolve_lifespan,
    resolve_report,
    resolve_rewards,
    resolve_tracking,
)
from hamletc.checking.places import check_places
from hamletc.checking.properties import only
from hamletc.checking.report import Report
from hamletc.checking.space import resolve_space, resolve_start, space_properties
from hamletc.checking.statements import written
from hamletc.language import syntax

T = TypeVar("T")
D = TypeVar("D", bound=syntax.Decl)


def resolve(file: syntax.File, names: Names, report: Report) -> Draft:
    """Everything of the file that is sound by itself; what is not, is reported."""
    draft = Draft()
    _resolve_space_and_time(file, draft, names, report)
    places: dict[str, Span] = {}
    for declaration in file.declarations:
        match declaration:
            case syntax.ParamDecl(name=name):
                _keep(draft.params, resolve_param(declaration, names, report), name, names)
            case syntax.InputDecl(name=name):
                _keep(draft.inputs, resolve_input(declaration, names, report), name, names)
            case syntax.MeterDecl(name=name):
                _keep(draft.meters, resolve_meter(declaration, names, report), name, names)
                claim = resolve_claim(declaration, report)
                if claim is not None:
                    draft.claims.setdefault(name.text, claim)
            case syntax.RuleDecl(name=name):
                _keep(draft.dynamics, resolve_rule(declaration, names, report), name, names, declaration.body)
            case syntax.CascadeDecl(name=name):
                draft.guards.setdefault(name.text, declaration.guard.span)
                _keep(draft.dynamics, resolve_cascade(declaration, names, report), name, names, declaration.body)
            case syntax.AffordanceDecl(name=name):
                hours = draft.clock.hours if draft.clock is not None else None
                affordance = resolve_affordance(declaration, draft.space, hours, names, report)
                _keep(draft.affordances, affordance, name, names)
                places[name.text] = declaration.place_span or name.span
            case syntax.ActionDecl(name=name):
                _keep(draft.actions, resolve_action(declaration, draft.space, names, report), name, names)
            case syntax.ReportDecl(name=name):
                _keep(draft.reports, resolve_report(declaration, names, report), name, names)
            case _:
                pass
    check_places(draft.affordances, places, draft.space, report)
    _resolve_outcomes(file, draft, names, report)
    return draft


def _resolve_space_and_time(file: syntax.File, draft: Draft, names: Names, report: Report) -> None:
    _resolve_space(file, draft, names, report)
    start = only(_all(file, syntax.StartDecl), "`start`", report)
    if start is not None and draft.space is not None:
        draft.start = resolve_start(start, draft.space, report)
    clock = only(_all(file, syntax.ClockDecl), "`clock`", report)
    if clock is not None:
        draft.clock = resolve_clock(clock, report)
    lifespan = only(_all(file, syntax.LifespanDecl), "`lifespan`", report)
    if lifespan is not None:
        draft.lifespan = resolve_lifespan(lifespan, names, report)
        draft.forever = lifespan.span if isinstance(lifespan.ticks, syntax.Name) else None
    draft.by_hand = only(_all(file, syntax.EpisodesDecl), "`episodes by hand`", report) is not None
    tracking = only(_all(file, syntax.TrackDecl), "`track uses`", report)
    if tracking is not None:
        draft.tracking = resolve_tracking(tracking, report)
    only(_all(file, syntax.InertDecl), "`inert allowed`", report)


def _resolve_space(file: syntax.File, draft: Draft, names: Names, report: Report) -> None:
    space = only(_all(file, syntax.SpaceDecl), "`space`", report)
    moves = only(_all(file, syntax.MovesDecl), "`moves`", report)
    if space is None:
        _missing("space", file, "Add `space grid 8 x 8`, or `space none`.", report)
        return
    expressions = Expressions(names, report)
    given = space_properties(space, report)
    draft.metric = given["distance"].span if "distance" in given else None
    draft.space = names.space = resolve_space(space, given, expressions, report)
    if draft.space is not None:
        draft.moves = resolve_moves(moves, draft.space, given, expressions, report)
        of_moves = space.span if moves is None else moves.span
        check_actions(_all(file, syntax.ActionDecl), draft.moves, of_moves, report)


def _resolve_outcomes(file: syntax.File, draft: Draft, names: Names, report: Report) -> None:
    if not _all(file, syntax.MeterDecl):
        _missing("meter", file, "Add `meter energy = 1.0 { decay 0.005 }`.", report)
    draft.causes = resolve_causes(_all(file, syntax.DiesDecl), names, report)
    rewards = _all(file, syntax.RewardDecl)
    if rewards:
        draft.rewards = resolve_rewards(rewards, names, report)
        draft.unpaid = pays_nothing(rewards)
    else:
        _missing("reward", file, "Add what is paid, as in `reward energy`, or `reward nothing`.", report)
    draft.masks = resolve_masks(_all(file, syntax.AllowDecl), draft.moves, names, report)
    observe = only(_all(file, syntax.ObserveDecl), "`observe`", report)
    if observe is not None:
        draft.unseen = not observe.items
        never_ending = [affordance for affordance in draft.affordances if affordance.duration == 0]
        draft.observations = Observations(names, draft.space, never_ending, report).resolve(observe)


def _all(file: syntax.File, kind: type[D]) -> list[D]:
    return [declaration for declaration in file.declarations if isinstance(declaration, kind)]


def _keep(
    draft: list[T], resolved: T | None, name: syntax.Name, names: Names, body: tuple[syntax.Stmt, ...] = ()
) -> None:
    """Add what was resolved, if it is sound and the first of its name; `body` is what is lost otherwise."""
    if resolved is not None and names.owns(name):
        draft.append(resolved)
    else:
        names.suspects |= written(body)


def _missing(what: str, file: syntax.File, hint: str, report: Report) -> None:
    report.add("H025", f"the universe `{file.name.text}` has no {what}", file.name.span, hint=hint)
