"""Certificates of proofs: what `hamlet_lab.proof.attest` needs to check one, which believes nothing of it.

Terms are nodes of one table, with numbers of nodes before them as operands. A step is two nodes that are equal, and
why, or tells a context apart into sides. Cases are a tree of sides.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from hamlet_lab.proof.attest import bare
from hamlet_lab.proof.merge import Merge
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

if TYPE_CHECKING:
    from hamlet_lab.proof.report import Report

FORMAT = 5
FILES = ("universe.json", "tick.kernel", "triton_kernels.py")
"""The files of a package that its certificate is about."""

RULES = {
    "division": 20, "sign of a product": 21, "clamp of a clamp": 22, "bounds": 23, "order": 25, "sign": 26,
    "sign of a sum": 27, "extreme": 28, "operands": 29, "sums": 35,
    "twice": 36, "power of two": 37, "conversion": 38, "sign of a factor": 39, "high half": 40, "widened": 41,
    "whole number": 42, "inside": 43, "times one": 44, "nothing added": 45,
    "outside": 46, "whole numbers": 47, "sign of both": 48,
}  # fmt: skip
"""The numbers of rules, as the checker has them, by the reasons of merges."""

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"


@dataclass(slots=True)
class Tables:
    """The nodes and the steps of a certificate, each there once. Steps of a context are none of its sides: what was
    merged in it is merged there. Its sides are numbered as they are told apart.

    Attributes:
        merges: of each context, in order.
        sides: of each side of a cover, the context that it covers, the number of the cover, and that of the side.
        covers: of each context, the numbers of its covers among all that tell it apart.
    """

    merges: dict[Arena, list[Merge]] = field(default_factory=dict)
    sides: dict[Arena, tuple[Arena, int, int]] = field(default_factory=dict)
    covers: dict[Arena, list[int]] = field(default_factory=dict)
    nodes: dict[str, int] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)
    _terms: dict[tuple[Arena, int], int] = field(default_factory=dict)
    _told: Counter[Arena] = field(default_factory=Counter)

    def node(self, arena: Arena, root: Term) -> int:
        """The number of the node that is a term of an arena."""
        stack = [root]
        while stack:
            term = stack[-1]
            missing = [each for each in term.operands if (arena, each.number) not in self._terms]
            stack += missing
            if not missing:
                stack.pop()
                operands: list[Json] = [self._terms[arena, each.number] for each in term.operands]
                node: list[Json] = [term.op, term.bits, operands]
                if isinstance(term.attribute, tuple):
                    node.append([int(str(row)) for row in term.attribute])
                elif isinstance(term.attribute, str | int):
                    node.append(term.attribute)
                self._terms[arena, term.number] = self.nodes.setdefault(_packed(node), len(self.nodes))
        return self._terms[arena, root.number]

    def replay(self, arena: Arena) -> list[Json]:
        """The steps of an arena, in order: their numbers, and of those on a side the side before."""
        steps: list[Json] = []
        for merge in self.merges.get(arena, []):
            entries: list[Json] = []
            if merge.reason == "cover":
                conditions = [self.node(merge.arena, each) for each in merge.said]
                at = self._tell_apart(arena, self.node(merge.arena, merge.left), conditions, entries)
                self.covers.setdefault(arena, []).append(at)
            else:
                entries += self.step(merge)
            if merge.arena is not arena:
                _, at, side = self.sides[merge.arena]
                entries = [[self.covers[arena][at], side, each] for each in entries]
            steps += entries
        return steps

    def step(self, merge: Merge) -> list[Json]:
        """The step of a merge, behind what it needs."""
        entries: list[Json] = []
        step: list[Json] = [self.node(merge.arena, merge.left), self.node(merge.arena, merge.right)]
        if merge.reason == "sides":
            step += ["sides", [self.covers[merge.arena][merge.cover]]]
        elif merge.sides:
            step += ["sides", self.split(merge.arena, merge.sides, entries)]
        elif merge.reason == "values" and merge.condition is not None:
            step += ["values", self.node(merge.arena, merge.condition)]
        elif merge.condition is not None:
            opened: list[Json] = [*sorted({self.node(merge.arena, each) for each in merge.said})]
            step += ["choice", self.node(merge.arena, merge.condition), opened]
        elif merge.said or merge.reason.startswith("query"):
            said: list[Json] = [*sorted({self.node(merge.arena, each) for each in merge.said})]
            step += ["query", said]
        else:
            step.append(RULES[merge.reason])
        return [*entries, self._number(step)]

    def _number(self, step: list[Json]) -> int:
        return self.steps.setdefault(_packed(step), len(self.steps))

    def _tell_apart(self, arena: Arena, cover: int, conditions: list[int], steps: list[Json]) -> int:
        """The number of new sides of an arena, after the step that makes them."""
        steps.append(self._number([cover, cover, "cover", [*conditions]]))
        self._told[arena] += 1
        return self._told[arena] - 1

    def both(self, arena: Arena, side: Arena, steps: list[Json]) -> int:
        """The number of the two sides of an arena of which one is a context, after the step that makes them."""
        condition = self.node(arena, _condition(side))
        return self._tell_apart(arena, condition, [condition], steps)

    def split(self, arena: Arena, contexts: Iterable[Arena], steps: list[Json]) -> Json:
        """The number of the sides that lead from an arena to contexts, and those of each side, after the steps that
        make them; `None` where it is the only one itself."""
        contexts = list(contexts)
        if contexts == [arena]:
            return None
        sides = _sides(arena, contexts)
        split: list[Json] = [at := self.both(arena, sides[0], steps)]
        for number, side in enumerate(sides):
            below = self.replay(side)
            split.append(self.split(side, _below(side, contexts), below))
            steps += [[at, number, each] for each in below]
        return split


def _condition(side: Arena) -> Term:
    assert side.origin is not None
    return side.origin[1]


def _sides(arena: Arena, contexts: list[Arena]) -> tuple[Arena, Arena]:
    """The two sides of an arena that lead to contexts: where its condition holds, and where not."""
    sides: dict[bool, Arena] = {}
    for context in contexts:
        path = _path(context)
        side = path[path.index(arena) + 1]
        assert side.origin is not None
        sides[side.origin[2]] = side
    return sides[True], sides[False]


def _path(arena: Arena) -> list[Arena]:
    """The contexts that led to one, the first first."""
    path = [arena]
    while path[0].origin is not None:
        path.insert(0, path[0].origin[0])
    return path


def _below(side: Arena, contexts: list[Arena]) -> list[Arena]:
    return [each for each in contexts if side in _path(each)]


def tables_of(merges: Iterable[Merge]) -> Tables:
    """The tables of merges in order. Those on the side of a cover are among those of the context that it covers."""
    tables, covers = Tables(), Counter[Arena]()
    for merge in merges:
        if merge.reason == "cover":
            at = covers[merge.arena]
            covers[merge.arena] += 1
            tables.sides |= {side: (merge.arena, at, number) for number, side in enumerate(merge.sides)}
        of = tables.sides[merge.arena][0] if merge.arena in tables.sides else merge.arena
        tables.merges.setdefault(of, []).append(merge)
    return tables


def certificate(report: Report) -> str:
    """The text of the certificate of a proof in which all words are proven."""
    proof, kernel = report.proof, report.kernel
    assert not proof.failed
    tables = tables_of(proof.merger.merges)

    def case(arena: Arena, contexts: list[Arena]) -> Json:
        steps = tables.replay(arena)
        if contexts == [arena]:
            return {"steps": steps, "words": words(arena)}
        sides = _sides(arena, contexts)
        tables.both(arena, sides[0], steps)
        return {"steps": steps, "sides": [case(side, _below(side, contexts)) for side in sides]}

    def words(arena: Arena) -> dict[str, Json]:
        result: dict[str, Json] = {}
        for each in proof.obligations:
            steps: list[Json] = []
            name = f"{each.word[0]}[{each.word[1]}]"
            if each.merge is not None and each.merge.arena is arena:
                result[name] = [tables.step(each.merge), None]
            elif each.contexts != (arena,) and arena in _path(each.contexts[0]):
                split = tables.split(arena, each.contexts, steps)
                result[name] = [steps, split]
        return result

    root = _path(proof.cases[0])[0]
    cases = case(root, proof.cases)
    premises: dict[str, Json] = {
        each.name: [each.bits, _plain(each.low), _plain(each.high), each.floating] for each in root.variables.values()
    }
    data: dict[str, Json] = {
        "format": FORMAT,
        "universe": report.universe.name,
        "kernel": kernel.name,
        "architecture": report.architecture,
        "triton": report.triton,
        "files": {name: hashlib.sha256(report.files[name]).hexdigest() for name in FILES},
        "ptx_sha256": hashlib.sha256(report.ptx.encode()).hexdigest(),
        "ptx": bare(report.ptx),
        "ir": report.ir,
        "premises": premises,
        "nodes": [json.loads(node) for node in tables.nodes],
        "steps": [json.loads(step) for step in tables.steps],
        "cases": cases,
    }
    data["sha256"] = hashlib.sha256(_packed(data).encode()).hexdigest()
    lines = [f" {json.dumps(key)}: {_lines(value)}" for key, value in data.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _plain(value: float) -> float:
    return int(value) if value == int(value) else value


def _lines(value: Json) -> str:
    """A list of lists with each of them on a line, and all else on one."""
    if isinstance(value, list) and all(isinstance(each, list) for each in value):
        return "[\n" + ",\n".join(_packed(each) for each in value) + "]"
    return _packed(value)


def _packed(value: Json) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
