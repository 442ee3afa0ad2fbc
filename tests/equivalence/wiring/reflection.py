"""Attributes of universes: which there are, which a change changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import hamlet.universe
from hamlet.universe import Span, drawings, nodes

APART = {
    "span": "where it stands in the source: it means nothing",
    "name": "a name means nothing but to draws (test_draws_stay.py): test_metamorphic.py renames everything",
    "site": "follows from the names of the constructs: test_draws_stay.py",
    "Universe.groups": "says how what is observed is handed out: tests/features/observations/test_groups.py",
    "Role.groups": "says how what is observed is handed out: tests/features/observations/test_groups.py",
    "ObservedGroup.form": "says how what is observed is handed out: tests/features/observations/test_groups.py",
    "ObservedGroup.items": "says how what is observed is handed out: tests/features/observations/test_groups.py",
    "ObservedGroup.axes": "says how what is observed is handed out: tests/adapters/test_groups_of_whole_numbers.py",
    "ObservedGroup.numbers": "says how what is observed is handed out: tests/adapters/test_groups_of_whole_numbers.py",
    "ObservedGroup.texts": "says what a number is handed out as: tests/adapters/test_texts.py",
    "Universe.drawings": "says what pictures show, and nothing else heeds it: tests/features/pictures/test_drawings.py",
    "Universe.tables": "holds what expressions read: the wires of NumberTable change it",
    "Universe.sources": "names of files, which spans refer to",
    "Universe.velocity": "follows from whether something reads the velocity",
    "Meter.reach": "follows from the statements that leave it unclamped",
    "StateType.holds": "what the compiler has proven of the values: test_stateful.py injects such ones",
    "StateType.past": "says what a hidden state is for",
    "DrawPoisson.most": "follows from where the mean lies: features/random_numbers/test_counting_draws.py",
    "Control.whole": "says what is given and drawn: features/controls/test_whole_controls.py",
    "Cells.sums": "hidden meters of the world: test_over_cells.py compares each with its cells",
    "ObserveView.low": "follows from what is observed",
    "ObserveView.high": "follows from what is observed",
    "ObservePairs.low": "follows from what is observed",
    "ObservePairs.high": "follows from what is observed",
    "ObservePairs.agents": "is that of the roles",
    "PairMeter.type": "says what numbers are: features/many_agents/test_pairs.py",
    "CellSum.meter": "names a hidden meter of the world",
    "CellSum.op": "the name of the hidden meter says it: test_over_cells.py",
    "CellSum.operand": "the name of the hidden meter says it: test_over_cells.py",
    "Cells.counts": "hidden meters of cells: features/observations/test_agents_in_windows.py",
    "CellCount.meter": "names a hidden meter of cells",
    "CellCount.extreme": "the name of the hidden meter says it: features/observations/test_agents_in_windows.py",
    "ObserveView.hexagonal": "is the form of the cells of the grid",
    "CellCount.operand": "the name of the hidden meter says it: features/observations/test_agents_in_windows.py",
    "ObserveCells.called": "names rows",
    "Pool.role": "names the role",
    "Pool.first": "is that of the role",
    "Pool.agents": "is that of the role",
    "Pool.asked": "names a hidden state",
    "Pool.waits": "names a hidden state",
    "LocalValue.holds": "says whether the local is a condition",
    "Axis.size": "follows from the axis' bounds",
    "Param.low": "bounds the values that may be given: test_wiring.py gives some",
    "Param.high": "bounds the values that may be given: test_wiring.py gives some",
    "Input.low": "bounds the values that may be given: test_wiring.py gives some",
    "Input.high": "bounds the values that may be given: test_wiring.py gives some",
}
"""Attributes without a wire, by name or by class and name, and why. A reward without a name is another construct."""


def classes() -> tuple[type, ...]:
    """All constructs; of drawings nothing is computed."""
    computed = (name for name in hamlet.universe.__all__ if name not in drawings.__all__)
    found = (getattr(hamlet.universe, name) for name in computed)
    return tuple(
        each for each in found if isinstance(each, type) and dataclasses.is_dataclass(each) and each is not Span
    )


def attributes() -> tuple[str, ...]:
    """All that want a wire: `Meter.decay`; `Hour`, of a class that has none."""
    result = []
    for each in classes():
        names = [field.name for field in dataclasses.fields(each) if field.name != "span"]
        result += [f"{each.__name__}.{name}" for name in names] if names else [each.__name__]
    optional = {"Reward.name"}
    return tuple(
        name for name in result if name in optional or (name not in APART and name.partition(".")[2] not in APART)
    )


def choices(attribute: str) -> frozenset[Any]:
    """The values of an attribute that has few."""
    class_name, _, name = attribute.partition(".")
    hint = get_type_hints(getattr(hamlet.universe, class_name))[name] if name else None
    if get_origin(hint) is Literal:
        return frozenset(get_args(hint))
    return frozenset({True, False}) if hint is bool else frozenset()


def values(universe: object, attribute: str) -> frozenset[Any]:
    """The values that an attribute has in a universe."""
    class_name, _, name = attribute.partition(".")
    return frozenset(getattr(node, name) for node in nodes(universe) if type(node).__name__ == class_name)


def has(universe: object, construct: str) -> bool:
    """Whether a universe has such a construct."""
    return any(type(node).__name__ == construct for node in nodes(universe))


def concerns(attribute: str, left: object, right: object) -> bool:
    """Whether two universes differ in an attribute, or in what it is in all; or in whether there is a construct."""
    if "." not in attribute:
        return has(left, attribute) != has(right, attribute)
    if any(attribute in path for path in changes(left, right)):
        return True
    return bool(choices(attribute)) and values(left, attribute) != values(right, attribute)


def changes(left: object, right: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where two universes differ: the attributes on the way there, from the outermost one to the innermost."""
    if isinstance(left, Span):
        return
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        for one, other in zip(left, right, strict=True):
            yield from changes(one, other, path)
    elif dataclasses.is_dataclass(left) and type(left) is type(right):
        for field in dataclasses.fields(left):
            inner = f"{type(left).__name__}.{field.name}"
            yield from changes(getattr(left, field.name), getattr(right, field.name), (*path, inner))
    elif repr(left) != repr(right):
        yield path
