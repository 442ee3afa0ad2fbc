"""Draws mutants so that every file and every kind of alteration in it is among them; the same seed draws the same."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from emitted_sites import template_mutants
from mutant import Mutant, files
from python_sites import python_mutants


def all_mutants() -> list[Mutant]:
    """Every mutant of every file."""
    return [mutant for path in files() for mutant in of_file(path)]


def of_file(path: str) -> list[Mutant]:
    """Every mutant of a file."""
    return python_mutants(path) if path.endswith(".py") else template_mutants(path)


def draw(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """So many of them, in the order of files and texts: one of each file, one of each kind in each folder, then any.

    What is drawn of one file hardly depends on the others, and not on where in it something is.
    """
    order = {mutant: _digest(mutant, seed) for mutant in mutants}
    drawn = sorted(mutants, key=lambda mutant: order[mutant])
    strata: dict[tuple[str, str], Mutant] = {}
    for mutant in drawn:
        strata.setdefault(("file", mutant.path), mutant)
        strata.setdefault((folder(mutant.path), mutant.kind), mutant)
    chosen = set(strata.values())
    for mutant in drawn:
        if len(chosen) >= count:
            break
        chosen.add(mutant)
    return [mutant for mutant in mutants if mutant in chosen]


def _digest(mutant: Mutant, seed: int) -> str:
    return sha256(repr((seed, mutant.path, mutant.kind, mutant.lines)).encode()).hexdigest()


def folder(path: str) -> str:
    """The folder that a table counts a file in: `lowering`, `passes`, `targets`, `targets/triton`, `targets/c`."""
    parts = path.split("/")[:-1]
    return "/".join(parts[:2]) if parts[0] == "targets" else parts[0]
