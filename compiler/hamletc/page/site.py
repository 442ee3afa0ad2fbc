"""The folder of a page: its files, and two for each universe."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hamlet.universe import Universe
from hamletc.compile import check
from hamletc.errors import CompileError
from hamletc.export.tested import digest_tested
from hamletc.frontend import Stopwatch
from hamletc.page.file import File, packed
from hamletc.page.made import made
from hamletc.page.told import Learnt, Named, remarks
from hamletc.read import read_universe

if TYPE_CHECKING:
    from hamletc.page.played import Played

STATIC = (
    "index.html", "page.css", "icon.svg", "page.js", "parts.js", "run.js", "player.js", "past.js", "tally.js",
    "picture.js", "linked.js", "chart.js", "link.js", "keys.js", "many.js", "packed.js", "workshop.js", "editor.js",
    "assist.js", "compiler.js", "worker.js",
)  # fmt: skip
OPENERS = (("worlds.js", "loader.js"), ("policy.js", "policy.js"))
"""The openers of modules of universes and of policies: files that `hamletc export --to wasm` writes beside them."""
LESSONS = Path(__file__).parent / "lessons"
"""The lessons of the tutorial that runs in a page: universes that begin with what to do."""
SHELVES = ("gallery", "ports")
"""Folders of the shipped universes that a page has where nobody names others."""


def universes_of(paths: Sequence[Path], here: Path) -> list[Named]:
    """The universes that paths name: files of the text language, packs, and folders with such files. Without paths the
    shipped ones, in the folder `universes` beside a reader.

    Raises:
        CompileError: a path is not there, or two universes have one name.
    """
    chosen = list(paths) or [here / "universes" / shelf for shelf in SHELVES]
    if not paths and not all(folder.is_dir() for folder in chosen):
        raise CompileError("no folders universes/gallery and universes/ports are here: name a universe, or a folder")
    if not paths:
        chosen.insert(0, LESSONS)
    universes = [each for path in chosen for each in _in(path, len(chosen) > 1)]
    for name, count in Counter(each.id for each in universes).items():
        if count > 1:
            raise CompileError(f"two universes would be {name} on the page: give one of the files another name")
    return universes


def _in(path: Path, many: bool) -> Iterator[Named]:
    texts = sorted(path.glob("*.hamlet")) if path.is_dir() else []
    for text in texts:
        shelf = path.name if many else ""
        yield Named(f"{shelf}/{text.stem}" if shelf else text.stem, shelf, text, text.read_text())
    if not texts:
        source = path.read_text(errors="replace") if path.is_file() else ""
        yield Named(path.stem if path.is_file() else path.name, "", path, source)


def static_files() -> Iterator[File]:
    """The files of a page that are the same for all universes."""
    for name in STATIC:
        yield File(name, files("hamletc.page.static").joinpath(name).read_bytes())
    for name, written in OPENERS:
        yield File(name, files("hamletc.export").joinpath(written).read_bytes())


@dataclass(frozen=True, slots=True)
class Ready:
    """A universe of a page that has no errors, and the policy that plays it, where there is one."""

    named: Named
    universe: Universe
    policy: Played | None = None


def ready(named: Named) -> Ready:
    """A universe, read and checked.

    Raises:
        CompileError: it has errors.
    """
    reading = read_universe(named.path, Stopwatch())
    universe = check(reading).universe
    if named.source:
        named = replace(named, files={each.name: each.text for each in reading.sources if each.name is not None})
    return Ready(named, universe)


def universe_files(ready: Ready, say: Callable[[str], None]) -> Iterator[File]:
    """The module of a universe, what a page knows of it, and the modules of its policies. `say` is told what is done
    next."""
    named, universe, policy = ready.named, ready.universe, ready.policy

    def digest() -> int | None:
        if not find_spec("torch"):
            return None
        say("its test run on the interpreter")
        return digest_tested(universe)

    say("compiling")
    result = made(
        named,
        universe,
        digest,
        policy=None if policy is None else Learnt(policy.name, tuple(policy.modules)),
    )
    for role, module in {} if policy is None else policy.modules.items():
        part = "policy" if role is None else f"policy.{role}"
        yield packed(f"universes/{named.id}.{part}.wasm", module)
    yield packed(f"universes/{named.id}.wasm", result.module)
    yield packed(f"universes/{named.id}.json", _json(result.about))


def index(universes: Sequence[Named], compiler: bool) -> File:
    """The list of the universes, and whether the page has a compiler."""
    listed = [{"id": each.id, "shelf": each.shelf, "says": remarks(each.source)} for each in universes]
    return packed("universes/index.json", _json({"compiler": compiler, "universes": listed}))


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
