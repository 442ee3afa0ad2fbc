"""What agents can do besides affordances: the moves of a space, actions of the universe's own, and masks."""

from __future__ import annotations

import math
from collections.abc import Iterable

from hamlet.numbers.binary32 import canonical32
from hamlet.schema.actions import BUILT_IN
from hamlet.universe import (
    Acting,
    Action,
    Continuous,
    Expression,
    Graph,
    Grid,
    Mask,
    Move,
    NoSpace,
    Space,
    Span,
    Truth,
)
from hamlet.universe.actions import WAIT
from hamlet.universe.space import axes_of
from hamletc import messages
from hamletc.checking.affordances import resolve_needs
from hamletc.checking.expressions import Expressions
from hamletc.checking.graph import graph_moves, is_graph
from hamletc.checking.names import Names
from hamletc.checking.places import LONGEST_DISPLACEMENT, displacement, misses_space
from hamletc.checking.relocations import Relocations, constants
from hamletc.checking.report import Findings, Properties, all_of, only, whole_number, word
from hamletc.checking.rules import Statements
from hamletc.checking.symbols import is_word
from hamletc.language import syntax

MOST_ACTIONS = 10_000
STEPPING = (syntax.StepProperty, syntax.DirectionsProperty, syntax.SpeedsProperty)
"""The properties that say what the usual moves of a continuous space are."""
UPWARDS, SIDEWAYS = (("UP", -1.0), ("DOWN", 1.0)), (("LEFT", -1.0), ("RIGHT", 1.0))


HEXAGONAL = (
    Move("EAST", (1.0, 0.0)),
    Move("WEST", (-1.0, 0.0)),
    Move("NORTH_EAST", (1.0, -1.0)),
    Move("NORTH_WEST", (0.0, -1.0)),
    Move("SOUTH_EAST", (0.0, 1.0)),
    Move("SOUTH_WEST", (-1.0, 1.0)),
)
"""The moves on hexagons, which stand on a corner."""


def axis_moves(dimensions: int, step: float) -> tuple[Move, ...]:
    """A step back and a step forth along each axis; `step` is a binary32 number."""
    match dimensions:
        case 1:
            order = [("LEFT", 0, -step), ("RIGHT", 0, step)]
        case 2 | 3:
            order = [("UP", 1, -step), ("DOWN", 1, step), ("LEFT", 0, -step), ("RIGHT", 0, step)]
            order += [("UP_Z", 2, -step), ("DOWN_Z", 2, step)] if dimensions == 3 else []
        case _:
            order = [
                (f"DIM{axis}_{name}", axis, by)
                for axis in range(dimensions)
                for name, by in (("NEG", -step), ("POS", step))
            ]
    return tuple(
        Move(name, tuple(by if axis == along else 0.0 for axis in range(dimensions))) for name, along, by in order
    )


def diagonal_moves() -> tuple[Move, ...]:
    """The moves of a grid of two dimensions, and then a step on both axes at once in each direction."""
    across = [(f"{up}_{left}", (right, down)) for up, down in UPWARDS for left, right in SIDEWAYS]
    return (*axis_moves(2, 1.0), *(Move(name, by) for name, by in across))


def directed_moves(directions: int, speeds: int, step: float) -> tuple[Move, ...]:
    """STOP, then for every direction, counted from the x axis towards y, every speed up to `step`; computed in binary64
    and rounded once."""
    moves = [Move("STOP", (0.0, 0.0))]
    for direction in range(directions):
        angle = 2 * math.pi * direction / directions
        for speed in range(1, speeds + 1):
            by = (math.cos(angle) * speed / speeds * step, math.sin(angle) * speed / speeds * step)
            moves.append(Move(f"MOVE_{direction}_{speed}", (canonical32(by[0]), canonical32(by[1]))))
    return tuple(moves)


