"""Groups of what agents observe: their items, one after the other, and whether those of an image fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, cast

from hamlet import universe
from hamlet.universe.observations import IMAGE_AXES, plane_of
from hamlet.universe.space import is_hexagonal
from hamletc import messages
from hamletc.checking.report import Findings, between
from hamletc.language import syntax

Resolve = Callable[[syntax.GroupItem], list[universe.Observation]]
"""The observations that an item stands for, without those that have errors."""


@dataclass(slots=True)
class Observed:
    """What agents observe, and its groups. `loose` are the items that stand in no group."""

    items: list[universe.Observation] = field(default_factory=list)
    groups: list[universe.ObservedGroup] = field(default_factory=list)
    loose: list[syntax.GroupItem] = field(default_factory=list)


def resolve_items(
    items: Iterable[syntax.ObserveItem],
    resolve: Resolve,
    is_first: Callable[[syntax.Name], bool],
    discrete: Callable[[syntax.Expr, syntax.Expr, syntax.Bounds | None], universe.ObserveValue | None],
    space: universe.Space | None,
    report: Findings,
) -> Observed:
    """The observations of a list in file order, and their groups. `is_first` says whether a group is the only one of
    its name, and reports it otherwise; `discrete` resolves a whole number by its name, value and range."""
    observed = Observed()
    for item in items:
        match item:
            case syntax.ObserveGroup(name=name) | syntax.ObserveImage(name=name):
                found = [(each, shown) for each in item.items for shown in resolve(each)]
                kind: Literal["values", "image"] = "image" if isinstance(item, syntax.ObserveImage) else "values"
                if (
                    is_first(name)
                    and found
                    and (kind != "image" or _is_image(found, space, report))
                    and _has_axes(item, report)
                ):
                    observed.items += (shown for _, shown in found)
                    observed.groups.append(_group(name.text, kind, len(found), item))
            case syntax.ObserveDiscrete():
                number = discrete(item.name or item.value, item.value, item.bounds)
                if number is not None:
                    observed.items.append(number)
                    observed.groups.append(universe.ObservedGroup(number.name, "discrete", 1, item.span))
            case syntax.ObserveText(value=None, always=syntax.Quoted(text=text)):
                if is_first(item.name):
                    observed.groups.append(_text(item, 0, (text,)))
            case syntax.ObserveText(value=value):
                number = None if value is None else discrete(item.name, value, None)
                if number is not None:
                    observed.items.append(number)
                    observed.groups.append(_text(item, 1, tuple(each.text.text for each in item.texts)))
            case _:
                observed.items += resolve(item)
                observed.loose.append(item)
    return observed


def _group(
    name: str, kind: Literal["values", "image"], items: int, written: syntax.ObserveGroup | syntax.ObserveImage
) -> universe.ObservedGroup:
    numbers = None if written.numbers is None else cast(Literal["int", "discrete", "tuple"], written.numbers.text)
    axes = tuple(axis.text for axis in written.axes) if isinstance(written, syntax.ObserveImage) else ()
    return universe.ObservedGroup(name, kind, items, written.span, numbers, axes)


def _text(written: syntax.ObserveText, items: int, texts: tuple[str, ...]) -> universe.ObservedGroup:
    return universe.ObservedGroup(written.name.text, "text", items, written.span, texts=texts)


def _has_axes(written: syntax.ObserveGroup | syntax.ObserveImage, report: Findings) -> bool:
    """Whether the axes of an image are said, each once, or not at all."""
    if not isinstance(written, syntax.ObserveImage) or not written.axes:
        return True
    said = tuple(axis.text for axis in written.axes)
    if sorted(said) == sorted(IMAGE_AXES):
        return True
    span = between(written.axes[0].span, written.axes[-1].span)
    report.add(messages.observations.NotTheAxesOfAnImage(span, said))
    return False


def check_loose(all_observed: Iterable[Observed], report: Findings) -> None:
    """Report an item outside of groups where there are groups: nobody could say where it is handed out."""
    every = tuple(all_observed)
    grouped = next((observed.groups[0] for observed in every if observed.groups), None)
    loose = next((item for observed in every for item in observed.loose), None)
    if grouped is not None and loose is not None:
        report.add(messages.observations.OutsideGroups(loose.span, grouped.span))


def _is_image(
    channels: list[tuple[syntax.GroupItem, universe.Observation]], space: universe.Space | None, report: Findings
) -> bool:
    """Whether each channel is a rectangle of cells, all of one size."""
    if space is None:
        return False
    first: tuple[syntax.GroupItem, tuple[int, int]] | None = None
    for item, shown in channels:
        plane = plane_of(shown, space)
        if plane is None:
            cells = isinstance(shown, universe.ObserveGrid | universe.ObserveWindow | universe.ObserveRegion)
            cells = cells or isinstance(shown, universe.ObserveCells | universe.ObserveView)
            hexagons = isinstance(space, universe.Grid) and is_hexagonal(space)
            report.add(messages.observations.NoPlane(item.span, cells, hexagons, space.span))
            return False
        if first is not None and plane != first[1]:
            report.add(messages.observations.PlaneOfOtherSize(item.span, plane, first[1], first[0].span))
            return False
        first = first or (item, plane)
    return True
