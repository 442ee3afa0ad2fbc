"""Checking: from a syntax tree to a Universe, or to what is wrong with it."""

from __future__ import annotations

import keyword
from typing import TypeVar

from hamlet.frozen import dataclass
from hamlet.recursion import allow_deep_trees
from hamlet.universe import NoSpace, PairMeter, Role, Rule, Span, Universe, nodes
from hamlet.universe.actions import WAIT
from hamletc import messages
from hamletc.checking.actions import resolve_acting, resolve_action, resolve_masks
from hamletc.checking.affordances import check_used_at_once, resolve_affordance
from hamletc.checking.births import check_room, resolve_pool
from hamletc.checking.blocking import check_blocking, resolve_blocking
from hamletc.checking.cells import fits_grid, resolve_cell_meter
from hamletc.checking.draft import DEEPEST_TREE, Draft
from hamletc.checking.drawings import resolve_drawings
from hamletc.checking.hidden import expect_hidden, keep_hidden
from hamletc.checking.inert import check_inert, check_used
from hamletc.checking.meters import (
    resolve_claim,
    resolve_control,
    resolve_input,
    resolve_meter,
    resolve_param,
    resolve_state,
)
from hamletc.checking.names import Names
from hamletc.checking.numbers import Constants, with_numbers
from hamletc.checking.observations import Observations
from hamletc.checking.observed_groups import Observed, check_loose
from hamletc.checking.observed_wholes import check_observed_ranges, check_observed_wholes, check_whole_groups
from hamletc.checking.places import check_places
from hamletc.checking.play import check_course
from hamletc.checking.proofs import Proofs
from hamletc.checking.pushing import check_pushing, resolve_pushing
from hamletc.checking.reach import check_ranges
from hamletc.checking.relocations import check_whole_relocations
from hamletc.checking.report import Findings, all_of, in_order, once, only
from hamletc.checking.rewards import pays_nothing, resolve_causes, resolve_report, resolve_rewards
from hamletc.checking.roles import fewest_agents, number_roles
from hamletc.checking.rules import (
    resolve_cascade,
    resolve_effect,
    resolve_effects,
    resolve_rule,
    written,
)
from hamletc.checking.settings import declared_space, declared_steps, resolve_settings
from hamletc.checking.solid import check_solid
from hamletc.checking.space import check_start
from hamletc.checking.spreads import check_spreads, with_places
from hamletc.checking.starting import resolve_starting
from hamletc.checking.starts import whole_once
from hamletc.checking.tables import resolve_tables
from hamletc.checking.terrain import check_walks, check_ways
from hamletc.checking.walls import check_walls, resolve_wall
from hamletc.checking.wholes import check_whole
from hamletc.checking.widening import with_reach
from hamletc.checking.world import check_blocks, resolve_world_meter
from hamletc.codes import INERT
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.expand import expand
from hamletc.expansion.trees import in_backticks
from hamletc.language import syntax

T = TypeVar("T")

REFUSED = "H023"
"""The code of a declaration of a name that every universe knows."""


def check(
    file: syntax.File, source_names: tuple[str, ...], *, whole: bool = True
) -> tuple[Universe | None, tuple[Diagnostic, ...]]:
    """The universe that a file describes, and the diagnostics in source order. Without `whole` there is no universe:
    who only wants to know what is wrong need not wait for it.

    The universe is `None` where one of them is an error. `source_names` are the names, without their folder, of the
    files that spans refer to by number. What has an error is left out of the later stages, so that one mistake is
    reported once; unread names and warnings are looked for when all else is right. A name that is refused is read as
    if it stood in backticks wherever it is used, unless more is wrong then: so its uses are no mistakes, too.
    """
    allow_deep_trees()
    first = _checked(file, source_names, whole=whole)
    if not first.refused:
        return first.universe, first.findings
    refusals = tuple(each for each in first.findings if each.code == REFUSED)
    again = _checked(in_backticks(file, first.refused), source_names).findings
    others = (each for each in again if each.severity == "error" and each.code not in INERT)
    found = in_order((*refusals, *others))
    return None, min(found, first.findings, key=lambda findings: sum(each.severity == "error" for each in findings))


