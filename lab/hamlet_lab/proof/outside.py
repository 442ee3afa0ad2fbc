"""Global memory as a thread under proof sees it, and what it stores there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hamlet_lab.proof.barriers import Met
from hamlet_lab.proof.of_schedule import Word
from hamlet_lab.proof.term import Term


@dataclass(frozen=True, slots=True)
class Stored:
    """A store: the line of the text, where, in how many bytes, what, and under which condition."""

    line: int
    address: Term
    value: Term
    where: Term


@dataclass(slots=True)
class Outside:
    """Global memory as a thread sees it.

    Attributes:
        places: by the number of a term that is an address, the word there.
        words: the words of the lane as they are now.
        tables: by the number of the variable of a table's address, its rows.
        abstained: the votes in which no thread of a launch votes, by how many instructions were executed then. A thread
            of which nothing is known adds to them; all threads execute the same until one of its branches is undecided.
        rows: words that each thread of a warp has, as such a thread finds, by how many instructions were executed then.
        anything: what such a thread loads, in so many bits, if not of a table.
        stored: the stores, in order.
        loaded: the lines that load a word of the lane.
        shared: arrays of which other threads may store the same words.
        met: the barriers that the thread has met.
        own_votes_first: whether a case is split by what the thread itself votes, before others do.
    """

    places: Mapping[int, Word]
    words: dict[Word, Term]
    tables: Mapping[int, tuple[int, ...]]
    abstained: set[int]
    rows: dict[int, tuple[int, ...]]
    anything: Callable[[int], Term] | None = None
    stored: list[Stored] = field(default_factory=list)
    loaded: list[int] = field(default_factory=list)
    shared: frozenset[str] = frozenset()
    met: Met = field(default_factory=Met)
    own_votes_first: bool = False
