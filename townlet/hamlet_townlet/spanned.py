"""Values of a pack with their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from hamlet.universe import Span

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spanned(Generic[T]):
    """A value and its place in the file."""

    value: T
    span: Span