def resolve_moves(
    written: syntax.MovesDecl | None,
    space: Space,
    given: Properties[syntax.SpaceProperty],
    expressions: Expressions,
    report: Findings,
) -> tuple[Move, ...] | None:
    """The moves of the space, whose properties are `given`."""
    match space:
        case NoSpace():
            if written is not None:
                misses_space("`moves`", space, written.span, report)
            return ()
        case _ if written is not None and is_graph("`moves`", space, written.span, report):
            return None
        case _ if written is not None:
            for kind in (*STEPPING, syntax.MovesProperty):
                if (item := given.of(kind)) is not None:
                    report.add(messages.actions.NotWithOwnMoves(item.span, kind.keyword(), written.span))
            return _written_moves(written, space, report)
        case Grid(graph=Graph() as graph):
            return graph_moves(graph)
        case Grid() if (named := given.of(syntax.MovesProperty)) is not None:
            return _named_moves(named, space, report)
        case Grid(metric="hexagonal"):
            return HEXAGONAL
        case Grid(sizes=sizes):
            return axis_moves(len(sizes), 1.0)
        case Continuous():
            return _continuous_moves(space, given, expressions, report)


def _named_moves(given: syntax.MovesProperty, grid: Grid, report: Findings) -> tuple[Move, ...] | None:
    """`moves diagonal`, `moves turning`."""
    kinds = ("turning",) if grid.metric == "hexagonal" else ("diagonal", "turning")
    kind = word(given, kinds, "no kind of moves", report)
    if kind is None:
        return None
    if kind == "turning":  # which are own actions, written out
        return ()
    if len(grid.sizes) == 2:
        return diagonal_moves()
    report.add(messages.actions.DiagonalMoves(given.span, len(grid.sizes), grid.span))
    return None


def _written_moves(written: syntax.MovesDecl, space: Space, report: Findings) -> tuple[Move, ...] | None:
    """`moves { STAY (0, 0)  NE (1, -1) }`."""
    moves: dict[str, Move] = {}
    places: dict[str, syntax.Name] = {}
    for item in written.moves:
        name = item.name.text
        by = displacement(item.delta, space, item.span, report)
        if name in BUILT_IN:
            report.add(messages.actions.ActionNameTaken(item.name.span, "a move", name))
        elif name in places:
            report.add(messages.names.MoveTwice(item.name.span, name, places[name].span))
        else:
            places[name] = item.name
            if by is not None:
                moves[name] = Move(name, by)
    return tuple(moves.values()) if len(moves) == len(written.moves) else None


def _continuous_moves(
    space: Continuous, given: Properties[syntax.SpaceProperty], expressions: Expressions, report: Findings
) -> tuple[Move, ...] | None:
    stepping, directed, graded = (given.of(kind) for kind in STEPPING)
    if space.momentum is not None and not (stepping or directed or graded):
        return ()
    if stepping is None:
        report.add(messages.actions.NoStep(space.span))
    step = None if stepping is None else _step(stepping, space, expressions, report)
    directions, speeds = _count(directed, report), _count(graded, report)
    dimensions = len(axes_of(space))
    if directed is None:
        if graded is not None:
            report.add(messages.actions.SpeedsWithoutDirections(graded.span))
            return None
        return None if step is None else axis_moves(dimensions, canonical32(step))
    if dimensions != 2:
        report.add(messages.actions.Directions(directed.span, dimensions, space.span))
        return None
    if step is None or directions is None or (graded is not None and speeds is None):
        return None
    if directions * (speeds or 1) > MOST_ACTIONS:
        too_many = directions * (speeds or 1)
        report.add(messages.actions.TooManyActions(directed.span, too_many, MOST_ACTIONS))
        return None
    return directed_moves(directions, speeds or 1, step)


def _step(item: syntax.Property, space: Continuous, expressions: Expressions, report: Findings) -> float | None:
    """The step in binary64, as it is written."""
    step = expressions.exact(item.value, "a step")
    if step is None:
        return None
    longest = min(axis.size for axis in space.axes) * LONGEST_DISPLACEMENT
    if 0 < step <= longest:
        return step
    report.add(messages.actions.StepOutsideLimits(item.value.span, step, longest))
    return None


