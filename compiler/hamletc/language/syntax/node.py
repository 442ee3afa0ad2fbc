"""What all nodes of the syntax tree are: frozen dataclasses with slots, made from their fields and their form."""

from __future__ import annotations

from typing import Any, TypeAlias, dataclass_transform

from hamlet.frozen import dataclass

__all__ = ["Form", "Node", "NodeType"]

Form: TypeAlias = str | tuple[str, ...]
"""How a node is written, or in which ways: `hamletc.language.forms`."""


@dataclass_transform(frozen_default=True)
class NodeType(type):
    """Makes kinds of nodes. A kind without fields of its own has those of the one that it is of."""

    form: Form

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], *, form: Form = ()) -> Any:
        if "__slots__" in namespace:  # `dataclass` makes the class again, with slots
            return super().__new__(mcs, name, bases, namespace)
        namespace["form"] = form
        if "__annotations__" not in namespace:
            return super().__new__(mcs, name, bases, namespace | {"__slots__": ()})
        return dataclass(frozen=True, slots=True)(super().__new__(mcs, name, bases, namespace))


class Node(metaclass=NodeType):
    """A node of the syntax tree.

    Attributes:
        form: how it is written, from which its grammar rule, its builder and its text follow; empty where these are
            written by hand.
    """

    __slots__ = ()
    form = ()

    @classmethod
    def keyword(cls) -> str:
        """The first word of its form."""
        first = cls.form if isinstance(cls.form, str) else cls.form[0]
        return first.split()[0]
