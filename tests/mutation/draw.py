"""Draws mutants at random, of each folder in proportion; the same seed draws the same."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from c_sites import c_mutants
from emitted_sites import template_mutants
from mutant import Mutant, files
from python_sites import python_mutants


def all_mutants() -> list[Mutant]:
    """Every mutant of every file."""
    return [mutant for path in files() for mutant in of_file(path)]


def of_file(path: str) -> list[Mutant]:
    """Every mutant of a file."""
    match path.rpartition(".")[2]:
        case "py":
            return python_mutants(path)
        case "j2":
            return template_mutants(path)
        case _:
            return c_mutants(path)


def draw(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """So many of them, in an order of chance: of each folder as large a part as of all, within it at random.

    So each mutant has the same chance but for rounding, and what is found of the drawn ones holds for all, within an
    interval; the first of them are such a sample, too, where a run is ended early. Where in a file something is does
    not matter: of a file that changes elsewhere the same ones are drawn.
    """
    folders: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        folders.setdefault(folder(mutant.path), []).append(mutant)
    parts = {name: count * len(members) / len(mutants) for name, members in folders.items()}
    taken = {name: int(part) for name, part in parts.items()}
    for name in sorted(parts, key=lambda name: taken[name] - parts[name])[: count - sum(taken.values())]:
        taken[name] += 1
    order = {mutant: (_digest(mutant, seed), mutant.start) for mutant in mutants}
    ordered = (sorted(members, key=order.__getitem__)[: taken[name]] for name, members in folders.items())
    return sorted((mutant for members in ordered for mutant in members), key=order.__getitem__)


def _digest(mutant: Mutant, seed: int) -> str:
    return sha256(repr((seed, mutant.path, mutant.kind, mutant.lines)).encode()).hexdigest()


def folder(path: str) -> str:
    """The folder that a table counts a file in: `lowering`, `passes`, `targets`, `targets/triton`, `targets/c`."""
    parts = path.split("/")[:-1]
    return "/".join(parts[:2]) if parts[0] == "targets" else parts[0]
