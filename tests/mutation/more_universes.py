"""All universes that are shipped or kept, for mutants that those of the stage before do not tell: what is made of each
without a mutant is known by its digest, and only what differs is run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Literal, TypeAlias, get_args

from areas import area
from behaviour import Made, check_programs, files, recordings, replayed, texts
from executed import Functions, forget_results, tracing
from mutant import ROOT

from samples import sample

Form: TypeAlias = Literal["programs", "c", "triton", "wasm"]
FORMS: tuple[Form, ...] = get_args(Form)
PLACES = {
    "regressions": ROOT / "tests" / "equivalence" / "regressions",
    "gallery": ROOT / "universes" / "gallery",
    "ports": ROOT / "universes" / "ports",
}
UNIVERSES = tuple(f"{name}/{path.stem}" for name, place in PLACES.items() for path in sorted(place.glob("*.hamlet")))
BUDGET = 300
"""Seconds of processor time in which universes are looked at, those that are made soonest first."""


@dataclass(frozen=True, slots=True)
class Unaltered:
    """What is made of a universe without a mutant.

    Attributes:
        called: the functions of the mutated folders that make it.
        seconds: of processor time that making it takes.
    """

    digest: str
    called: Functions
    seconds: float


Universes: TypeAlias = Mapping[Form, Mapping[str, Unaltered]]


def forms(path: str) -> tuple[Form, ...]:
    """What universes are made into for mutants of a file."""
    match area(path):
        case "passes":
            return ("programs",)
        case "lowering":
            return ("programs", "c")
        case "both" | "kernel":
            return ("c", "triton", "wasm")
        case "c" | "triton" | "wasm" as target:
            return (target,)
        case _:
            return ()


def made_of(names: Sequence[str], form: Form) -> dict[str, Unaltered]:
    """What is made of these universes."""
    known = dict[str, Unaltered]()
    for name in names:
        forget_results()
        begin = time.process_time()
        with tracing() as called:
            made = _make(name, form)
        known[name] = Unaltered(_digest(made), frozenset(called), time.process_time() - begin)
    return known


def differing(
    form: Form, known: Mapping[str, Unaltered], altered: Functions | None
) -> Iterator[tuple[str, Callable[[], int]]]:
    """Universes that call what a mutant alters, as long as the budget lasts, and the check of each."""
    end = time.process_time() + BUDGET
    for name, each in sorted(known.items(), key=lambda item: item[1].seconds):
        if time.process_time() > end:
            return
        if altered is None or altered & each.called:
            yield name, partial(_check, name, form, each.digest)


def _check(name: str, form: Form, digest: str) -> int:
    """What is made of a universe does what the interpreter does; how many values were compared."""
    made = _make(name, form)
    if _digest(made) == digest:
        return 0
    if form == "programs":
        return check_programs(recordings(sample(name), ("alone", "together"), 4), {})
    package = {file: content for file, content in made.items() if isinstance(content, bytes)}
    return replayed(recordings(sample(name), ("alone", "together", "some"), 3), form, package)


def _make(name: str, form: Form) -> Made:
    return texts(sample(name)) if form == "programs" else files(sample(name), form)


def _digest(made: Made) -> str:
    return sha256(repr(sorted(made.items())).encode()).hexdigest()
