"""Merges: two terms that are one, and why. Certificates are made of them."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena


@dataclass(frozen=True, slots=True)
class Merge:
    """Two terms of an arena that were proven to be equal, and why.

    Attributes:
        reason: as it is counted.
        said: of a query, the terms whose operations it said; all others were cut off. Of a cover, its conditions.
        sides: the contexts in which both are one term; of a cover those that it is made of.
        condition: of a choice, the one that tells both sides apart, on which terms are made anew as far as they are
            `said`; of values, the word that has these.
        cover: of terms that are one on all sides of a cover, its number in the arena.
    """

    arena: Arena
    left: Term
    right: Term
    reason: str
    said: tuple[Term, ...] = ()
    sides: tuple[Arena, ...] = ()
    condition: Term | None = None
    cover: int = 0
