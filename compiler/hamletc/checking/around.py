"""Sums over the cells around one that are not only those beside it: written out, as what each of them has.

`neighbours(e, within 2)` is a sum of e, in which each quantity of a cell is read at that cell by its coordinates; cells
beyond the edges, and walls, count 0 (docs/semantics.md, "Cells"). The agents on another cell are those that post on
this one, each as far from where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import reduce
from typing import Any

from hamlet import universe
from hamlet.universe import Expression, Span, operands
from hamlet.universe.space import axes_of

MOST_AROUND = 64
"""The most cells around one that are summed."""


def summed_around(
    value: Expression, offsets: Sequence[tuple[int, ...]], space: universe.Grid, span: Span
) -> Expression:
    """The sum of a number over the cells at these displacements, in their order; over those that are on the grid for
    some cell of it."""
    wraps = space.edges == "wrap"
    there = [by for by in offsets if wraps or all(abs(x) < size for x, size in zip(by, space.sizes, strict=True))]
    terms = [_term(value, by, space, span) for by in there] or [universe.Number(0.0, span)]
    return reduce(lambda left, right: universe.Binary("+", left, right, span), terms)


def _term(value: Expression, by: tuple[int, ...], space: universe.Grid, span: Span) -> Expression:
    place = _place(by, space, span)
    closed = universe.At(universe.Wall(span), place, span)
    return universe.If(closed, universe.Number(0.0, span), _moved(value, by, place, space), span)


def _place(by: tuple[int, ...], space: universe.Grid, span: Span) -> tuple[Expression, ...]:
    """The coordinates of the cell so many cells further on each axis; with edges that wrap those that it has."""
    place = []
    for axis, step, size in zip(axes_of(space), by, space.sizes, strict=True):
        coordinate: Expression = universe.Coordinate(axis, span)
        if step:
            coordinate = universe.Binary("+", coordinate, universe.Number(float(step), span), span)
        if step and space.edges == "wrap":
            near = universe.Binary("+", coordinate, universe.Number(float(size * -(-abs(step) // size)), span), span)
            coordinate = universe.Binary("mod", near, universe.Number(float(size), span), span)
        place.append(coordinate)
    return tuple(place)


def _moved(value: Expression, by: tuple[int, ...], place: tuple[Expression, ...], space: universe.Grid) -> Expression:
    """The value of another cell."""
    match value:
        case universe.CellValue() | universe.TerrainValue() | universe.On():
            return universe.At(value, place, value.span)
        case universe.Coordinate(axis):
            return place[axes_of(space).index(axis)]
        case universe.Upon():
            return counted_there(value, by, space)
        case _ if not operands(value):
            return value
        case _:
            changes: dict[str, Any] = {}
            for each in fields(value):
                old = getattr(value, each.name)
                if any(old is operand for operand in operands(value)):
                    changes[each.name] = _moved(old, by, place, space)
            return replace(value, **changes)


def counted_there(asked: universe.Upon, by: Sequence[int], space: universe.Grid) -> Expression:
    """What is asked of the agents on the cell so many cells further on each axis."""
    span = asked.span
    if not any(by):
        return asked
    number: Expression = universe.Number(1.0, span)
    inside: list[Expression] = []
    stride = 1
    for axis, step, size in zip(axes_of(space), by, space.sizes, strict=True):
        own: Expression = universe.Coordinate(axis, span)
        if step and space.edges == "wrap":
            back = universe.Number(float(-step % size), span)
            number_of = universe.Number(float(size), span)
            along: Expression = universe.Binary("mod", universe.Binary("+", own, back, span), number_of, span)
        elif step:
            along = universe.Binary("-", own, universe.Number(float(step), span), span)
            first = universe.Number(float(step if step > 0 else size + step), span)
            inside.append(universe.Binary(">=" if step > 0 else "<", own, first, span))
        else:
            along = own
        number = universe.Binary(
            "+", number, universe.Binary("*", universe.Number(float(stride), span), along, span), span
        )
        stride *= size
    if inside:
        there = reduce(lambda left, right: universe.Binary("and", left, right, span), inside)
        number = universe.If(there, number, universe.Number(0.0, span), span)
    return replace(asked, post=number)


def steps_to(place: Sequence[Expression], space: universe.Grid) -> tuple[int, ...] | None:
    """How many cells further a cell is on each axis, where that is the same for every cell; `None` where it is not, or
    leads beyond the edges from every cell."""
    steps = []
    for coordinate, axis, size in zip(place, axes_of(space), space.sizes, strict=True):
        match coordinate:
            case universe.Coordinate(axis=own) if own == axis:
                steps.append(0)
            case universe.Binary(
                op="+" | "-" as op, left=universe.Coordinate(axis=own), right=universe.Number(value=value)
            ) if own == axis and value.is_integer() and (space.edges == "wrap" or abs(value) < size):
                steps.append(int(value) if op == "+" else -int(value))
            case _:
                return None
    return tuple(steps)