@dataclass(frozen=True, slots=True)
class _Checked:
    """What a check of a file gives. `refused` are declared names that mean something else in every universe."""

    universe: Universe | None
    findings: tuple[Diagnostic, ...]
    refused: frozenset[str] = frozenset()


def prove(file: syntax.File, source_names: tuple[str, ...]) -> Proofs | None:
    """Where values of a universe lie in play; `None` where the file has errors."""
    allow_deep_trees()
    proofs = Proofs()
    findings = _checked(file, source_names, proofs, whole=False).findings
    return None if any(each.severity == "error" for each in findings) else proofs


def _checked(
    file: syntax.File, source_names: tuple[str, ...], proofs: Proofs | None = None, *, whole: bool = True
) -> _Checked:
    constants = Constants()
    expanded = expand(file, len(source_names), declared_space, declared_steps, constants.written_out)
    if expanded.problems:
        return _Checked(None, once(expanded.problems))
    as_written, file = file, expanded.file
    inert_allowed = any(isinstance(item, syntax.InertDecl) for item in file.declarations)
    report = Findings(expanded.places, inert_allowed=inert_allowed)
    check_blocks(as_written.declarations, report)
    _check_name(file.name, report)
    names = Names(file, report)
    names.counts_hours = constants.counts_hours
    numbered = with_numbers(file, names, report)
    if numbered is None:
        return _Checked(None, report.in_source_order(), frozenset(names.refused))
    file = numbered
    number_roles(all_of(file.declarations, syntax.RoleDecl), names, report)
    draft = resolve(file, names, report)
    complete = report.harmless
    if draft.start is not None and draft.reads_speed():
        check_start(draft.start, report)
    if _is_shallow(draft, report):
        check_whole(draft, names, report)
        check_whole_relocations(draft, report)
        reach = check_ranges(draft, names, report)
        check_observed_wholes(draft, reach.observed, report)
        check_observed_ranges(draft, reach.observed, report)
        check_whole_groups(draft, reach.observed, report)
        if complete:
            check_inert(file.name, draft, reach.changes, names, report)
            check_room(draft, report)
            check_used(expanded.unused, report)
            if report.harmless and not report.inert_allowed:
                check_course(draft, names, reach, report, proofs)
    if not report.failed:
        assert not names.suspects, f"a statement that writes {min(names.suspects)!r} was left out, and nobody was told"
        assert not names.unplaced, f"nobody knows where {next(iter(names.unplaced))} lies, and nobody was told"
        draft.prove(reach.observed)
    found = draft.finish(file.name.text, source_names) if whole and not report.failed else None
    universe = None if found is None else expanded.places.settled(with_reach(found, reach.meters))
    if proofs is not None:
        proofs.settle(expanded.places)
    findings = report.in_source_order()
    if expanded.warnings and not report.failed:
        findings = in_order((*findings, *expanded.warnings))
    return _Checked(universe, findings, frozenset(names.refused))


def _is_shallow(draft: Draft, report: Findings) -> bool:
    """Whether all expressions can be walked over by recursion; long ones of `min` and `max` are reported."""
    for tree in draft.highest:
        report.add(messages.expressions.TooManyLevels(tree.span, DEEPEST_TREE))
    return not draft.highest


def _check_name(name: syntax.Name, report: Findings) -> None:
    """A package has the name of its universe, so Python must take it."""
    is_keyword = keyword.iskeyword(name.text)
    if is_keyword or not name.text.isidentifier():
        report.add(messages.names.NameNotImported(name.span, name.text, is_keyword))


