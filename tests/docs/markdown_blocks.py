"""The fenced blocks of a Markdown page, and what tests do with them.

| info string | meaning |
|---|---|
| `hamlet` | a complete universe; it is saved as `NAME.hamlet` for the blocks after it |
| `hamlet warns` | the same, of one that compiles with a warning |
| `hamlet fragment` | declarations put into the first universe of docs/language.md (see `completed`) |
| `hamlet broken` | a complete universe with a deliberate mistake; it is saved too |
| `console`, `console exit=1` | `$ commands`, each followed by lines of its output; `...` stands for any lines |
| `c FILES` | a program, built with these files and run; it returns 0 |
| `python` | run in one namespace per page |
| `LANGUAGE NAME.END` | a file of docs/recipes.md: `tests/unit/export/test_recipes.py` builds and runs it |
| `text in PATH` | lines of that file of the workspace, side by side; `...` stands for any lines |
| `sh`, `text`, no info | shown only |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

FENCE = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DECLARATION = re.compile(r"^(?=[a-z])", re.MULTILINE)
NAMED = ("param", "meter", "affordance", "action")
SINGLE = ("space", "clock", "lifespan", "dies", "reward", "observe")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the words after it, its text, and the line on which the text begins."""

    page: str
    line: int
    language: str
    words: tuple[str, ...]
    text: str

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True, slots=True)
class Command:
    """A line after `$` and the output lines shown below it."""

    line: str
    output: tuple[str, ...]


def blocks(path: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = path.read_text(encoding="utf-8")
    return [
        Block(path.name, text.count("\n", 0, match.start()) + 2, match[1], tuple(match[2].split()), match[3])
        for match in FENCE.finditer(text)
    ]


def commands(block: Block) -> list[Command]:
    """The commands of a console block."""
    result: list[Command] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            result.append(Command(line[2:], ()))
        elif result:
            result[-1] = Command(result[-1].line, (*result[-1].output, line))
    return result


def universe_name(source: str) -> str:
    """The name that a complete universe gives itself."""
    match = re.search(r"^universe (\w+)", source, re.MULTILINE)
    assert match, "a complete universe says its name"
    return match[1]


def _key(declaration: str) -> tuple[str, ...]:
    keyword, name, *_ = [*re.split(r"\W+", declaration), ""]
    match keyword:
        case _ if keyword in NAMED:
            return ("name", name)
        case _ if keyword in SINGLE:
            return (keyword,)
        case _:
            return (keyword, name)


def completed(fragment: str, base: str) -> str:
    """The base universe with the fragment's declarations instead of its own of the same name, then the others."""
    parts = [part for part in DECLARATION.split(re.sub(r"#.*", "", fragment)) if part.strip()]
    replaced = {_key(part) for part in parts}
    kept = [part for part in DECLARATION.split(base) if _key(part) not in replaced]
    return "".join(kept) + "\n" + fragment


def missing_lines(shown: tuple[str, ...], output: str) -> list[str]:
    """The lines shown in the docs that do not stand in the output side by side in that order, `...` being any lines;
    spacing and empty lines do not matter."""
    actual = [line for line in (" ".join(line.split()) for line in output.splitlines()) if line]
    wanted = [line for line in (" ".join(line.split()) for line in shown) if line]
    parts = [list(part) for dots, part in groupby(wanted, lambda line: line == "...") if not dots]
    at = 0
    for part in parts:
        found = [begin for begin in range(at, len(actual)) if actual[begin : begin + len(part)] == part]
        if not found:
            return part
        at = found[0] + len(part)
    return []
