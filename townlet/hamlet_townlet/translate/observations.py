"""The observation: every variable that HAMLET observes, in its order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hamlet.universe import Span
from hamlet_townlet.pack import Aspatial, Grid, Pack, Variable
from hamlet_townlet.reader.read_variables import automatic_variables, axis_velocities, velocity_axis
from hamlet_townlet.spanned import Spanned
from hamlet_townlet.translate.space import axis
from hamlet_townlet.translate.terms import as_binary32, exact, quoted, signed, word
from hamletc.language import syntax
from hamletc.language.syntax import Name, ObserveDecl, ObserveItem, Signed, StartDecl


@dataclass(frozen=True, slots=True)
class ObservedVariable:
    """A variable, how many values it has, and the items that observe it."""

    variable: str
    count: int
    items: tuple[ObserveItem, ...]


def observed(pack: Pack) -> list[ObservedVariable]:
    """The automatic variables that the pack does not declare itself, then the scalars and vectors that it does."""
    meters = [bar.name.value for bar in pack.bars]
    automatic = automatic_variables(pack.substrate, meters, len(pack.affordances), pack.training)
    declared = [variable for variable in pack.variables if variable.type.value in ("scalar", "vecNf")]
    names = {variable.id.value for variable in pack.variables}
    parts = [_part(pack, name, size or 1, None) for name, size in automatic.items() if name not in names]
    return [*parts, *(_part(pack, v.id.value, len(v.default), v) for v in declared)]


def start(pack: Pack) -> StartDecl | None:
    """`start velocity (0.5, 0) speed 2`: velocities are what the pack says until the first step writes them."""
    begins = {variable.id.value: variable for variable in pack.variables if variable.type.value == "scalar"}
    axes = [begins.get(name) for name in axis_velocities(pack.substrate)]
    velocity = [0.0 if variable is None else as_binary32(variable.default[0]) for variable in axes]
    fast = begins.get("velocity_magnitude")
    speed = 0.0 if fast is None else as_binary32(fast.default[0])
    said = [variable for variable in (*axes, fast) if variable is not None and as_binary32(variable.default[0]) != 0]
    if not said:
        return None
    span = said[0].span
    observed = fast is not None or "velocity_magnitude" in automatic_variables(pack.substrate, (), 0, pack.training)
    return StartDecl(
        tuple(exact(part, span) for part in velocity) if any(velocity) else None,
        exact(speed, span) if observed else None,
        span,
    )


def observe(parts: Sequence[ObservedVariable], span: Span) -> ObserveDecl:
    """`observe { grid  position relative  meters energy mood  time }`; neighbours are put together."""
    items: list[ObserveItem] = []
    for item in (item for part in parts for item in part.items):
        last = items[-1] if items else None
        match items[-1] if items else None, item:
            case syntax.ObserveMeters() as last, syntax.ObserveMeters(names=names):
                items[-1] = replace(last, names=(*last.names, *names))
            case syntax.ObserveVelocity() as last, syntax.ObserveVelocity(names=names):
                items[-1] = replace(last, names=(*last.names, *names))
            case syntax.ObserveTime() as last, syntax.ObserveTime(names=names):
                halves = (*last.names, *names)
                items[-1] = replace(last, names=() if [half.text for half in halves] == ["sin", "cos"] else halves)
            case _:
                items.append(item)
    return ObserveDecl(tuple(items), span)


def _part(pack: Pack, name: str, count: int, declared: Variable | None) -> ObservedVariable:
    return ObservedVariable(name, count, tuple(_items(pack, name, count, declared)))


def _items(pack: Pack, name: str, count: int, declared: Variable | None) -> list[ObserveItem]:
    span = pack.substrate.span if declared is None else declared.span
    substrate, training = pack.substrate, pack.training
    partial, temporal = training.partial_observability.value, training.temporal.value
    cells = isinstance(substrate, Grid) and len(substrate.sizes) <= 3
    index = velocity_axis(name, substrate)
    if index is not None:
        return [syntax.ObserveVelocity((Name(axis(substrate, index), span),), span)]
    match name:
        case "grid_encoding" if cells and not partial:
            return [syntax.ObserveGrid(None, span)]
        case "local_window" if cells and partial:
            sees = training.vision_range
            return [syntax.ObserveWindow(_number(sees.value, sees.span), None, None, sees.span)]
        case "grid_encoding" | "position" if not cells or name == "position":
            if not isinstance(substrate, Aspatial):
                return [syntax.ObservePosition(word(substrate.encoding.value, substrate.encoding.span), span)]
        case "velocity_magnitude" if not isinstance(substrate, Aspatial) or _begins_fast(declared):
            return [syntax.ObserveSpeed(span)]
        case "affordance_at_position" if not partial and pack.deployed:
            return _here(pack, span)
        case "affordance_at_position" if not partial:
            none = syntax.ObserveConstant((_number(1, span),), span)
            return [syntax.ObserveBlank(_number(count - 1, span), span), none] if count > 1 else [none]
        case "time_sin" | "time_cos" if temporal:
            return [syntax.ObserveTime((word(name.removeprefix("time_"), span),), span)]
        case "time_cos":
            return [syntax.ObserveConstant((_number(1, span),), span)]
        case "interaction_progress" if temporal and pack.deployed:
            return [syntax.ObserveProgress(_number(10, span), span)]
        case "lifetime_progress":
            return [syntax.ObserveLifetime(span)]
        case _:
            for bar in pack.bars:
                if bar.name.value == name:
                    return [syntax.ObserveMeters((quoted(Spanned(name, span)),), span)]
    return [_still(name, count, declared, span)]


def _begins_fast(declared: Variable | None) -> bool:
    """Whether a speed is there before the first step: without a space it is 0 from then on."""
    return declared is not None and as_binary32(declared.default[0]) != 0


def _here(pack: Pack, span: Span) -> list[ObserveItem]:
    """`here Bed Bar  blank 2  here Job nothing`: what is not deployed is nowhere."""
    deployed = {affordance.name.value for affordance in pack.deployed}
    items: list[ObserveItem] = []
    for affordance in pack.affordances:
        there = affordance.name.value in deployed
        match items[-1] if items else None:
            case syntax.ObserveHere(names=names) as last if there:
                items[-1] = replace(last, names=(*names, quoted(affordance.name)))
            case syntax.ObserveBlank(rows=rows) as last if not there:
                items[-1] = replace(last, rows=_number(int(rows.text) + 1, span))
            case _ if there:
                items.append(syntax.ObserveHere((quoted(affordance.name),), span))
            case _:
                items.append(syntax.ObserveBlank(_number(1, span), span))
    none = word("nothing", span)
    match items:
        case [*_, syntax.ObserveHere(names=names) as last]:
            return [*items[:-1], replace(last, names=(*names, none))]
        case _:
            return [*items, syntax.ObserveHere((none,), span)]


def _still(name: str, count: int, declared: Variable | None, span: Span) -> ObserveItem:
    """The item of a variable that nobody writes: it keeps its default, 0 where the pack has none."""
    written = name in ("affordance_at_position", "time_sin", "interaction_progress", "velocity_magnitude")
    values = () if declared is None or written else declared.default
    if all(as_binary32(value) == 0 for value in values):
        return syntax.ObserveBlank(_number(count, span), span)
    return syntax.ObserveConstant(tuple(signed(value, span) for value in values), span)


def _number(value: int, span: Span) -> Signed:
    return Signed(str(value), span)
