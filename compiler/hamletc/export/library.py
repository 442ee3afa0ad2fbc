"""The part of `hamlet.h` that a text of C uses: an exported file has no more of it than that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hamlet.native.library import header

FUNCTION = re.compile(r"HAMLET_(?:INLINE|HELPER) ")
"""How the definition of a function begins, at the beginning of a line; it ends at the next line that is `}`, or at the
end of that line."""
NAMED = re.compile(r"HAMLET_(?:INLINE|HELPER)\s[^(){};=]*?(\w+)\(")
"""The name of a function that is defined."""
MACRO = re.compile(r"#define (\w+)(?:\(([^)]*)\))?")
"""A macro and its parameters."""
MADE = re.compile(r"([A-Z]\w*)\(.*\)$")
"""A line that is a macro: it makes functions."""
HELD = re.compile(r"static [^=;]*?(\w+)(?:\[[^\]]*\])?\s*[=;]")
"""A variable or a table; it ends at a semicolon."""
WORDS = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the header.

    Attributes:
        names: what it defines; a part without names stays in any case.
        words: the names that it uses.
    """

    text: str
    names: frozenset[str]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Macro:
    parameters: tuple[str, ...]
    body: str


def library(*texts: str, whole: str | None = None, without: frozenset[str] = frozenset()) -> str:
    """`hamlet.h`, or another `whole` text, without comments, and without functions and macros that these texts do not
    use, or whose names are those of `without`."""
    pieces = list(_pieces(header() if whole is None else whole))
    macros = dict(_macros([*pieces, *(piece for text in texts for piece in _pieces(text))]))
    parts = [each for each in (_part(piece, macros) for piece in pieces) if not each.names or not each.names <= without]
    needed = {word for text in texts for word in WORDS.findall(_expanded(text, macros))}
    taken: set[int] = set()
    while True:
        further = [
            place
            for place, part in enumerate(parts)
            if place not in taken and (not part.names or not needed.isdisjoint(part.names))
        ]
        if not further:
            break
        taken.update(further)
        needed = needed.union(*(parts[place].words for place in further))
    return _without_empty_branches("\n".join(parts[place].text for place in sorted(taken)))


def without_comments(text: str) -> str:
    """A text of C without comments, without indentation, and without empty lines."""
    lines = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL).splitlines()
    return "\n".join(re.sub(r"\s+\\$", " \\\\", line).strip() for line in lines if line.strip())


def _without_empty_branches(text: str) -> str:
    """The same without conditions under which nothing stands any more."""
    empty = re.compile(r"^#if.*\n(?:#el.*\n)*#endif\n", re.MULTILINE)
    while (shorter := empty.sub("", text)) != text:
        text = shorter
    return text


def _part(piece: str, macros: Mapping[str, tuple[_Macro, ...]]) -> _Part:
    words = frozenset(WORDS.findall(_expanded(piece, macros)))
    return _Part(without_comments(piece), frozenset(_defined(piece, macros)), words)


def _pieces(text: str) -> Iterator[str]:
    """Definitions of functions and macros, and lines between them, in order, without comments."""
    rest = iter(re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL).splitlines())
    for line in rest:
        piece = [line]
        if FUNCTION.match(line) and not line.rstrip().endswith("}"):
            for further in rest:
                piece.append(further)
                if further == "}":
                    break
        while line.startswith("static ") and not piece[-1].rstrip().endswith(";"):
            piece.append(next(rest))
        while piece[-1].endswith("\\"):
            piece.append(next(rest))
        if line.strip():
            yield "\n".join(piece)


def _macros(pieces: Iterable[str]) -> Iterator[tuple[str, tuple[_Macro, ...]]]:
    """Macros with parameters by name: each once for every condition under which it is defined."""
    macros: dict[str, tuple[_Macro, ...]] = {}
    for piece in pieces:
        head = MACRO.match(piece)
        if head is not None and head[2] is not None:
            parameters = tuple(each.strip() for each in head[2].split(","))
            macro = _Macro(parameters, piece[head.end() :].replace("\\\n", "\n"))
            macros[head[1]] = (*macros.get(head[1], ()), macro)
    yield from macros.items()


def _defined(piece: str, macros: Mapping[str, tuple[_Macro, ...]]) -> Iterator[str]:
    """The names that a piece defines, where it may be left out."""
    head = MACRO.match(piece)
    if head is not None:
        # Those that begin with an underscore are for headers of the compiler.
        if not head[1].startswith("_"):
            yield head[1]
    elif FUNCTION.match(piece) or MADE.match(piece):
        yield from NAMED.findall(_expanded(piece, macros))
    elif (variable := HELD.match(piece)) is not None:
        yield variable[1]


def _expanded(piece: str, macros: Mapping[str, tuple[_Macro, ...]]) -> str:
    """A piece with what its macros stand for behind it. A definition of a macro stays as it is: each use expands it."""
    if piece.startswith("#define"):
        return piece
    result, waiting = [piece], [piece]
    while waiting:
        text = waiting.pop()
        for name, arguments in _uses(text, macros):
            for macro in macros[name]:
                if len(arguments) == len(macro.parameters):
                    made = _filled(macro, arguments)
                    result.append(made)
                    waiting.append(made)
    return "\n".join(result)


def _uses(text: str, macros: Mapping[str, tuple[_Macro, ...]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The macros in a text, with their arguments."""
    for match in re.finditer(r"\b(\w+)\(", text):
        if match[1] in macros:
            yield match[1], tuple(_arguments(text[match.end() :]))


def _arguments(text: str) -> Iterator[str]:
    """The arguments of a call, of the text behind its parenthesis."""
    depth, begin = 0, 0
    for place, letter in enumerate(text):
        if depth == 0 and letter in ",)":
            yield text[begin:place].strip()
            begin = place + 1
            if letter == ")":
                return
        depth += (letter in "([{") - (letter in ")]}")


def _filled(macro: _Macro, arguments: tuple[str, ...]) -> str:
    """The text of a macro with these arguments."""
    values = dict(zip(macro.parameters, arguments, strict=True))
    text = WORDS.sub(lambda word: values.get(word[0], word[0]), macro.body)
    return re.sub(r"\s*##\s*", "", text)