def _count(item: syntax.Property | None, report: Findings) -> int | None:
    if item is None:
        return None
    if isinstance(item.value, syntax.Numeral):
        return whole_number(item.value, 1, MOST_ACTIONS, f"`{item.keyword()}`", report)
    report.add(messages.everywhere.NotWhole(item.value.span, f"`{item.keyword()}`", example=8))
    return None


def _in_other_case(name: str, actions: Iterable[str]) -> str | None:
    """The action of the space that differs in upper and lower case only."""
    return next((action for action in sorted(actions) if action.casefold() == name.casefold()), None)


def check_actions(
    declarations: list[syntax.ActionDecl], moves: tuple[Move, ...] | None, of_moves: Span, report: Findings
) -> None:
    """Check that no action of the universe's own is called like one of the space, and that there are not too many.
    `of_moves` is where the moves are declared."""
    if moves is None:
        return
    of_space = {move.name for move in moves}
    for declaration in declarations:
        name = declaration.name
        if name.text in of_space or name.text in BUILT_IN:
            report.add(messages.actions.ActionNameTaken(name.span, "an action", name.text, name.text in of_space))
        elif (known := _in_other_case(name.text, (*of_space, *BUILT_IN))) is not None:
            report.add(messages.actions.ActionInOtherCase(name.span, name.text, known, known in of_space))
    count = len(moves) + len(BUILT_IN) + len(declarations)
    if count > MOST_ACTIONS:
        last = declarations[-1].name.span if declarations else of_moves
        report.add(messages.actions.TooManyActions(last, count, MOST_ACTIONS))


def resolve_order(
    written: syntax.ActionsDecl,
    moves: tuple[Move, ...],
    declarations: Iterable[syntax.Decl],
    names: Names,
    report: Findings,
) -> tuple[str, ...]:
    """`actions SOUTH NORTH PICKUP`: the names, in the order of their numbers; empty where one is wrong.

    Args:
        moves: those of the space, of which the list has what it likes.
        declarations: all of the universe: its own actions are in the list, and INTERACT where affordances do something
            for who uses them.
    """
    own: dict[str, syntax.Name] = {}
    affordance = None
    for declaration in declarations:
        match declaration:
            case syntax.ActionDecl(name=name):
                own.setdefault(name.text, name)
            case syntax.AffordanceDecl(name=name, solid=None, items=items):
                used = any(isinstance(item, syntax.BlockItem) and item.body for item in items)
                affordance = affordance or (name if used else None)
            case _:
                pass
    known = (*(move.name for move in moves), *BUILT_IN, *own)
    listed: dict[str, syntax.Name] = {}
    for name in written.actions:
        if name.text not in known:
            names.refuse(name, "an action", known)
        elif (first := listed.setdefault(name.text, name)) is not name:
            report.add(messages.everywhere.GivenTwice(name.span, f"`{name.text}`", first.span))
    needed = own if affordance is None else own | {"INTERACT": affordance}
    for action, where in needed.items():
        if action not in listed:
            report.add(messages.actions.ActionNotListed(where.span, action, written.span))
    right = len(listed) == len(written.actions) and needed.keys() <= listed.keys() <= set(known)
    return tuple(listed) if right else ()


