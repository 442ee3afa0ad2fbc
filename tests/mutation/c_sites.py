"""What can be altered in C that is written by hand: operators, constants, conditions, statements.

Only what this machine compiles is altered, with vectors or without; not the parts for other compilers and CPUs.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from emitted_sites import alterations
from mutant import Mutant, place

COMMAND = ("cc", "-std=c99", "-march=native")
WAYS = ((), ("-DHAMLET_SCALAR",))
"""With vectors, and without."""

LOGIC = {"&&": "||", "||": "&&"}
STATEMENT = re.compile(
    r"(?:^|(?<=[{;)] ))"
    r"(\*?\w+(?:(?:->|\.)\w+|\[[^;=]*?\]|\([^;=]*\))* (?:[-+*|&^]|<<|>>)?= [^;]+;"
    r"|(?!return\b)\w+\((?:[^;{}]*)\);|continue;|break;|return;)"
)
"""A statement that changes something: an assignment to what is there already, or a call; or one that leaves a loop."""
CONDITION = re.compile(r"\b(?:if|while) \((\w[\w.>-]*(?:\([^()]*\))?|!\w[\w.>-]*(?:\([^()]*\))?)\)")
"""A condition without an operator, which would itself be altered."""
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def c_mutants(path: str) -> list[Mutant]:
    """All mutants of a file, in the order of its text."""
    text = place(path).read_text(encoding="utf-8")
    hidden = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    compiled, offset, found, goes_on = _compiled(place(path)), 0, list[Mutant](), False
    for number, line in enumerate(hidden.splitlines(keepends=True), 1):
        # A directive of several lines is the first one.
        read = goes_on or number in compiled
        goes_on = read and line.rstrip().endswith("\\")
        if read and _is_code(line):
            found += (Mutant(path, offset + start, old, new, kind) for start, old, new, kind in _of_line(line))
        offset += len(line)
    return sorted(dict.fromkeys(found), key=lambda mutant: (mutant.start, mutant.kind, mutant.new))


def _is_code(line: str) -> bool:
    """Whether a line is no directive, but for what a macro stands for, and no line of a declaration of types."""
    words = line.strip()
    return bool(words) and not words.startswith(("#", "typedef", "__asm", "_Static_assert")) and '"' not in words


def _of_line(line: str) -> Iterator[tuple[int, str, str, str]]:
    end = len(line.rstrip().removesuffix("\\").rstrip())
    yield from alterations(line, [(0, end)])
    for match in re.finditer(r"&&|\|\|", line):
        yield match.start(), match[0], LOGIC[match[0]], "logic"
    for match in CONDITION.finditer(line):
        yield match.start(1), match[1], f"!({match[1]})", "condition"
    indent = len(line) - len(line.lstrip())
    if indent:
        for match in STATEMENT.finditer(line[indent:end]):
            yield indent + match.start(1), match[1], ";", "statement"


@cache
def _compiled(file: Path) -> frozenset[int]:
    """The lines of a file that the compiler of this machine reads."""
    return frozenset().union(*(_read(file, way) for way in WAYS))


def _read(file: Path, defines: tuple[str, ...]) -> set[int]:
    # Files that are not whole alone stand behind those that include them.
    own = ["-include", "hamlet.h"] if file.name != "hamlet.h" else []
    folder = place("native/hamlet.h").parent
    command = [*COMMAND, *defines, "-E", "-fdirectives-only", f"-I{folder}", f"-I{file.parent}", *own, str(file)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    if said.returncode:
        raise RuntimeError(f"{shlex.join(command)}: {said.stderr}")
    lines, here, number = set[int](), False, 0
    for line in said.stdout.splitlines():
        marker = re.match(r'# (\d+) "([^"]*)"', line)
        if marker:
            number, here = int(marker[1]), Path(marker[2]) == file
        else:
            # What is not read is blank.
            if here and line.strip():
                lines.add(number)
            number += 1
    return lines
