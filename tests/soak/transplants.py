"""Universes of packages in which parts were exchanged for parts of others: what no compiler makes is refused in a line,
and the interpreter plays the rest.

    python tests/soak/transplants.py --count 10000
    python tests/soak/transplants.py --first 4711 --count 1

Universe `number` is a function of its number alone. It is one of the gallery, in which one to three values were
exchanged: nodes for nodes that can stand there, of this or another universe; lists shortened, emptied or shuffled;
other numbers, conditions and names. None may end in a traceback.
"""

from __future__ import annotations

import copy
import json
import random
import traceback
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from numbered import run

import hamlet
from hamlet.errors import HamletError
from hamlet.package.module import Module
from hamlet.universe import Universe, expressions
from hamlet.universe.codec import CodecError, from_json, to_json
from hamletc.compile import check
from hamletc.language.source import Source
from hamletc.read import parsed

GALLERY = Path(__file__).parents[2] / "universes" / "gallery"
LARGEST = 14_000
"""Characters of the universes that are taken."""
WHOLE = (0, 1, -1, 2, 3, 7, 100, 10**6, 2**31, -5)
REAL = (0.0, 1.0, -1.0, 0.5, 2.0, 1e9, -1e9, 1e-30, 3.0)
EXPRESSIONS = frozenset(kind.__name__ for kind in expressions.Expression.__args__)


@cache
def gallery() -> dict[str, str]:
    """The texts of `universe.json` by name."""
    sources = (Source(path, path.read_text(encoding="utf-8")) for path in sorted(GALLERY.glob("*.hamlet")))
    texts = {source.path.stem: to_json(check(parsed(source)).universe) for source in sources}
    return {name: text for name, text in texts.items() if len(text) < LARGEST}


def places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Where values stand: what holds each, and its key. Lines and columns are left alone."""
    pending = [document]
    while pending:
        holder = pending.pop()
        inside = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, value in inside:
            if key not in ("span", "kind", "sources"):
                yield holder, key
                if isinstance(value, dict | list):
                    pending.append(value)


def sort(node: dict[str, Any]) -> str:
    """What a node can stand for: any expression for any other, else its kind for the same."""
    return "Expression" if node["kind"] in EXPRESSIONS else str(node["kind"])


@cache
def nodes_of(name: str) -> dict[str, list[dict[str, Any]]]:
    """The nodes of a universe by their sort."""
    document, found = json.loads(gallery()[name]), dict[str, list[dict[str, Any]]]()
    for holder, key in places(document):
        if isinstance(holder[key], dict):
            found.setdefault(sort(holder[key]), []).append(holder[key])
    return found


def made(number: int) -> str:
    """The text of a universe."""
    dice = random.Random(number)
    name = dice.choice(sorted(gallery()))
    document = json.loads(gallery()[name])
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        every = list(places(document))
        nodes = [(holder, key) for holder, key in every if isinstance(holder[key], dict)]
        holder, key = dice.choice(dice.choice((every, nodes)))
        names = [holder[key] for holder, key in every if isinstance(holder[key], str)]
        holder[key] = exchanged(dice, holder[key], name, names)
    return json.dumps(document)


def exchanged(dice: random.Random, value: Any, name: str, names: list[str]) -> Any:
    """Another value in place of this one, which stands in the universe of this name."""
    match value:
        case dict():
            there = nodes_of(dice.choice((name, dice.choice(sorted(gallery()))))).get(sort(value), [None])
            return copy.deepcopy(dice.choice((*there, None)))
        case list():
            kept = dice.sample(value, dice.randint(0, len(value)))
            return dice.choice((kept, dice.sample(value, len(value)), value[1:], [*value, *value[:1]]))
        case bool():
            return not value
        case int():
            return dice.choice(WHOLE)
        case float():
            return dice.choice(REAL)
        case str():
            return dice.choice(names)
        case _:
            return dice.choice((1.0, 1, copy.deepcopy(dice.choice(nodes_of(name)["Expression"]))))


def play(universe: Universe) -> None:
    """Some ticks of two worlds, and new episodes."""
    module = Module(Path(universe.name), universe, "", {})
    agents = None if universe.roles else 2
    with closing(hamlet.make(module, worlds=2, agents=agents, backend="interpreter", quiet=True)) as env:
        env.rollout(3)
        env.reset()
        env.rollout(2)


def fault(number: int) -> str | None:
    """What is wrong with what happens to universe `number`; `None` where it was refused or played."""
    try:
        play(from_json(made(number)))
    except (CodecError, HamletError):
        return None
    except Exception as error:
        *_, place = traceback.extract_tb(error.__traceback__)
        return f"{type(error).__name__} {error} {Path(place.filename).name}:{place.lineno}"
    return None


if __name__ == "__main__":
    run(__doc__, fault, "universes")
