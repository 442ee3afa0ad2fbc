"""Fields of packs, one by one: which there are, and whether anything comes of a change.

A change shows in the universe that a pack becomes, in what is said about it (H130 and its like), or in an error about
what does not fit it. A value of another type or beyond its limits is refused whatever the field does: that does not
count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeAlias, get_args

import pytest

from hamlet_townlet import read_pack
from hamlet_townlet.adapter import description
from hamlet_townlet.frontend import translate
from hamlet_townlet.pack import Boundary, CascadeGroup, Encoding, Metric, Operator, Scope, VariableType
from hamlet_townlet.reader.events import compose
from hamlet_townlet.reader.fields import Fields
from hamlet_townlet.reader.nodes import ListNode, MapNode, Node, ScalarNode, meaning
from hamlet_townlet.rewards import Strategy
from hamlet_townlet.translate.text import text_of
from hamletc.diagnostics import Diagnostic

Field: TypeAlias = tuple[str, str, str]
"""A file, what the mapping is called in messages, and a key in it."""
Outcome: TypeAlias = tuple[tuple[str, str] | None, frozenset[tuple[str, str, str]]]
"""What a pack becomes, `None` with errors; and what was said: file, code, message."""

SYNTAX = frozenset(("H101", "H106", "H107", "H109", "H110", "H111"))
"""What is said about a value whatever its field does."""

WORDS: tuple[tuple[str, ...], ...] = (
    *(get_args(each) for each in (Boundary, Metric, Encoding, Strategy, Operator, CascadeGroup, Scope, VariableType)),
    ("none", "rnd", "icm", "count_based", "adaptive_rnd"),
    ("movement", "passive", "interaction", "transaction"),
    ("dual", "multi_tick", "instant", "continuous"),
    ("grid", "gridnd", "continuous", "continuousnd", "aspatial"),
    ("square", "cubic", "hypercube"),
    ("agent", "engine", "acs"),
    ("energy", "hygiene", "satiation", "mood", "warmth"),
    ("Stove", "Hammock", "1", "Shed"),
    ("UP", "WAIT", "HUM", "JUMP"),
    ("season", "flag", "energy", "velocity_x", "time_sin", "cells"),
    ("tired", "windy"),
    ("gradient_penalty", "another_type"),
)


@dataclass(slots=True)
class Asked:
    """What readers asked for while packs were read: keys with a meaning, and keys for people."""

    keys: set[Field] = field(default_factory=set)
    prose: set[Field] = field(default_factory=set)
    there: set[Field] = field(default_factory=set)


def watch(patch: pytest.MonkeyPatch) -> Asked:
    """Note what readers ask for, from now on."""
    asked, find, documentation = Asked(), Fields.find, Fields.documentation

    def noting(self: Fields, name: str) -> Node | None:
        place = (self.report.path.name, self.what, name)
        asked.keys.add(place)
        node = find(self, name)
        if node is not None:
            asked.there.add(place)
        return node

    def noting_prose(self: Fields, *names: str) -> None:
        asked.prose.update((self.report.path.name, self.what, name) for name in names)
        documentation(self, *names)

    patch.setattr(Fields, "find", noting)
    patch.setattr(Fields, "documentation", noting_prose)
    return asked


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar in a file, and the keys (and `*` for items of lists) on the way to it."""

    path: tuple[str, ...]
    node: ScalarNode

    @property
    def name(self) -> str:
        return ".".join(self.path)


def leaves(node: Node, path: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """All scalars of a file."""
    match node:
        case MapNode(entries=entries):
            for entry in entries:
                yield from leaves(entry.value, (*path, entry.key.text))
        case ListNode(items=items):
            for item in items:
                yield from leaves(item, (*path, "*"))
        case ScalarNode():
            yield Leaf(path, node)


def outcome(directory: Path) -> Outcome:
    """What becomes of a pack."""
    pack, files = read_pack(directory)
    said = frozenset((file.path.name, each.code, each.message) for file in files for each in file.diagnostics)
    if pack is None:
        return None, said
    tree, described = translate(pack)
    return (text_of(tree, pack), description.to_json(described)), said


def alternatives(leaf: ScalarNode) -> list[str]:
    """Other values, as YAML has them: near ones, small ones, words that stand in the same places."""
    value = meaning(leaf)
    match value:
        case bool():
            return ["false" if value else "true"]
        case int():
            return [str(each) for each in (value + 1, value - 1, value + 3, 0, 1, 3, 20) if each != value]
        case float():
            return [str(each) for each in (value * 0.5, value + 0.125, 0.0, 1.0, value + 1) if each != value]
        case str():
            others = [word for words in WORDS if value in words for word in words if word != value]
            return [f'"{word}"' for word in (*dict.fromkeys(others), "unheard_of")]
        case _:
            return []


def replaced(text: str, leaf: ScalarNode, value: str) -> str:
    """A file with another value in the place of a scalar."""
    lines = text.split("\n")
    line, span = lines[leaf.span.line - 1], leaf.span
    lines[span.line - 1] = line[: span.column - 1] + value + line[span.end_column - 1 :]
    return "\n".join(lines)


def warnings(directory: Path, file: str) -> list[Diagnostic]:
    """What warnings about packs say of a file."""
    _, files = read_pack(directory)
    return [each for about in files if about.path.name == file for each in about.diagnostics if each.code >= "H130"]


def reported(found: Sequence[Diagnostic], file: str, leaf: Leaf) -> bool:
    """Whether a warning says of a scalar, or of what it belongs to, that it has no effect: it names one of its keys, or
    stands in its line."""
    return any(
        each.primary.span.line == leaf.node.span.line
        or each.message.startswith(file)
        or any(f"`{key}`" in each.message for key in leaf.path)
        for each in found
    )


def without_wire(directory: Path, files: Sequence[str], apart: Collection[str]) -> list[str]:
    """The fields in these files whose values can be changed without anything to show for it, and such a change.

    A field that occurs more than once has a wire if one of its places has. `apart`: patterns of what is left out.
    """
    before = outcome(directory)
    assert before[0] is not None, sorted(before[1])
    silent: dict[str, str] = {}
    wired: set[str] = set()
    for file in files:
        path = directory / file
        text = path.read_text(encoding="utf-8")
        node, _ = compose(text)
        assert node is not None
        found = warnings(directory, file)
        for leaf in leaves(node):
            name = f"{file} {leaf.name}"
            if name in wired or any(fnmatchcase(name, pattern) for pattern in apart):
                continue
            if reported(found, file, leaf):
                wired.add(name)
                continue
            for value in alternatives(leaf.node):
                path.write_text(replaced(text, leaf.node, value), encoding="utf-8")
                after = outcome(directory)
                said = {code for _, code, _ in after[1] - before[1]}
                if said - SYNTAX or (after[0] is not None and after[0] != before[0]):
                    wired.add(name)
                    break
                if after[0] is not None:
                    silent[name] = f"{leaf.node.text} -> {value}"
            path.write_text(text, encoding="utf-8")
    return [f"{name}: {change}" for name, change in silent.items() if name not in wired]