def resolve(file: syntax.File, names: Names, report: Findings) -> Draft:
    """Everything of the file that is sound by itself; what is not, is reported."""
    draft = Draft(lets=names.lets)
    names.tables = resolve_tables(file.declarations, report)
    draft.tables = [tabled.table for tabled in names.tables.values()]
    resolve_settings(file, draft, names, report)
    names.effects = resolve_effects(file, names, report)
    expect_hidden(file, draft, names)
    report.past = () if names.history is None else names.history.spans
    draft.wall = names.wall = resolve_wall(file, syntax.WallItem, names, report)
    draft.solid = names.solid = resolve_wall(file, syntax.SolidItem, names, report)
    draft.starting = resolve_starting(file, names, report)
    places: dict[str, Span] = {}
    going_on: list[Rule] = []
    going_on_in_world: list[Rule] = []
    for declaration in file.declarations:
        match declaration:
            case syntax.ParamDecl(name=name):
                _keep(draft.params, resolve_param(declaration, names, report), name, names)
            case syntax.InputDecl(name=name):
                _keep(draft.inputs, resolve_input(declaration, names, report), name, names)
            case syntax.ControlDecl(name=name):
                _keep(draft.controls, resolve_control(declaration, names, report), name, names)
            case syntax.MeterDecl(name=name):
                _keep(draft.meters, resolve_meter(declaration, names, report), name, names)
                claim = resolve_claim(declaration, report)
                if claim is not None:
                    draft.claims.setdefault(name.text, claim)
            case syntax.WorldDecl():
                _resolve_world(declaration, draft, names, report)
                effects = (item for item in declaration.items if isinstance(item, syntax.EffectDecl))
                going_on_in_world += (rule for item in effects if (rule := resolve_effect(item, names, report)))
            case syntax.EffectDecl():
                going_on += (rule for rule in (resolve_effect(declaration, names, report),) if rule)
            case syntax.CellsDecl():
                _resolve_cells(declaration, draft, names, report)
            case syntax.PairsDecl():
                _resolve_pairs(declaration, draft, names, report)
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
                _keep(draft.actions, resolve_action(declaration, names, report), name, names)
            case syntax.ReportDecl(name=name):
                _keep(draft.reports, resolve_report(declaration, names, report), name, names)
            case _:
                pass
    draft.meters += names.effects.agents_meters()
    draft.world_meters += names.effects.worlds_meters()
    draft.effects = frozenset(rule.name for rule in (*going_on, *going_on_in_world))
    draft.dynamics[:0] = going_on
    draft.world_rules[:0] = going_on_in_world
    draft.space = names.space = with_places(draft.space, draft.affordances, (*draft.closing(), draft.starting))
    check_places(draft.affordances, places, draft.space, fewest_agents(names), report)
    check_spreads(draft.affordances, draft.space, report)
    check_used_at_once(draft.affordances, draft.space, names, report)
    check_ways(draft, names, report)
    if not fits_grid(draft, report):
        draft.of_cells = None
    _resolve_outcomes(file, draft, names, report)
    check_walks(draft, report)
    check_walls(draft, names, report)
    check_blocking(draft, report)
    check_pushing(draft, names, report)
    check_solid(draft, names, report)
    whole_once(draft, names)
    keep_hidden(draft, names)
    drawn = only(all_of(file.declarations, syntax.DrawDecl), "`draw`", report, "block")
    draft.drawings = () if drawn is None else resolve_drawings(drawn, draft, names, report)
    draft.settle()
    return draft


def _resolve_world(block: syntax.WorldDecl, draft: Draft, names: Names, report: Findings) -> None:
    draft.of_world = draft.of_world or block.span
    for item in block.items:
        match item:
            case syntax.MeterDecl(name=name):
                _keep(draft.world_meters, resolve_world_meter(item, names, report), name, names)
            case syntax.EffectDecl() | syntax.OnceDecl():
                pass
            case syntax.RuleDecl(name=name):
                _keep(draft.world_rules, resolve_rule(item, names, report, "world"), name, names, item.body)


def _resolve_cells(block: syntax.CellsDecl, draft: Draft, names: Names, report: Findings) -> None:
    draft.of_cells = draft.of_cells or block.span
    for item in block.items:
        match item:
            case syntax.MeterDecl(name=name):
                _keep(draft.cell_meters, resolve_cell_meter(item, names, report), name, names)
            case syntax.RuleDecl(name=name):
                _keep(draft.cell_rules, resolve_rule(item, names, report, "cell"), name, names, item.body)
            case syntax.WallItem() | syntax.SolidItem():
                pass  # They are resolved before the expressions that ask for such cells.


