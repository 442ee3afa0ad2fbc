"""PTX text as tokens. Comments, debug information and what only assemblers need are left out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hamlet_lab.ptx.errors import PtxError

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
LINE_DIRECTIVES = (".loc", ".file")
"""They end with their line, not with a semicolon, and say where the code comes from."""
TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    | (?P<number>-?0[fFdD][0-9a-fA-F]+ | -?0[xX][0-9a-fA-F]+U? | -?[0-9]+(?:\.[0-9]+)?U?)
    | (?P<word>[.%$A-Za-z_][\w$%.]*(?:::[\w.]+)*)
    | (?P<string>"[^"\n]*")
    | (?P<mark>[][{}()<>,;:@!+|-])""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a mark, and its line."""

    text: str
    line: int


def tokens(text: str) -> list[Token]:
    """All tokens.

    Raises:
        PtxError: a character begins no token.
    """
    text = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    result = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip().startswith(LINE_DIRECTIVES):
            continue
        position = 0
        while position < len(line):
            found = TOKEN.match(line, position)
            if found is None:
                raise PtxError(number, f"{line[position:].strip()!r} is no PTX")
            position = found.end()
            if found.lastgroup != "space":
                result.append(Token(found[0], number))
    return result
