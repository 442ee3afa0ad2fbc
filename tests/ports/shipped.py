"""The shipped ports: universes that are environments of other people."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PORTS = ROOT / "universes" / "ports"
NAMES = sorted(path.stem for path in PORTS.glob("*.hamlet"))
DRAWING = re.compile(r"^draw \{(?:[^\n]*\}$|.*?^\}$)", re.MULTILINE | re.DOTALL)
HEAD = re.compile(r"# Port of: (.+), (.+), (.+)\n# Source: (https://\S+)\n# Differs: (.+(?:\n# .+)*)\nuniverse (\w+)")


@dataclass(frozen=True, slots=True)
class Head:
    """The comment above a port.

    Attributes:
        original: the environment, in its project's words.
        version: the project and its version.
        licence: of the project.
        source: a link to the text of the original.
        differs: what the port does in another way.
        universe: the name of the port.
    """

    original: str
    version: str
    licence: str
    source: str
    differs: str
    universe: str


def head(text: str) -> Head:
    """The comment above a port."""
    match = HEAD.match(text)
    assert match is not None, "a port begins with `# Port of:`, `# Source:` and `# Differs:`"
    return Head(*match.groups())


def lines(text: str) -> int:
    """Lines with something on them other than a comment and the drawing."""
    return sum(1 for line in DRAWING.sub("", text).splitlines() if line.partition("#")[0].strip())
