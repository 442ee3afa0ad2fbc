"""Params, inputs, controls and meters: their bounds, their values at the start, and what drains a meter every tick."""

from __future__ import annotations

from typing import Literal, cast

from hamlet import universe
from hamlet.numbers.binary32 import LARGEST, canonical32, round32
from hamlet.universe import Expression, Meter, Span
from hamletc import messages
from hamletc.checking.draft import Claim, Direction
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, Properties, between, word
from hamletc.checking.starts import Owner, known_at_start
from hamletc.checking.states import type_of, written
from hamletc.checking.wholes import LARGEST_WHOLE
from hamletc.intervals import ANYTHING, spell
from hamletc.language import syntax

DRAINS = ("decay", "move", "interact")
DIRECTIONS = ("falls", "rises", "read")
"""What an author can say that a meter only does."""


def resolve_param(declaration: syntax.ParamDecl, names: Names, report: Findings) -> universe.Param | None:
    """`param difficulty = 1.0 in 0 .. 4`."""
    values = _default_and_bounds(declaration, "the default of a param", names, report)
    return None if values is None else universe.Param(declaration.name.text, *values, declaration.span)


def resolve_input(declaration: syntax.InputDecl, names: Names, report: Findings) -> universe.Input | None:
    """`input curiosity = 0 in -10 .. 10`."""
    values = _default_and_bounds(declaration, "the default of an input", names, report)
    return None if values is None else universe.Input(declaration.name.text, *values, declaration.span)


def resolve_control(declaration: syntax.ControlDecl, names: Names, report: Findings) -> universe.Control | None:
    """`control thrust in -1 .. 1`, `control order: int in 0 .. 100`."""
    bounds = resolve_bounds(declaration.bounds, Expressions(names, report), report)
    if bounds is None:
        return None
    low, high = map(round32, bounds)
    if high - low > LARGEST:
        span = between(declaration.bounds[0].span, declaration.bounds[1].span)
        report.add(messages.meters.BoundsTooFarApart(span, declaration.name.text))
        return None
    whole = declaration.kind is not None
    if whole and not _whole(bounds, declaration.bounds, report):
        return None
    return universe.Control(declaration.name.text, *bounds, declaration.span, whole)


def _default_and_bounds(
    declaration: syntax.ParamDecl | syntax.InputDecl, what: str, names: Names, report: Findings
) -> tuple[float, float, float] | None:
    expressions = Expressions(names, report)
    default = expressions.constant(declaration.default, what)
    bounds = resolve_bounds(declaration.bounds, expressions, report)
    if default is None or bounds is None:
        return None
    if not _inside(default, bounds, declaration.default.span, declaration.bounds, "the default", report):
        return None
    return default, *bounds


def resolve_claim(declaration: syntax.MeterDecl, report: Findings) -> Claim | None:
    """`only falls`, `only rises`, `only read`."""
    for item in declaration.properties:
        if isinstance(item, syntax.OnlyProperty):
            said = word(item, DIRECTIONS, "nothing that a meter only does", report)
            return None if said is None else Claim(cast(Direction, said), item.span)
    return None


def resolve_meter(declaration: syntax.MeterDecl, names: Names, report: Findings) -> Meter | None:
    """`meter energy = 1.0 in 0 .. 1 { decay 0.005  move 0.005  interact 0.005 }`, `state asleep = false`."""
    expressions = Expressions(names, report)
    name = declaration.name.text
    if declaration.state is not None:
        held = resolve_state(declaration, names, report)
        return None if held is None else Meter(name, *held[:3], None, None, None, declaration.span, type=held[3])
    start = known_at_start(expressions.number(declaration.start), declaration, "agent", names, report)
    bounds = _bounds_of(declaration, expressions, report)
    acting = Expressions(names, report, scope="acting")
    drains: dict[str, Expression | None] = dict.fromkeys(DRAINS)
    for item in Properties(declaration.properties, report):
        match item:
            case syntax.OnlyProperty():
                continue
            case syntax.DecayProperty(value=value):
                drain = drains["decay"] = expressions.number(value)
            case syntax.MoveProperty(value=value):
                drain = drains["move"] = acting.number(value)
                if isinstance(names.space, universe.NoSpace):
                    report.add(messages.meters.MoveWithoutSpace(item.span, names.space.span))
            case syntax.InteractProperty(value=value):
                drain = drains["interact"] = acting.number(value)
        if drain is None:
            names.suspects.add(name)
    if start is None or bounds is None:
        return None
    if isinstance(start, float):
        span = declaration.start.span
        if not _inside(start, bounds, span, declaration.bounds, "the start value", report):
            return None
    return Meter(name, start, *bounds, drains["decay"], drains["move"], drains["interact"], declaration.span)


def resolve_once(
    declaration: syntax.MeterDecl, names: Names, report: Findings, whose: Owner
) -> tuple[float | Expression, float, float, universe.StateType] | None:
    """Start value, bounds and type of what a `let` draws once; whether it is whole is found when all is there."""
    spec = names.state(declaration.name) or declaration.state
    value = written(declaration.start, spec, Expressions(names, report, whose=whose), names, report)
    start = known_at_start(value, declaration, whose, names, report)
    if start is None:
        return None
    if isinstance(start, float):
        report.add(messages.meters.OnceTheSame(declaration.start.span, declaration.name.text))
        return None
    if spec is not None and spec.kind == "bool":
        return start, 0.0, 1.0, universe.StateType("bool", ())
    lies = names.lies(start) or ANYTHING
    return start, canonical32(lies.low), canonical32(lies.high), universe.StateType("real", ())


