"""The space, and its moves where they are not the usual ones."""

from __future__ import annotations

from math import cos, pi, sin

from hamlet.schema import axis_names
from hamlet_townlet import pack
from hamlet_townlet.pack import Substrate, Training, substrate_axes
from hamlet_townlet.reader.read_actions import substrate_actions
from hamlet_townlet.spanned import Spanned
from hamlet_townlet.translate.terms import as_binary32, exact, literal, signed, word
from hamletc.language import syntax
from hamletc.language.syntax import MoveDef, MovesDecl, Name, Signed, SpaceDecl


def space(substrate: Substrate, training: Training) -> SpaceDecl:
    """`space grid 8 x 8 { edges clamp  places stored }`."""
    span = substrate.span
    properties: list[syntax.SpaceProperty]
    match substrate:
        case pack.Grid(sizes=sizes, boundary=boundary):
            stored = syntax.PlacesProperty(word("stored", span), span)
            properties = [syntax.EdgesProperty(_word(boundary), boundary.span), stored]
            if not training.randomize_affordances.value:
                chosen = training.randomize_affordances.span
                properties.append(syntax.StartsProperty(word("anywhere", chosen), chosen))
            numerals = tuple(Signed(str(size.value), size.span) for size in sizes)
            return SpaceDecl(word("grid", span), numerals, (), tuple(properties), span)
        case pack.Continuous():
            bounds = tuple(
                (signed(low.value, low.span), signed(high.value, high.span)) for low, high in substrate.bounds
            )
            radius, step = substrate.interaction_radius, substrate.movement_delta
            properties = [] if moves(substrate) else [syntax.StepProperty(literal(step), step.span)]
            properties.append(syntax.ReachProperty(literal(radius), radius.span))
            properties.append(syntax.EdgesProperty(_word(substrate.boundary), substrate.boundary.span))
            properties.append(syntax.MetricProperty(_word(substrate.metric), substrate.metric.span))
            return SpaceDecl(word("continuous", span), (), bounds, tuple(properties), span)
        case pack.Aspatial():
            return SpaceDecl(word("none", span), (), (), (), span)


def _word(value: Spanned[pack.Boundary] | Spanned[pack.Metric]) -> Name:
    return word(value.value, value.span)


def moves(substrate: Substrate) -> MovesDecl | None:
    """The moves in a plane, whose displacements HAMLET scales by `movement_delta` twice; others are the usual ones."""
    if not isinstance(substrate, pack.Continuous) or len(substrate.bounds) != 2:
        return None
    step, grain = substrate.movement_delta, substrate.discretization
    span = step.span if grain is None else grain.span
    units = [(0.0, -1.0), (0.0, 1.0), (-1.0, 0.0), (1.0, 0.0)]
    if grain is not None:
        units = [(0.0, 0.0)]
        fastest = grain.magnitudes.value - 1
        for direction in range(grain.directions.value):
            angle = 2 * pi * direction / grain.directions.value
            for speed in range(1, fastest + 1):
                units.append((cos(angle) * (speed / fastest), sin(angle) * (speed / fastest)))
    names = substrate_actions(substrate)[: len(units)]
    return MovesDecl(
        tuple(
            MoveDef(Name(name, span), tuple(_scaled(part * step.value, step) for part in unit), span)
            for name, unit in zip(names, units, strict=True)
        ),
        span,
    )


def displacement(part: float, substrate: Substrate) -> float:
    """The change of a coordinate by a step of a custom action."""
    if isinstance(substrate, pack.Continuous):
        return as_binary32(as_binary32(part) * as_binary32(substrate.movement_delta.value))
    return part


def _scaled(stored: float, step: Spanned[float]) -> Signed:
    """The displacement of a move that HAMLET stores as `stored`."""
    return exact(as_binary32(as_binary32(stored) * as_binary32(step.value)), step.span)


def axis(substrate: Substrate, index: int) -> str:
    """The name of an axis in the text language."""
    return axis_names(substrate_axes(substrate))[index]
