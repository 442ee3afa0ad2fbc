"""HAMLET's names of the parts of a universe: the file `townlet.json` of a package that was compiled from a pack.

A universe knows numbers and names of its own. HAMLET's population code also asks for the vocabulary of affordances
(some are not deployed), for names of observation variables, and for the names of the params and inputs that stand for
its arguments. That is what a description holds, and nothing that changes what a tick does.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from hamlet import schema
from hamlet.errors import ModuleError
from hamlet.strict_json import parsed
from hamlet.universe import ObserveWindow, Universe

if TYPE_CHECKING:
    from hamlet.package.module import Module

FILENAME = "townlet.json"

Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json] | None"


class DescriptionError(ValueError):
    """A text that is not the JSON of a description. The message names the key."""


@dataclass(frozen=True, slots=True)
class ObservationField:
    """A variable of the observation: values `offset` .. `offset + count - 1`."""

    name: str
    offset: int
    count: int


@dataclass(frozen=True, slots=True)
class Description:
    """A universe in HAMLET's words.

    Attributes:
        pack: the name of the pack.
        vocabulary: all affordances of the pack, deployed or not, in file order.
        deployed: for each affordance of the universe, in order, its number in the vocabulary.
        raising: affordances, by their names in the universe, whose use raises an exception.
        temporal: whether temporal mechanics are on.
        pomdp: whether observation is partial.
        depletion: the param that is the depletion multiplier.
        fresh: the param that is 1 while an exploration module is attached and 0 otherwise, where there is one.
        intrinsic: the input that takes the raw intrinsic reward, where there is one.
        fields: the variables of the observation, in order, without gaps.
        enabled: for each action, whether the pack enables it.
        stopping: shaping bonuses, by their types, with which every step raises an exception.
    """

    pack: str
    vocabulary: tuple[str, ...]
    deployed: tuple[int, ...]
    raising: tuple[str, ...]
    temporal: bool
    pomdp: bool
    depletion: str | None
    fresh: str | None
    intrinsic: str | None
    fields: tuple[ObservationField, ...]
    enabled: tuple[bool, ...]
    stopping: tuple[str, ...] = ()


def to_json(description: Description) -> str:
    """The canonical text of a description, a line per key, with a newline at its end."""
    members = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in dataclasses.asdict(description).items()]
    return "{\n" + ",\n".join(members) + "\n}\n"


def from_json(text: str) -> Description:
    """The description of a text that `to_json` wrote; exactly the same one.

    Raises:
        DescriptionError: the text is not JSON, or a key or a value is missing, unknown or of the wrong type.
    """
    try:
        value = parsed(text)
    except ValueError as error:
        raise DescriptionError(f"is not JSON: {error}") from error
    description: Description = _read(Description, value, "description")
    return description


def check(description: Description, universe: Universe) -> None:
    """See that a description is one of this universe.

    Raises:
        DescriptionError: it names something that the universe does not have, or counts otherwise.
    """
    affordances = tuple(item.name for item in universe.affordances)
    expected = (
        ("deployed", len(description.deployed), len(affordances)),
        ("enabled", len(description.enabled), len(schema.action_names(universe))),
        ("fields", sum(item.count for item in description.fields), schema.observation_rows(universe)),
    )
    for key, number, count in expected:
        if number != count:
            raise DescriptionError(f"{key}: covers {number} of {count} of {universe.name}")
    if any(number not in range(len(description.vocabulary)) for number in description.deployed):
        raise DescriptionError(f"deployed: numbers are 0 .. {len(description.vocabulary) - 1}")
    offset = 0
    for item in description.fields:
        if item.offset != offset:
            raise DescriptionError(f"fields: {item.name} begins at {offset}, not {item.offset}")
        offset += item.count
    params, inputs = {item.name for item in universe.params}, {item.name for item in universe.inputs}
    for key, name, declared in (
        ("depletion", description.depletion, params),
        ("fresh", description.fresh, params),
        ("intrinsic", description.intrinsic, inputs),
        *(("raising", name, set(affordances)) for name in description.raising),
    ):
        if name is not None and name not in declared:
            raise DescriptionError(f"{key}: {universe.name} has no {name!r}")


def describe(universe: Universe) -> Description:
    """The description of a universe that was not compiled from a pack: its own words are HAMLET's.

    The params `depletion` and `fresh` and the input `intrinsic_raw`, where there are any, are what they are in a pack
    that was translated to the text language.
    """
    params, inputs = {item.name for item in universe.params}, {item.name for item in universe.inputs}
    return Description(
        pack=universe.name,
        vocabulary=tuple(item.name for item in universe.affordances),
        deployed=tuple(range(len(universe.affordances))),
        raising=(),
        temporal=universe.clock is not None,
        pomdp=any(isinstance(item, ObserveWindow) for item in universe.observations),
        depletion="depletion" if "depletion" in params else None,
        fresh="fresh" if "fresh" in params else None,
        intrinsic="intrinsic_raw" if "intrinsic_raw" in inputs else None,
        fields=tuple(
            ObservationField(item.name, item.offset, item.count) for item in schema.observation_segments(universe)
        ),
        enabled=(True,) * len(schema.action_names(universe)),
    )


def _read(kind: Any, value: Any, place: str) -> Any:
    """A value of this type, from JSON."""
    if dataclasses.is_dataclass(kind):
        if not isinstance(value, Mapping):
            raise DescriptionError(f"{place}: an object is expected, not {value!r}")
        types = typing.get_type_hints(kind)
        for name in (*types, *value):
            if name not in value or name not in types:
                raise DescriptionError(f"{place}: the key {name!r} is {'missing' if name in types else 'unknown'}")
        read = {name: _read(types[name], value[name], name) for name in types}
        made: Any = kind
        return made(**read)
    if typing.get_origin(kind) is tuple:
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise DescriptionError(f"{place}: a list is expected, not {value!r}")
        element = typing.get_args(kind)[0]
        return tuple(_read(element, item, f"{place}[{index}]") for index, item in enumerate(value))
    choices = typing.get_args(kind) or (kind,)
    if type(value) not in choices:
        words = {str: "a string", int: "a whole number", bool: "true or false", type(None): "null"}
        raise DescriptionError(
            f"{place}: {' or '.join(words[choice] for choice in choices)} is expected, not {value!r}"
        )
    return value


def description_of(module: Module) -> Description:
    """HAMLET's names of the parts of a universe: as its pack says, or else their own names.

    Raises:
        ModuleError: the package's description is not one of its universe.
    """
    source = module.sources.get(FILENAME)
    if source is None:
        return describe(module.universe)
    try:
        description = from_json(source.decode())
        check(description, module.universe)
    except (DescriptionError, UnicodeDecodeError) as error:
        raise ModuleError(f"{module.path / FILENAME}: {error}: compile it again") from error
    return description
