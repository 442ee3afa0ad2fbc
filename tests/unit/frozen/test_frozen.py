"""Frozen dataclasses are those of Python, but for the time that it takes to make one."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field, fields, replace
from typing import Any, ClassVar

import pytest

from hamlet.frozen import quick
from hamlet.universe import Span


def kinds(dataclass: Any) -> dict[str, Any]:
    """Classes of every sort, made by this decorator."""

    @dataclass(frozen=True, slots=True)
    class Leaf:
        """A leaf."""

        size: float

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    @dataclass(frozen=True, slots=True)
    class Whole(Leaf):
        name: str = "tree"
        parts: tuple[Any, ...] = field(default_factory=tuple)
        hidden: int = field(default=3, repr=False, compare=False)
        unhashed: int = field(default=4, hash=False)
        made: int = field(default=5, init=False)
        listed: list[int] = field(default_factory=list, init=False, hash=False)

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Named(Leaf):
        word: str = "w"

    @dataclass(frozen=True, slots=True)
    class Own:
        low: int
        high: int
        kind: ClassVar[str] = "own"

        def __post_init__(self) -> None:
            if self.low > self.high:
                raise ValueError("upside down")

        def __repr__(self) -> str:
            return f"{self.low} .. {self.high}"

    @dataclass(frozen=True, slots=True)
    class Alike:
        value: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Alike)

        def __hash__(self) -> int:
            return 7

    return {each.__name__: each for each in (Leaf, Empty, Whole, Named, Own, Alike)}


KINDS = [kinds(quick), kinds(dataclasses.dataclass)]
OBJECTS = {
    "Leaf": [(1.5,), (-0.0,), (0.0,)],
    "Empty": [()],
    "Whole": [(1.0,), (1.0, "a"), (1.0, "tree", (1, 2)), (1.0, "tree", (), 8), (1.0, "tree", (), 3, 9)],
    "Named": [(2.0,)],
    "Own": [(1, 2), (2, 2)],
    "Alike": [(1,), (2,)],
}


@pytest.mark.parametrize("name", OBJECTS)
def test_classes_and_objects_are_those_of_python(name: str) -> None:
    ours, theirs = (each[name] for each in KINDS)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert inspect.get_annotations(ours.__init__) == inspect.get_annotations(theirs.__init__)
    assert [each.name for each in fields(ours)] == [each.name for each in fields(theirs)]
    assert (ours.__slots__, ours.__match_args__) == (theirs.__slots__, theirs.__match_args__)
    seen = [[kind(*values) for values in OBJECTS[name]] for kind in (ours, theirs)]
    for one, other in zip(*seen, strict=True):
        assert repr(one) == repr(other)
        assert hash(one) == hash(other)
        assert repr(copy.deepcopy(one)) == repr(replace(one)) == repr(one)
        assert copy.copy(one) == one
        assert one != other
        assert not hasattr(one, "__dict__")
    equal = [[left == right for left in row for right in row] for row in seen]
    assert equal[0] == equal[1]


@pytest.mark.parametrize("kind", [each["Whole"] for each in KINDS])
def test_nobody_writes_a_field(kind: Any) -> None:
    whole = kind(1.0)
    for wrong, message in (
        (lambda: setattr(whole, "size", 2.0), "cannot assign to field 'size'"),
        (lambda: delattr(whole, "name"), "cannot delete field 'name'"),
    ):
        with pytest.raises(FrozenInstanceError, match=message):
            wrong()
    assert whole.size == 1.0


def test_nobody_adds_a_field() -> None:
    with pytest.raises(FrozenInstanceError):
        KINDS[0]["Leaf"](1.0).other = 3


def test_arguments_and_what_is_looked_at_behind_them() -> None:
    for made in KINDS:
        assert made["Named"](1.0, word="x").word == "x"
        with pytest.raises(TypeError, match="positional argument"):
            made["Named"](1.0, "x")
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'size'"):
            made["Leaf"]()
        with pytest.raises(ValueError, match="upside down"):
            made["Own"](3, 2)
        first, second = made["Whole"](1.0), made["Whole"](1.0)
        assert first.listed == []
        assert first.listed is not second.listed
        match made["Whole"](2.0, "named"):
            case made_of if made_of.name == "named":
                assert made_of.size == 2.0
        assert made["Leaf"].__doc__ == "A leaf."


def test_pickles_of_nodes() -> None:
    span = Span(1, 2, 3, 4)
    assert pickle.loads(pickle.dumps(span)) == span
