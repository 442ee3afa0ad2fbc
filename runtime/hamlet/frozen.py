"""Frozen dataclasses with slots, made in a third of the time that Python takes, which writes and compiles six functions
for each. A command that checks a text makes four hundred of them before it reads a line, and that was half of its time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

__all__ = ["dataclass"]

T = TypeVar("T")
Values: TypeAlias = "Callable[[Any], tuple[Any, ...]]"
FieldRow: TypeAlias = "tuple[Field[Any], ...]"
PARAMS = "__dataclass_params__"
"""The attribute by which Python knows the classes that it has frozen."""


class _Factory:
    """The default of an argument whose value a function makes."""

    def __repr__(self) -> str:
        return "<factory>"


FACTORY = _Factory()


def quick(*, frozen: bool = False, slots: bool, kw_only: bool = False) -> Callable[[type[T]], type[T]]:
    """`dataclasses.dataclass`. Objects, errors and `dataclasses.fields` are the same; only the functions that need no
    text of their own are closures."""

    def made(kind: type[T]) -> type[T]:
        of_python = any(PARAMS in vars(base) and vars(base)[PARAMS].frozen for base in kind.__mro__)
        passed_on = any("InitVar" in str(each) for each in kind.__annotations__.values())
        if of_python or passed_on or not frozen or not slots:
            return dataclasses.dataclass(frozen=frozen, slots=slots, kw_only=kw_only)(kind)
        return _frozen(kind, kw_only)

    return made


def _frozen(kind: type[T], kw_only: bool) -> type[T]:
    own, documented = dict(vars(kind)), kind.__doc__
    # Where there is no docstring Python writes one, for which it imports a lot.
    kind.__doc__ = documented or " "
    plain = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(kind)
    plain.__doc__ = documented
    row = fields(plain)  # type: ignore[arg-type]  # it was made a dataclass
    functions = {
        "__init__": _Later(plain, row),
        **dict(_shown(row)),
        **dict(_compared(row)),
        **dict(_pickled(row)),
    }
    for name, function in functions.items():
        # A class that says when its objects are equal has no hash of its own.
        if own.get(name) is None:
            setattr(plain, name, function)
    for name, function in _refused(plain, row):
        setattr(plain, name, function)
    return plain


class _Later:
    """The `__init__` of a class until somebody asks for it: most commands make objects of few of the classes."""

    __slots__ = ("kind", "row")

    def __init__(self, kind: type, row: FieldRow) -> None:
        self.kind, self.row = kind, row

    def __get__(self, instance: object, owner: type) -> Callable[..., None]:
        function = _initialiser(self.kind, self.row)
        setattr(self.kind, "__init__", function)  # noqa: B010  (of a class that has another one)
        bound: Callable[..., None] = function.__get__(instance, owner)
        return bound


def _initialiser(kind: type, row: FieldRow) -> Callable[..., None]:
    """`__init__`, the one function that is compiled: worlds of nodes are made by it."""
    scope: dict[str, Any] = {"_FACTORY": FACTORY}
    positional: list[str] = ["self"]
    named: list[str] = []
    body: list[str] = []
    for field in row:
        name, value, default = field.name, field.name, ""
        if field.default is not MISSING:
            scope[f"_default_{name}"], default = field.default, f"=_default_{name}"
        elif field.default_factory is not MISSING:
            scope[f"_make_{name}"], default = field.default_factory, "=_FACTORY"
            value = f"_make_{name}() if {name} is _FACTORY else {name}"
        if field.init:
            (named if field.kw_only else positional).append(name + default)
        elif default:
            value = f"_make_{name}()" if default == "=_FACTORY" else default[1:]
        else:
            continue
        # What writes a slot, without a search for it by its name.
        scope[f"_set_{name}"] = getattr(kind, name).__set__
        body.append(f"    _set_{name}(self, {value})\n")
    if hasattr(kind, "__post_init__"):
        body.append("    self.__post_init__()\n")
    arguments = ", ".join([*positional, *(["*", *named] if named else ())])
    exec(f"def __init__({arguments}):\n{''.join(body) or '    pass'}", scope)
    function: Callable[..., None] = scope["__init__"]
    function.__qualname__ = f"{kind.__qualname__}.__init__"
    function.__module__ = kind.__module__
    function.__annotations__ = {each.name: each.type for each in row if each.init} | {"return": None}
    return function


def _shown(row: FieldRow) -> Iterator[tuple[str, Callable[..., str]]]:
    names = [field.name for field in row if field.repr]

    @recursive_repr()
    def shown(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in names])})"

    yield "__repr__", shown


def _compared(row: FieldRow) -> Iterator[tuple[str, Callable[..., Any]]]:
    values = _values([field.name for field in row if field.compare])
    hashed = _values([field.name for field in row if (field.compare if field.hash is None else field.hash)])

    def equal(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hashing(self: Any) -> int:
        return hash(hashed(self))

    yield "__eq__", equal
    yield "__hash__", hashing


def _pickled(row: FieldRow) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Pickles and copies ask for these: nobody may write an object's fields."""
    names = [field.name for field in row]

    def state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def restore(self: Any, values: list[Any]) -> None:
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    yield "__getstate__", state
    yield "__setstate__", restore


def _refused(kind: Any, row: FieldRow) -> Iterator[tuple[str, Callable[..., None]]]:
    names = frozenset(field.name for field in row)

    def assign(self: Any, name: str, value: Any) -> None:
        if type(self) is kind or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(kind, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        if type(self) is kind or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(kind, self).__delattr__(name)

    yield "__setattr__", assign
    yield "__delattr__", delete


def _values(names: Sequence[str]) -> Values:
    """A function that reads these attributes of an object, as a tuple."""
    if len(names) == 1:
        only = attrgetter(*names)
        return lambda each: (only(each),)
    return attrgetter(*names) if names else lambda _: ()


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = quick