def resolve_state(
    declaration: syntax.MeterDecl, names: Names, report: Findings, whose: Owner = "agent"
) -> tuple[float | Expression, float, float, universe.StateType] | None:
    """Start value, bounds and type of `state cooldown: int in 0 .. 50 = 0`, or of another state."""
    if declaration.state is not None and declaration.state.of == "once":
        return resolve_once(declaration, names, report, whose)
    expressions = Expressions(names, report, whose=whose)
    if whose == "pair":
        expressions = Expressions(names, report, asker="each")
    held = type_of(declaration, report)
    if held is None:
        return None
    bounds: tuple[float, float] | None = (0.0, float(max(1, len(held.options) - 1)))
    if declaration.bounds is not None:
        bounds = resolve_bounds(declaration.bounds, expressions, report)
        if bounds is not None and held.holds == "int" and not _whole(bounds, declaration.bounds, report):
            bounds = None
    if held.holds in ("int", "real"):
        value = expressions.number(declaration.start)
    else:
        value = written(declaration.start, names.state(declaration.name), expressions, names, report)
    start = known_at_start(value, declaration, whose, names, report)
    if start is None or bounds is None:
        return None
    if isinstance(start, float):
        span = declaration.start.span
        if not _inside(start, bounds, span, declaration.bounds, "the start value", report):
            return None
        if held.whole and not start.is_integer():
            report.add(messages.meters.StartNotWhole(span, declaration.name.text))
            return None
    return start, *bounds, held


def _whole(bounds: tuple[float, float], written: tuple[syntax.Expr, syntax.Expr], report: Findings) -> bool:
    """Whether bounds are whole numbers that can be counted to."""
    for bound, expr in zip(bounds, written, strict=True):
        if not bound.is_integer() or abs(bound) > LARGEST_WHOLE:
            report.add(messages.meters.BoundsNotWhole(expr.span, bound, LARGEST_WHOLE))
            return False
    return True


def start_and_bounds_of_cells(
    declaration: syntax.MeterDecl, names: Names, report: Findings
) -> tuple[float | Expression, float, float] | None:
    """The start value of a meter of cells, a constant or an expression of what is known of a cell when an episode
    begins, and its bounds."""
    expressions = Expressions(names, report, whose="cell")
    start = known_at_start(expressions.number(declaration.start), declaration, "cell", names, report)
    return _within_bounds(declaration, start, expressions, report)


def declared_bounds(declaration: syntax.MeterDecl, names: Names, report: Findings) -> tuple[float, float] | None:
    """The bounds of a meter or a state, as they are declared."""
    spec = names.state(declaration.name)
    if spec is not None and spec.kind in ("bool", "options"):
        return 0.0, float(max(1, len(spec.options) - 1))
    return _bounds_of(declaration, Expressions(names, report), report)


def _bounds_of(declaration: syntax.MeterDecl, expressions: Expressions, report: Findings) -> tuple[float, float] | None:
    """The bounds of a meter, 0 and 1 unless others are written."""
    return (0.0, 1.0) if declaration.bounds is None else resolve_bounds(declaration.bounds, expressions, report)


def resolve_world_numbers(
    declaration: syntax.MeterDecl, names: Names, report: Findings
) -> tuple[float | Expression, float, float] | None:
    """The start value of a meter of the world, and its bounds."""
    expressions = Expressions(names, report, whose="world")
    start = known_at_start(expressions.number(declaration.start), declaration, "world", names, report)
    return _within_bounds(declaration, start, expressions, report)


def _within_bounds(
    declaration: syntax.MeterDecl, start: float | Expression | None, expressions: Expressions, report: Findings
) -> tuple[float | Expression, float, float] | None:
    """The start value of a meter, and its bounds."""
    bounds = _bounds_of(declaration, expressions, report)
    if start is None or bounds is None:
        return None
    span = declaration.start.span
    if isinstance(start, float) and not _inside(start, bounds, span, declaration.bounds, "the start value", report):
        return None
    return start, *bounds


def resolve_bounds(
    bounds: tuple[syntax.Expr, syntax.Expr], expressions: Expressions, report: Findings
) -> tuple[float, float] | None:
    """`0 .. 31`; `None` where that is wrong."""
    low = expressions.constant(bounds[0], "a bound")
    high = expressions.constant(bounds[1], "a bound")
    if low is None or high is None:
        return None
    if low < high:
        return low, high
    span = between(bounds[0].span, bounds[1].span)
    report.add(messages.everywhere.BoundsTheWrongWayRound(span, spell(low), spell(high), low == high))
    return None


def _inside(
    value: float,
    bounds: tuple[float, float],
    span: Span,
    written: tuple[syntax.Expr, syntax.Expr] | None,
    what: Literal["the default", "the start value"],
    report: Findings,
) -> bool:
    low, high = bounds
    if low <= value <= high:
        return True
    where = between(written[0].span, written[1].span) if written else None
    report.add(messages.meters.OutsideBounds(span, what, value, low, high, where))
    return False
