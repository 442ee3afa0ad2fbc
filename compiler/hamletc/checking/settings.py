"""Settings: the space with its moves, the list of actions, the clock and the lifespan, how episodes go on."""

from __future__ import annotations

from hamlet.schema.actions import BUILT_IN
from hamlet.universe import Grid, Move, Space
from hamlet.universe.actions import WAIT
from hamlet.universe.space import sides
from hamletc import messages
from hamletc.checking.actions import check_actions, resolve_moves, resolve_order
from hamletc.checking.affordances import resolve_clock, resolve_tracking
from hamletc.checking.draft import Draft
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.numbers import with_numbers
from hamletc.checking.report import Findings, all_of, only
from hamletc.checking.rewards import resolve_lifespan
from hamletc.checking.space import resolve_space, resolve_start, space_properties
from hamletc.checking.terrain import fits, resolve_map
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.headings import TURNING_MOVES, turning_of
from hamletc.expansion.places import Places
from hamletc.language import syntax


def resolve_settings(file: syntax.File, draft: Draft, names: Names, report: Findings) -> None:
    """Resolve what a universe says once of itself: its space with moves and actions, its time, how it goes on."""
    _resolve_space(file, draft, names, report)
    start = only(all_of(file.declarations, syntax.StartDecl), "`start`", report)
    if start is not None and draft.space is not None:
        draft.start = resolve_start(start, draft.space, report)
    clock = only(all_of(file.declarations, syntax.ClockDecl), "`clock`", report)
    if clock is not None:
        draft.clock = resolve_clock(clock, report)
    lifespan = only(all_of(file.declarations, syntax.LifespanDecl), "`lifespan`", report)
    if lifespan is not None:
        draft.lifespan = resolve_lifespan(lifespan, names, report)
        draft.forever = lifespan.span if isinstance(lifespan.ticks, syntax.Name) else None
    draft.by_hand = only(all_of(file.declarations, syntax.EpisodesDecl), "`episodes by hand`", report) is not None
    tracking = only(all_of(file.declarations, syntax.TrackDecl), "`track uses`", report)
    if tracking is not None:
        draft.tracking = resolve_tracking(tracking, report)
    only(all_of(file.declarations, syntax.InertDecl), "`inert allowed`", report)


def _resolve_space(file: syntax.File, draft: Draft, names: Names, report: Findings) -> None:
    space = only(all_of(file.declarations, syntax.SpaceDecl), "`space`", report)
    moves = only(all_of(file.declarations, syntax.MovesDecl), "`moves`", report)
    drawn = any(isinstance(item, syntax.MapDecl) for item in file.declarations)
    if space is None:
        report.add(messages.lacking.PartMissing(file.name.span, file.name.text, "space", drawn))
        return
    expressions = Expressions(names, report)
    ground = resolve_map(file, names, expressions, report)
    given = space_properties(space, report)
    if space.kind.text in syntax.GRIDS and not space.sizes and not drawn:
        report.add(messages.lacking.MapMissing(space.span))
    if drawn and ground is None:
        draft.moves, names.moves = None, None
        return
    metric = given.of(syntax.MetricProperty)
    draft.metric = None if metric is None else metric.span
    draft.space = names.space = resolve_space(space, given, ground, expressions, names, report)
    fits(ground, draft.space, report)
    if draft.space is not None:
        draft.moves = resolve_moves(moves, draft.space, given, expressions, report)
        names.turning = None if (turning := turning_of(space)) is None else turning.span
        of_moves = space.span if moves is None else moves.span
        if draft.moves is not None:
            _resolve_order(file, draft, draft.moves, names, report)
        check_actions(all_of(file.declarations, syntax.ActionDecl), draft.moves, of_moves, report)


def _resolve_order(file: syntax.File, draft: Draft, moves: tuple[Move, ...], names: Names, report: Findings) -> None:
    """The list of actions, if there is one, and which actions of the space there are."""
    of_space = (*(move.name for move in moves), *BUILT_IN)
    written = only(all_of(file.declarations, syntax.ActionsDecl), "`actions`", report)
    if written is not None:
        names.lists_actions = True
        draft.order = resolve_order(written, moves, file.declarations, names, report)
        listed = {name.text for name in written.actions}
        acts = any(isinstance(item, syntax.ActsDecl) for item in file.declarations)
        of_space = tuple(name for name in of_space if name in listed or (acts and name == WAIT))
    elif names.turning is not None:  # its actions stand where moves do
        own = (item.name.text for item in file.declarations if isinstance(item, syntax.ActionDecl))
        draft.order = tuple(dict.fromkeys((*TURNING_MOVES, *BUILT_IN, *own)))
    names.moves = of_space


def declared_space(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[Space | None, tuple[Diagnostic, ...]]:
    """The space that is declared, before all is written out; or `None` with what is wrong with it."""
    report = Findings(places)
    space = _sketched(declarations, report).space
    return space, () if space is not None else report.in_source_order()


def declared_steps(declarations: tuple[syntax.Decl, ...], places: Places) -> tuple[tuple[int, ...], ...]:
    """The displacements on a grid of the moves that are actions, before all is written out; of agents that turn, the
    steps ahead. None where something is wrong with the space."""
    draft = _sketched(declarations, Findings(places))
    if not isinstance(draft.space, Grid):
        return ()
    if any(turning_of(item) is not None for item in declarations if isinstance(item, syntax.SpaceDecl)):
        return sides(len(draft.space.sizes), draft.space.metric)
    steps = (tuple(map(int, move.by)) for move in draft.moves_taken())
    return tuple(dict.fromkeys(step for step in steps if any(step)))


def _sketched(declarations: tuple[syntax.Decl, ...], report: Findings) -> Draft:
    """The space, its moves, and which of them are listed; nothing where no space is declared."""
    draft, space = Draft(), next((item for item in declarations if isinstance(item, syntax.SpaceDecl)), None)
    if space is None:
        return draft
    names = Names(syntax.File(space.kind, declarations, space.span), Findings())
    kinds = syntax.SpaceDecl | syntax.MapDecl | syntax.MovesDecl
    parts = tuple(item for item in declarations if isinstance(item, kinds))
    file = with_numbers(syntax.File(space.kind, parts, space.span), names, report)
    if file is not None:
        _resolve_space(file, draft, names, report)
    listed = next((item.actions for item in declarations if isinstance(item, syntax.ActionsDecl)), ())
    draft.order = tuple(name.text for name in listed)
    return draft
