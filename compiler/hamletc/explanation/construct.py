"""A construct, as its author wrote it and as each stage of the compiler has it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hamlet.package.manifest import plain
from hamlet.universe import Universe
from hamlet.universe.codec import to_json
from hamletc.frontend import UniverseText
from hamletc.ir.function import Program
from hamletc.ir.text import print_program
from hamletc.suggest import closest

COMMENT = re.compile(r"^\s*(?:/\*|#)\s*(?P<about>\w+: .*?)\s*(?:\*/)?$")
LONGEST = 400
"""Lines of a stage that are shown."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A construct in a stage: the stage's name, and lines."""

    name: str
    lines: tuple[str, ...]


def named(universe: Universe) -> dict[str, list[Mapping[str, object]]]:
    """Named things in the canonical JSON of a universe, by name."""
    result: dict[str, list[Mapping[str, object]]] = {}
    for each in _objects(json.loads(to_json(universe))):
        name = each.get("name")
        if isinstance(name, str) and name and each.get("kind") != "Universe":
            result.setdefault(name, []).append(each)
    return result


def nearest(universe: Universe, name: str) -> str:
    """A hint at the name that was meant."""
    meant = closest(name, sorted(named(universe)))
    return f": did you mean {meant}?" if meant else ""


def stages(
    reading: UniverseText,
    universe: Universe,
    program: Program,
    kernels: Mapping[str, str | bytes],
    name: str,
) -> Iterator[Stage]:
    """A construct in every stage; `kernels`: by target."""
    objects = named(universe).get(name, [])
    yield Stage("source", tuple(_source(reading, universe, objects)))
    shown = [json.dumps(_bare(each), indent=1, ensure_ascii=False) for each in objects]
    yield Stage("Universe", tuple(line for text in shown for line in text.split("\n")))
    quoted = re.compile(rf"; \w+: [^`]*`{re.escape(name)}` :\d")
    yield Stage("tick IR", tuple(line.strip() for line in print_program(program).split("\n") if quoted.search(line)))
    for target, text in kernels.items():
        if isinstance(text, str):
            yield Stage(target, tuple(_generated(text, name)))
        else:
            yield Stage(target, (f"{len(text):,} bytes, without lines",))


def _source(reading: UniverseText, universe: Universe, objects: list[Mapping[str, object]]) -> Iterator[str]:
    texts = {plain(source.title): source.text.split("\n") for source in reading.sources}
    for each in objects:
        match each.get("span"):
            case [int(first), _, int(last), _, *file]:
                title = universe.sources[file[0] if file and isinstance(file[0], int) else 0]
                for number in range(first, last + 1):
                    lines = texts.get(title, [])
                    text = lines[number - 1] if number <= len(lines) else ""
                    yield f"{title}:{number}  {text}".rstrip()
            case _:
                pass


def _generated(text: str, name: str) -> Iterator[str]:
    """The lines of generated code under comments about a construct."""
    mine = re.compile(rf": \w+ {re.escape(name)}(,|$)")
    inside = False
    for number, line in enumerate(text.split("\n"), start=1):
        comment = COMMENT.match(line)
        if comment is not None:
            inside = mine.search(comment["about"]) is not None
        elif not line.strip() or line.strip().startswith(("return", "}", "def ")):
            inside = False
        elif inside:
            yield f"{number}: {line.strip()}"


def _objects(tree: object) -> Iterator[Mapping[str, object]]:
    if isinstance(tree, dict):
        if "kind" in tree and "name" in tree:
            yield tree
        for value in tree.values():
            yield from _objects(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _objects(value)


def _bare(tree: object) -> object:
    """A tree without places."""
    if isinstance(tree, dict):
        return {key: _bare(value) for key, value in tree.items() if key != "span"}
    return [_bare(each) for each in tree] if isinstance(tree, list) else tree


def lines(stage: Stage) -> Iterator[str]:
    """A stage as text."""
    yield f"--- {stage.name}"
    yield from (stage.lines or ("nothing",))[:LONGEST]
    if len(stage.lines) > LONGEST:
        yield f"... and {len(stage.lines) - LONGEST:,} lines more"