def resolve_action(declaration: syntax.ActionDecl, names: Names, report: Findings) -> Action:
    """`action REST { energy += 0.002 }`."""
    expressions = Expressions(names, report, scope="acting")
    statements, relocations = Statements(names, report, expressions), Relocations(names, report, expressions)
    others = syntax.NeedsItem | syntax.MoveStmt | syntax.TeleportStmt | syntax.KeepsItem
    body = statements.body(tuple(item for item in declaration.items if not isinstance(item, others)))
    move = only(all_of(declaration.items, syntax.MoveStmt), "`move`", report)
    teleport = only(all_of(declaration.items, syntax.TeleportStmt), "`teleport`", report)
    keeps = only(all_of(declaration.items, syntax.KeepsItem), "`keeps progress`", report)
    needs = resolve_needs(declaration.items, names, report)
    going = None if move is None else relocations.move(move)
    # A teleport comes when all that the action does is over, with its locals.
    behind = Relocations(names, report, expressions.inside("acting"))
    going_to = None if teleport is None else behind.teleport(teleport)
    by = None if going is None else constants(going.by)
    place = None if going_to is None else constants(going_to.to)
    idle = all(isinstance(item, syntax.NeedsItem | syntax.KeepsItem) for item in declaration.items)
    # Where something asks which action was chosen, one that nobody asks for means that it is none of the others.
    asked = any(("action", action) in names.compared for action in names.of_kind("action"))
    if idle and not asked and not names.lists_actions:
        report.add(messages.actions.ActionDoesNothing(declaration.name.span, declaration.name.text))
    # A place that is no constant may depend on where the displacement led.
    if move is not None and teleport is not None and (going_to is None or place is not None):
        report.add(messages.actions.MoveBesideTeleport(move.span, teleport.span))
    if keeps is not None and ((move is None and teleport is None) or not names.has_lasting):
        report.add(messages.actions.NoProgressToKeep(keeps.span, names.has_lasting))
    return Action(
        name=declaration.name.text,
        needs=needs,
        body=body if going is None or by is not None else (*body, going),
        move=by,
        teleport=place,
        keeps_progress=keeps is not None,
        span=declaration.span,
        after=() if going_to is None or place is not None else (going_to,),
    )


def resolve_masks(
    declarations: list[syntax.AllowDecl], order: tuple[str, ...], names: Names, report: Findings
) -> list[Mask]:
    """`allow UP LEFT when position y > 0`, `allow all when energy > 0`; those with errors are left out. `order` are the
    actions that are listed."""
    expressions = Expressions(names, report, scope="mask")
    allowed: dict[tuple[str | None, str], syntax.Name] = {}
    masks: list[Mask] = []
    # What is said of a role takes the place of what is said of all.
    for declaration in sorted(declarations, key=lambda each: each.who is not None):
        known = True
        role = None if declaration.who is None else declaration.who.role
        for name in declaration.actions:
            if not names.is_action(name):
                known = False
            elif name.text == WAIT and order and WAIT not in order:
                known = False
                report.add(messages.actions.AllowsUnlistedWait(name.span))
            elif (first := allowed.setdefault((role, name.text), name)) is not name:
                known = False
                report.add(messages.everywhere.GivenTwice(name.span, f"`allow` of `{name.text}`", first.span, "and or"))
        condition = _condition(declaration.condition, expressions)
        who = None if declaration.who is None else expressions.condition(declaration.who)
        if known and condition is not None and (who is None) == (role is None):
            masks.append(Mask(tuple(name.text for name in declaration.actions), condition, declaration.span, who))
    return masks


def resolve_acting(declarations: list[syntax.ActsDecl], names: Names, report: Findings) -> list[Acting]:
    """`acts when agent == turn`; those with errors are left out."""
    expressions = Expressions(names, report, scope="acts")
    acting: list[Acting] = []
    for declaration in declarations:
        condition = expressions.condition(declaration.condition)
        who = None if declaration.who is None else expressions.condition(declaration.who)
        if condition is not None and (who is None) == (declaration.who is None):
            acting.append(Acting(condition, declaration.span, who))
    return acting


def _condition(expr: syntax.Expr, expressions: Expressions) -> Expression | None:
    """The condition, which may be a plain `true` or `false`."""
    if is_word(expr, "true", "false"):
        return Truth(is_word(expr, "true"), expr.span)
    return expressions.condition(expr)