def _resolve_pairs(block: syntax.PairsDecl, draft: Draft, names: Names, report: Findings) -> None:
    draft.of_pairs = draft.of_pairs or block.span
    for item in block.items:
        match item:
            case syntax.MeterDecl(name=name):
                held = resolve_state(item, names, report, "pair")
                meter = None if held is None else PairMeter(name.text, *held[:3], item.span, held[3])
                _keep(draft.pair_meters, meter, name, names)
            case syntax.RuleDecl(name=name):
                _keep(draft.pair_rules, resolve_rule(item, names, report, "pair"), name, names, item.body)
            case syntax.LinksDecl():
                pass  # They are written out.


def _resolve_outcomes(file: syntax.File, draft: Draft, names: Names, report: Findings) -> None:
    # In a space agents have a position, which may be all that they need.
    has_state = not isinstance(draft.space, NoSpace | None)
    if not has_state and not any(isinstance(each, syntax.MeterDecl) for each in nodes(file.declarations)):
        report.add(messages.lacking.PartMissing(file.name.span, file.name.text, "meter"))
    ends = all_of(file.declarations, syntax.EndsDecl)
    draft.causes = resolve_causes(all_of(file.declarations, syntax.DiesDecl), ends, names, report)
    rewards = all_of(file.declarations, syntax.RewardDecl)
    if rewards:
        draft.rewards = resolve_rewards(rewards, names, report)
        draft.unpaid = pays_nothing(rewards)
    else:
        report.add(messages.lacking.PartMissing(file.name.span, file.name.text, "reward"))
    draft.masks = resolve_masks(all_of(file.declarations, syntax.AllowDecl), draft.order, names, report)
    draft.acting = resolve_acting(all_of(file.declarations, syntax.ActsDecl), names, report)
    draft.blocking = resolve_blocking(file, names, report)
    draft.pushing = resolve_pushing(file, draft, names, report)
    observe = only(all_of(file.declarations, syntax.ObserveDecl), "`observe`", report)
    of_roles = {name.text for item in all_of(file.declarations, syntax.RoleDecl) for name in item.meters}
    seen = Observations(names, draft, of_roles, report)
    if observe is not None:
        draft.unseen = not observe.items
    observed = Observed() if observe is None else seen.resolve(observe)
    draft.observations, draft.groups = observed.items, observed.groups
    of_each = _resolve_roles(file, draft, seen, of_roles, names, report)
    check_loose((observed, *of_each), report)


def _resolve_roles(
    file: syntax.File, draft: Draft, seen: Observations, of_roles: set[str], names: Names, report: Findings
) -> list[Observed]:
    """The roles in the order of their agents, with what they observe behind what all agents do, which is returned."""
    observed: list[Observed] = []
    roles = all_of(file.declarations, syntax.RoleDecl)
    for item in sorted(roles, key=lambda role: role.agents is None):
        numbered = (names.roles or {}).get(item.name.text)
        observe = only(all_of(item.items, syntax.ObserveDecl), "`observe`", report)
        own = [name.text for name in item.meters]
        shown = Observed() if observe is None else seen.of_role(of_roles.difference(own)).resolve(observe)
        observed.append(shown)
        if numbered is not None and names.owns(item.name):
            actions = tuple(name.text for name in item.actions)
            numbers = numbered.first, numbered.agents
            items, groups = tuple(shown.items), tuple(shown.groups)
            role = Role(item.name.text, *numbers, tuple(own), actions, items, item.span, groups)
            draft.roles.append(role)
            pool = resolve_pool(item, role, draft, names, report)
            draft.pools += () if pool is None else (pool,)
    first = next((item.actions[0] for item in all_of(file.declarations, syntax.ActionsDecl)), None)
    of_one = {name for role in draft.roles for name in role.actions} if len(roles) > 1 else set()
    if first is not None and first.text in of_one and WAIT not in draft.order and not draft.acting:
        report.add(messages.actions.ActionOfOneRoleFirst(first.span, first.text))
    return observed


def _keep(
    draft: list[T], resolved: T | None, name: syntax.Name, names: Names, body: tuple[syntax.Stmt, ...] = ()
) -> None:
    """Add what was resolved, if it is sound and the first of its name; `body` is what is lost otherwise."""
    if resolved is not None and names.owns(name):
        draft.append(resolved)
    else:
        names.suspects |= written(body)
