"""Certificates of proofs: what `hamlet_lab.proof.attest` needs to check one, which believes nothing of it.

Terms are nodes of one table, with numbers of nodes before them as operands. A step is two nodes that are equal, and
why. Cases, and cases within a step or a word, are trees: a condition, and what is so on either side of it.
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

FORMAT = 3
FILES = ("universe.json", "tick.kernel", "triton_kernels.py")
"""The files of a package that its certificate is about."""

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"


@dataclass(slots=True)
class Tables:
    """The nodes and the steps of a certificate, each there once. Steps of a context are none of its sides: what was
    merged in it is merged there.

    Attributes:
        merges: of each context, in order.
        sides: of each side of a cover, the context that it covers, the number of the cover, and that of the side.
    """

    merges: dict[Arena, list[Merge]] = field(default_factory=dict)
    sides: dict[Arena, tuple[Arena, int, int]] = field(default_factory=dict)
    nodes: dict[str, int] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)
    _terms: dict[tuple[Arena, int], int] = field(default_factory=dict)

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
        """The numbers of the steps of an arena, in order."""
        steps: list[Json] = []
        for merge in self.merges.get(arena, []):
            step = self._step(merge)
            steps.append(step if merge.arena is arena else [*self.sides[merge.arena][1:], step])
        return steps

    def _step(self, merge: Merge) -> int:
        step: list[Json] = [self.node(merge.arena, merge.left), self.node(merge.arena, merge.right)]
        if merge.reason == "cover":
            step += ["cover", [self.node(merge.arena, each) for each in merge.said]]
        elif merge.reason == "sides":
            step += ["sides", merge.cover]
        elif merge.sides:
            step += ["cases", self.split(merge.arena, merge.sides)]
        elif merge.condition is not None:
            opened: list[Json] = [*sorted({self.node(merge.arena, each) for each in merge.said})]
            step += ["choice", self.node(merge.arena, merge.condition), opened]
        elif merge.said or merge.reason.startswith("query"):
            said: list[Json] = [*sorted({self.node(merge.arena, each) for each in merge.said})]
            step += ["query", said]
        else:
            step.append(merge.reason)
        return self.steps.setdefault(_packed(step), len(self.steps))

    def split(self, arena: Arena, contexts: Iterable[Arena]) -> Json:
        """The conditions that lead from an arena to contexts, and the steps on their sides; `None` where it is the only
        one itself."""
        contexts = list(contexts)
        if contexts == [arena]:
            return None
        sides = _sides(arena, contexts)
        condition = self.node(arena, _condition(sides[0]))
        return [condition, *([self.replay(side), self.split(side, _below(side, contexts))] for side in sides)]


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
        if contexts == [arena]:
            return {"steps": tables.replay(arena), "words": words(arena)}
        sides = _sides(arena, contexts)
        condition = tables.node(arena, _condition(sides[0]))
        return [condition, tables.replay(arena), *(case(side, _below(side, contexts)) for side in sides)]

    def words(arena: Arena) -> dict[str, Json]:
        result: dict[str, Json] = {}
        for each in proof.obligations:
            if each.contexts != (arena,) and arena in _path(each.contexts[0]):
                result[f"{each.word[0]}[{each.word[1]}]"] = tables.split(arena, each.contexts)
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
