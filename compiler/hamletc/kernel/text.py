"""The text form of schedules and its reader: what is printed is read back exactly.

A statement is a line in its form (`hamletc.kernel.schedule`): words, with names at the places of its attributes; the
statements of a body stand below it, two spaces further in. A name with other characters than letters, digits and `_.-`
stands in backticks. Words before an attribute without names are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, TypeAlias

from hamletc.kernel.schedule import Kernel, Routine, Schedule, ScheduleError
from hamletc.kernel.statements import STATEMENTS, Statement

Part: TypeAlias = Statement | Routine | Kernel
PLAIN_NAME = re.compile(r"[\w.-]+", re.ASCII)
_WORD = re.compile(r"`([^`]*)`|([^\s`]+)")
_PLACE = re.compile(r"\{(\w+)\}")
_INDENT = "  "
BODY = "body"


def print_schedule(schedule: Schedule) -> str:
    """All routines and kernels."""
    parts: list[Part] = [*schedule.routines, *schedule.kernels]
    texts = ["\n".join(_lines(part, 0)) for part in parts]
    return "\n\n".join(texts) + "\n"


def _lines(part: Part, depth: int) -> Iterator[str]:
    words: list[str] = []
    waiting: list[str] = []
    for piece in part.form.split():
        place = _PLACE.fullmatch(piece)
        if place is None:
            waiting.append(piece)
        elif place[1] != BODY:
            value = getattr(part, place[1])
            names = [value] if isinstance(value, str) else [*value]
            if names not in ([], [""]):
                words += [*waiting, *map(_name, names)]
                waiting = []
            elif not words:
                words, waiting = [*waiting], []
            else:
                waiting = []
    yield _INDENT * depth + " ".join(words + waiting)
    for statement in getattr(part, BODY, ()):
        yield from _lines(statement, depth + 1)


def _name(name: str) -> str:
    return name if PLAIN_NAME.fullmatch(name) and name not in WORDS else f"`{name}`"


def parse_schedule(text: str) -> Schedule:
    """The schedule that `print_schedule` printed so. It is not verified.

    Raises:
        ScheduleError: the text is no schedule.
    """
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    routines: list[Routine] = []
    kernels: list[Kernel] = []
    while lines:
        part = _part(lines, 0, (Routine, Kernel))
        (routines if isinstance(part, Routine) else kernels).append(part)
    return Schedule(tuple(routines), tuple(kernels))


def _part(lines: list[tuple[int, str]], depth: int, kinds: tuple[type[Part], ...]) -> Any:
    """The part that begins with the first line, which is taken away with those of its body."""
    number, line = lines.pop(0)
    indented = line.removeprefix(_INDENT * depth)
    words = [(match[2] is not None, match[1] if match[2] is None else match[2]) for match in _WORD.finditer(indented)]
    for kind in kinds:
        values = _values(kind, words)
        if values is not None and len(indented) == len(line) - len(_INDENT) * depth and indented[0] != " ":
            break
    else:
        raise ScheduleError(f"line {number}: {line.strip()} is no statement here")
    if _takes_body(kind):
        body: list[Statement] = []
        while lines and lines[0][1].startswith(_INDENT * (depth + 1)):
            body.append(_part(lines, depth + 1, STATEMENTS))
        values[BODY] = tuple(body)
    return kind(**values)


def _takes_body(kind: type[Part]) -> bool:
    return f"{{{BODY}}}" in kind.form


def _values(kind: type[Part], words: list[tuple[bool, str]]) -> dict[str, Any] | None:
    """The attributes of a statement of a kind whose line has these words, each plain or in backticks; `None` where the
    line is not in its form."""
    pieces, at = kind.form.split(), 0
    values: dict[str, Any] = {}
    types = kind.__annotations__
    begun: list[str] = []
    for index, piece in enumerate(pieces):
        place = _PLACE.fullmatch(piece)
        if place is None:
            begun.append(piece)
            continue
        if place[1] == BODY:
            continue
        many = types[place[1]].startswith("tuple")
        there = [word for plain, word in words[at : at + len(begun)] if plain] == begun
        first = at == 0
        if not there and first:
            return None
        names: list[str] = []
        if there:
            at += len(begun)
            following = next((each for each in pieces[index + 1 :] if _PLACE.fullmatch(each) is None), None)
            while at < len(words) and (many or not names) and words[at] != (True, following):
                names.append(words[at][1])
                at += 1
            if begun and not names and not first:
                return None
        values[place[1]] = tuple(names) if many else "".join(names)
        begun = []
    if begun:
        if [word for plain, word in words[at : at + len(begun)] if plain] != begun:
            return None
        at += len(begun)
    return values if at == len(words) else None


WORDS = frozenset(
    piece
    for kind in STATEMENTS
    for before, piece in pairwise(kind.form.split())
    if before[0] == "{" and piece[0] != "{"
)
"""The words of statements that follow names, which are no plain names."""
