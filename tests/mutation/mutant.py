"""A mutant: one file of the compiler, or of C that is written by hand, with one small piece of its text replaced."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPILER = ROOT / "compiler" / "hamletc"
FOLDERS = ("lowering", "passes", "kernel", "targets")
BY_HAND = {"native": "runtime/hamlet/native", "exact": "training/hamlet_train/exact"}
"""Folders of C that is written by hand, by what stands before the names of their files: `native/hamlet.h`."""
TABLE = "ir/ops.py"
"""What is declared of operations; nothing else of the IR is mutated, for with it programs are judged."""


@dataclass(frozen=True)
class Mutant:
    """`old`, at `start` of the file `path` (below `compiler/hamletc`, or see `BY_HAND`), becomes `new`.

    Attributes:
        kind: what is altered: `comparison`, `constant`, ...
    """

    path: str
    start: int
    old: str
    new: str
    kind: str

    @cached_property
    def source(self) -> str:
        """The text of the file as it is."""
        return place(self.path).read_text(encoding="utf-8")

    @cached_property
    def text(self) -> str:
        """The text of the file with the piece replaced."""
        end = self.start + len(self.old)
        assert self.source[self.start : end] == self.old, f"{self.path} has changed"
        return self.source[: self.start] + self.new + self.source[end:]

    @property
    def line(self) -> int:
        """Where the piece begins, from 1."""
        return self.source.count("\n", 0, self.start) + 1

    @property
    def lines(self) -> tuple[str, str]:
        """The lines of the piece before and after, without their indentation."""
        begin = self.source.rfind("\n", 0, self.start) + 1
        end = self.source.find("\n", self.start + len(self.old))
        kept = len(self.source) - end
        return joined(self.source[begin:end]), joined(self.text[begin : len(self.text) - kept])

    @property
    def name(self) -> str:
        """Names the mutant as long as its file stays as it is."""
        content = sha256(f"{self.source}\0{self.start}\0{self.old}\0{self.new}".encode()).hexdigest()[:12]
        return f"{self.path}:{self.line}:{self.kind}:{content}"


def joined(lines: str) -> str:
    return " ".join(line.strip() for line in lines.splitlines() if line.strip())


def place(path: str) -> Path:
    """Where a file of a mutant lies."""
    folder, _, name = path.partition("/")
    return ROOT / BY_HAND[folder] / name if folder in BY_HAND else COMPILER / path


def files() -> list[str]:
    """The files that are mutated: below `compiler/hamletc`, then those in C."""
    found = [path for folder in FOLDERS for path in (COMPILER / folder).rglob("*") if path.suffix in (".py", ".j2")]
    c = [f"{name}/{path.name}" for name, folder in BY_HAND.items() for path in (ROOT / folder).glob("*.[ch]")]
    return [*sorted([TABLE, *(path.relative_to(COMPILER).as_posix() for path in found)]), *sorted(c)]
