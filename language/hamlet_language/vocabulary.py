"""The vocabulary of the language, by what highlighters colour: made of the tables that the parser reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from hamletc.language.braces import DECLARATIONS
from hamletc.language.tables import terminals
from hamletc.language.words import CALLS, QUANTITIES, RESERVED, YIELDING

BLOCKS = ("actions", "acts", "allow", "clock", "dies", "draw", "ends", "episodes", "include", "inert", "lifespan",
          "map", "moves", "observe", "override", "reward", "slots", "space", "stages", "start", "track", "pairs",
          "cells", "without", "world")  # fmt: skip
"""Words that begin a declaration without a name."""
JOINED = ("extends", "universe")
"""Words behind which a name stands, too, and which begin no declaration."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words, each in one class.

    Attributes:
        naming: words behind which a name is declared, or used as it was declared: `meter`.
        opening: words that begin other declarations: `observe`.
        control: words that join conditions and values: `when`.
        functions: what is called, where a parenthesis follows.
        quantities: words that are numbers, conditions or places by themselves: `hour`.
        keywords: all others of the grammar.
    """

    naming: frozenset[str]
    opening: frozenset[str]
    control: frozenset[str]
    functions: frozenset[str]
    quantities: frozenset[str]
    keywords: frozenset[str]


@cache
def vocabulary() -> Vocabulary:
    """The words of the language as it is."""
    opening = frozenset(BLOCKS)
    naming = (DECLARATIONS | {*JOINED, "item", "level"}) - opening
    quantities = frozenset((*QUANTITIES, *YIELDING)) - naming - opening
    grammar = frozenset(word for word in terminals() if word.isalpha())
    return Vocabulary(
        naming=naming,
        opening=opening,
        control=RESERVED,
        functions=frozenset(CALLS) - naming - opening - RESERVED,
        quantities=quantities,
        keywords=grammar - naming - opening - RESERVED - quantities,
    )
