"""Findings: what is wrong at a place of a text, as values. A finding has typed fields (names, spans, numbers,
alternatives); `Finding.told` says it in words, when it is shown."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, TypeVar, dataclass_transform

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc.diagnostics.diagnostic import Diagnostic, Label, diagnose
from hamletc.diagnostics.edit import Edit


@dataclass(frozen=True, slots=True)
class Told:
    """A finding in words.

    Attributes:
        message: the heading, without a full stop.
        hint: what to do, in full sentences without the word "hint".
        label: a few words beside the carets.
        secondary: other places that explain it.
        edits: they write what the hint says, where it says precisely what.
    """

    message: str
    hint: str
    label: str = ""
    secondary: tuple[Label, ...] = ()
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """The base of all kinds of findings; each is a class under `finding`.

    Attributes:
        code: the code in `hamletc.codes`, which has its severity and title.
        inert: whether it is about something without effect although others with its code are not.
        span: the place that it is about.
    """

    code: ClassVar[str]
    inert: ClassVar[bool] = False
    span: Span

    @abstractmethod
    def told(self) -> Told:
        """The finding in words."""

    def diagnostic(self) -> Diagnostic:
        """The finding in words, with its code and severity."""
        told = self.told()
        made = diagnose(self.code, told.message, self.span, told.label, secondary=told.secondary, hint=told.hint)
        return replace(made, edits=told.edits) if told.edits else made


F = TypeVar("F", bound=Finding)


@dataclass_transform(frozen_default=True)
def finding(code: str, *, inert: bool = False) -> Callable[[type[F]], type[F]]:
    """Make a class a kind of finding with this code: a frozen, slotted dataclass."""

    def made(kind: type[F]) -> type[F]:
        kind = dataclass(frozen=True, slots=True)(kind)
        kind.code, kind.inert = code, inert
        return kind

    return made
