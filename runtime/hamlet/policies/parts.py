"""The parts of a universe, each with a digest: which of them differ says in what two versions of it do.

A part is a declaration, by its kind and name, or what a universe says once, such as its space. Where a declaration
stands in the text is none of it, and neither is what pictures show: versions that differ in comments or in `draw` alone
have the same parts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from hamlet.errors import EnvError
from hamlet.recursion import allow_deep_trees
from hamlet.universe import Universe
from hamlet.universe.codec import to_json

OF_THE_TEXT = ("span", "sources")
"""Entries that say where something stands."""
DIGITS = 12
"""Hexadecimal digits of a digest."""
OF_PICTURES = "drawings"
"""The entry that changes pictures and nothing else."""
WHOLE = "the whole"
"""The part that is all of them."""
ORDER = "the order of "
"""The beginning of the name of the part that is the order of declarations."""
TOLD = 4
"""Parts that a message names, at most."""


def parts_of(universe: Universe) -> dict[str, str]:
    """The digest of each part, by its name: `affordance Bed`, `lifespan`, `the order of meters`."""
    whole = _whole(universe)
    whole.pop(OF_PICTURES, None)
    return _digests(whole)


def parts_with_pictures(universe: Universe) -> dict[str, str]:
    """The digest of each part as files of version 0.2 have them, where what pictures show is one, too."""
    return _digests(_whole(universe))


def values_of(universe: Universe) -> dict[str, Any]:
    """Each part as the canonical JSON of the universe has it, with its places in the text."""
    return _parts(_whole(universe))


def _whole(universe: Universe) -> dict[str, Any]:
    allow_deep_trees()
    whole: dict[str, Any] = json.loads(to_json(universe))
    return whole


def _digests(whole: Mapping[str, Any]) -> dict[str, str]:
    return {WHOLE: _digest(whole)} | {name: _digest(value) for name, value in _parts(whole).items()}


def _parts(whole: Mapping[str, Any]) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    for key, value in whole.items():
        if key in ("kind", "name", *OF_THE_TEXT):
            continue
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            parts[key.replace("_", " ")] = value
            continue
        names = [_named(each, number) for number, each in enumerate(value, 1)]
        parts |= zip(names, value, strict=True)
        if len(names) > 1:
            parts[f"{ORDER}{key}"] = names
    return parts


def differing(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The names of parts that differ, or that one of both has not. Where parts are gone or new, their order is told by
    that."""
    names = [name for name in {**now, **before} if before.get(name) != now.get(name) and name != WHOLE]
    plain = [name for name in names if not name.startswith(ORDER)]
    return plain or names


def told(names: list[str]) -> str:
    """Names in words."""
    more = len(names) - TOLD
    shown = names[:TOLD] if more > 1 else names
    rest = [f"{more} more"] if more > 1 else []
    *first, last = [*shown, *rest]
    return f"{', '.join(first)} and {last}" if first else last


def check_same(
    path: Path, named: str, digest: str, parts: Mapping[str, str] | None, universe: Universe, here: str
) -> None:
    """Raise `EnvError` unless a file is for a universe, whose `universe.json` has the SHA-256 `here`: the file says its
    universe's name, that one's SHA-256, and the digests of its parts, `None` where it says none. Versions that differ
    in comments, in the order of lines or in pictures alone are the same one."""
    if digest == here:
        return
    if named != universe.name:
        raise EnvError(f"{path} was learnt on {named}, and this is {universe.name}: another universe")
    if parts is None:
        raise EnvError(
            f"{path} was learnt on {named} ({digest[:DIGITS]}), and this is another version of it ({here[:DIGITS]})"
        )
    now = parts_of(universe), parts_with_pictures(universe)
    if dict(parts) not in now:
        names = min((differing(parts, each) for each in now), key=len)
        which = f": {told(names)} differ{'s' * (len(names) == 1)}" if names else ""
        raise EnvError(f"{path} was learnt on another version of {named}{which}")


def _named(declaration: Mapping[str, Any], number: int) -> str:
    kind = str(declaration.get("kind", "part"))
    word = "observation" if kind.startswith("Observe") else kind.lower()
    return f"{word} {declaration.get('name') or number}"


def _digest(value: Any) -> str:
    text = json.dumps(without_places(value), sort_keys=True, ensure_ascii=False)
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:DIGITS]


def without_places(value: Any) -> Any:
    """The JSON of a part, without where it stands in the text."""
    match value:
        case dict():
            return {name: without_places(each) for name, each in value.items() if name not in OF_THE_TEXT}
        case list():
            return [without_places(each) for each in value]
        case _:
            return value
