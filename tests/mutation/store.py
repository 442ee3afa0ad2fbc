"""What is expensive to find out, kept beside the verdicts as long as nothing changes that it depends on."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from mutant import ROOT

T = TypeVar("T")
SUFFIXES = (".py", ".j2", ".lark", ".hamlet", ".c", ".h")
FOLLOWING = "tests/mutation/executed.py"
"""How it is noticed which functions are called."""
COMPILED = ("compiler", "runtime", "lab", "universes", "tests/equivalence/regressions", FOLLOWING)
"""What is made of universes, and what the interpreter does, depend on."""
TESTED = (*COMPILED, "training", "townlet", "language", "adapters", "tests", "tests/mutation/units.py")
"""What unit tests depend on beside their own file."""


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of what is kept; without one nothing is."""

    folder: Path | None

    def has(self, what: tuple[object, ...], of: Sequence[str]) -> bool:
        """Whether something is kept."""
        path = self._path(what, of)
        return path is not None and path.exists()

    def get(self, what: tuple[object, ...], of: Sequence[str], make: Callable[[], T]) -> T:
        """What is kept, or is made and kept now."""
        path = self._path(what, of)
        if path is not None and path.exists():
            kept: T = pickle.loads(path.read_bytes())
            return kept
        made = make()
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(pickle.dumps(made))
        return made

    def _path(self, what: tuple[object, ...], of: Sequence[str]) -> Path | None:
        """The file in which something is kept that depends on files and folders of the project."""
        if self.folder is None:
            return None
        return self.folder / sha256(repr((what, [_digest(each) for each in of])).encode()).hexdigest()[:24]


@cache
def _digest(name: str) -> str:
    """The digest of a file or a folder below the project's. Of all tests it is that of what they share: a test depends
    on no other one, and on nothing of the mutation but what is named."""
    place, digest = ROOT / name, sha256(name.encode())
    for path in [place] if place.is_file() else sorted(place.rglob("*")):
        alone = name == "tests" and (path.name.startswith("test_") or path.parent.name == "mutation")
        if path.suffix in SUFFIXES and not alone:
            digest.update(path.read_bytes())
    return digest.hexdigest()
