"""What was tried, and what happened."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from hamletc.compile import Options, build, check_file
from hamletc.frontend import Stopwatch

PACK = Path(__file__).resolve().parents[2] / "universes" / "packs" / "greenhouse"
SEED = 18
TEXT = """universe tiny

space none

meter energy = 1 {{ decay {decay} }}

action EAT {{ energy += 0.1 }}

dies when energy <= 0

reward energy

observe {{ meters }}
"""
HAMLETC = (sys.executable, "-c", "from hamletc.cli.main import main; main()")

Files: TypeAlias = dict[str, bytes]


@dataclass(slots=True)
class Fault:
    """What was tried.

    Attributes:
        name, expected: what goes wrong, and what is to happen then.
        tried: how often.
        seen: how often something happened that is no problem, by what it is.
        problems: everything else.
    """

    name: str
    expected: str
    tried: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def note(self, what: str) -> None:
        """One more try, and what happened."""
        self.tried += 1
        self.seen[what] = self.seen.get(what, 0) + 1

    def fail(self, problem: str) -> None:
        """One more try, which went wrong."""
        self.tried += 1
        self.problems.append(problem)


def built(folder: Path, decay: str) -> Files:
    """The files of a small universe."""
    (folder / "tiny.hamlet").write_text(TEXT.format(decay=decay))
    return build(check_file(folder / "tiny.hamlet", Stopwatch()).universe, Options(), Stopwatch())


def process(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`hamletc` with these arguments."""
    command = [*HAMLETC, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)


def one_line(text: str) -> bool:
    return len(text.strip().splitlines()) == 1 and "Traceback" not in text
