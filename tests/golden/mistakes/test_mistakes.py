"""What is said to each of the mistakes that authors make, by their kinds; each is one change of home.hamlet.

A case is the line that is changed (`<`), what stands there instead (`>`, several lines or none), and what is said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from hamletc.checking.check import check
from hamletc.diagnostics import Diagnostic, render
from hamletc.language.parser import parse

HERE = Path(__file__).parent
HOME = (HERE / "home.hamlet").read_text(encoding="utf-8")
KINDS = sorted(path.stem for path in HERE.glob("*.txt"))

TWO = (
    *("affordance Job at random open 8am .. 6pm lasts 4 ticks {", "lifespan = 300 ticks { reward = 1.0 }"),
    "allow INTERACT when energy > 0.1 || !food > 0.1",
)
"""Lines with two mistakes."""


Golden = Callable[[Path, str], None]


@dataclass(frozen=True, slots=True)
class Case:
    """One change: a line of home.hamlet, and the lines that stand there instead."""

    old: str
    new: tuple[str, ...]

    @property
    def head(self) -> str:
        return "".join(f"{line}\n" for line in (f"< {self.old}", *(f"> {line}" for line in self.new)))

    @property
    def text(self) -> str:
        """The universe with the mistake."""
        assert HOME.count(f"{self.old}\n") == 1, self.old
        return HOME.replace(f"{self.old}\n", "".join(f"{line}\n" for line in self.new))

    @property
    def lines(self) -> range:
        """The numbers of the lines that are new."""
        first = HOME[: HOME.index(f"{self.old}\n")].count("\n") + 1
        return range(first, first + len(self.new))


def cases(kind: str) -> list[Case]:
    """The cases of a kind, in order."""
    found: list[Case] = []
    for line in (HERE / f"{kind}.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("< "):
            found.append(Case(line[2:], ()))
        elif line.startswith("> "):
            found[-1] = Case(found[-1].old, (*found[-1].new, line[2:]))
    return found


@cache
def diagnosed(text: str) -> tuple[Diagnostic, ...]:
    file, diagnostics = parse(text)
    if file is None or diagnostics:
        return diagnostics
    return check(file, ("home.hamlet",))[1]


def test_the_universe_has_no_mistake() -> None:
    assert diagnosed(HOME) == ()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said(kind: str, golden: Golden) -> None:
    path = HERE / f"{kind}.txt"
    title = path.read_text(encoding="utf-8").split("\n", 1)[0]
    said = [f"{title}\n"]
    for case in cases(kind):
        rendered = render(diagnosed(case.text), case.text, "home.hamlet")
        said.append(f"{case.head}\n{rendered or 'no problems'}".rstrip("\n") + "\n")
    golden(path, "\n".join(said))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "accepted"])
def test_each_mistake_is_one_error_at_its_place(kind: str) -> None:
    for case in cases(kind):
        found = diagnosed(case.text)
        assert found, case
        if case.new:
            assert all(d.primary.span.line in case.lines for d in found) or kind == "braces", case
            assert len(found) == (2 if case.new[0] in TWO else 1), case


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("accepted", "braces")])
def test_what_follows_a_mistake_is_still_checked(kind: str) -> None:
    """A second mistake behind the first is found, whatever the parser had to do about the first."""
    for case in cases(kind):
        syntactic = parse(case.text)[1]
        if syntactic:
            after = parse(f"{case.text}moves {{ UP 1 }}\nrule late: energy += 1 {{\n")[1]
            messages = [d.message for d in after]
            assert "expected `(`, found `1`" in messages, case
            assert messages[: len(syntactic)] == [d.message for d in syntactic], case
