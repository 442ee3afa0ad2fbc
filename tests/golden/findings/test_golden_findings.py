"""Every kind of finding has a case: a universe, as short as can be, and what is said of it; one file for each chapter.

A case begins with the name of its class; lines with `> ` are the universe, lines with `NAME> ` another file beside it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from hamletc import messages
from hamletc.checking.check import check
from hamletc.diagnostics import Diagnostic, Finding, by_file, render_files
from hamletc.expansion.stages import MOST_SWITCHES
from hamletc.language.parser import parse
from hamletc.language.source import LARGEST_SOURCE, Source
from hamletc.link import MOST_FILES, link

HERE = Path(__file__).parent
CHAPTERS = sorted(chapter.name for chapter in iter_modules(messages.__path__))
UNTRIED: dict[str, set[str]] = {
    "effects": {"TooManyStatements"},
    "layers": {"LinkLeadsOut", "TooManyFiles", "FilesTooLarge"},
    "maps": {"MapTooLarge"},
    "rules": {"TooManyRepeated"},
    "series": {"TooMuchThroughSeries"},
    "stages": {"TooManySwitches"},
    "templates": {"LetsTooLarge", "LetsTooDeep", "TemplatesTooLarge", "TemplatesTooDeep"},
}
"""Kinds of findings in texts that are too long for a page, or in links out of a folder: `long_universe` writes them."""

Golden = Callable[[Path, str], None]


@dataclass(frozen=True, slots=True)
class Case:
    """A kind of finding, and the lines of the files of its universe, which is called `case.hamlet`."""

    kind: str
    files: dict[str, list[str]] = field(default_factory=dict)


def kinds(chapter: str) -> list[type[Finding]]:
    """The kinds of findings of a chapter, in order."""
    module = import_module(f"{messages.__name__}.{chapter}")
    own = (each for each in vars(module).values() if inspect.isclass(each) and each.__module__ == module.__name__)
    return [each for each in own if issubclass(each, Finding) and hasattr(each, "code")]


def cases(chapter: str) -> Iterator[Case]:
    """The cases of a chapter, in order."""
    case: Case | None = None
    for line in (HERE / f"{chapter}.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("== "):
            if case is not None:
                yield case
            case = Case(line[3:])
        elif case is not None and (parts := line.partition("> "))[1] and " " not in parts[0]:
            case.files.setdefault(parts[0] or "case.hamlet", []).append(parts[2])
    if case is not None:
        yield case


def said(case: Case, folder: Path) -> str:
    """What is said of a case, as it is shown."""
    for name, lines in case.files.items():
        path = folder / case.kind / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    path = folder / case.kind / "case.hamlet"
    text = path.read_text(encoding="utf-8")
    file, diagnostics = parse(text)
    assert file is not None, case.kind
    assert not diagnostics, case.kind
    file, sources, problems = link(file, Source(path, text))
    found: tuple[Diagnostic, ...] = problems or check(file, tuple(each.path.name for each in sources))[1]
    return render_files(by_file(found, [Source(Path(each.path.name), each.text) for each in sources]))


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of findings that are put in words."""
    names: list[str] = []
    diagnostic = Finding.diagnostic

    def noted(finding: Finding) -> Diagnostic:
        names.append(type(finding).__name__)
        return diagnostic(finding)

    monkeypatch.setattr(Finding, "diagnostic", noted)
    return names


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_kind_has_a_case(chapter: str) -> None:
    untried = UNTRIED.get(chapter, set())
    assert [case.kind for case in cases(chapter)] == [
        kind.__name__ for kind in kinds(chapter) if kind.__name__ not in untried
    ]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_is_said(chapter: str, tmp_path: Path, told: list[str], golden: Golden) -> None:
    path = HERE / f"{chapter}.txt"
    pages = [path.read_text(encoding="utf-8").split("\n", 1)[0] + "\n"]
    for case in cases(chapter):
        told.clear()
        rendered = said(case, tmp_path)
        assert case.kind in told, case.kind
        lines = [
            f"{'' if name == 'case.hamlet' else name}> {line}".rstrip()
            for name, text in case.files.items()
            for line in text
        ]
        pages.append("\n".join((f"== {case.kind}", *lines, "", rendered)))
    golden(path, "\n".join(pages))


def long_universe(kind: str, folder: Path) -> str:
    """A universe that shows a kind of finding; other files of it are written into a folder."""
    match kind:
        case "MapTooLarge":
            row = f'    "{"." * 256}"\n'
            return f"space grid map\nmap {{\n{row * 257}}}\n"
        case "TooManySwitches":
            switches = "".join(f"    calm -> wild when age == {number}\n" for number in range(MOST_SWITCHES + 1))
            return f"stages {{\n{switches}}}\n"
        case "TooManyStatements":
            effect = f"effect ill lasts 3 ticks {{ on start {{ {'mood -= 0.1  ' * 101}}} }}\n"
            return f"meter mood = 1\n{effect}" + "".join(f"rule r{n}: mood < 0.5 -> begin ill\n" for n in range(101))
        case "TooManyRepeated":
            return "meter m = 1\nrule r: repeat 50 { repeat 50 { m -= 0.001 } }\n"
        case "TooMuchThroughSeries":
            return "report r: count(total(a + b + c) over c in 1 .. 100 > 0) over (a, b) in (1 .. 100, 1 .. 100)\n"
        case "LetsTooLarge":
            return "let a0 = 1\n" + "".join(f"let a{n + 1} = a{n} + a{n}\n" for n in range(20)) + "reward a20\n"
        case "LetsTooDeep":
            return "let a0 = 1\n" + "".join(f"let a{n + 1} = a{n} + 1\n" for n in range(300)) + "reward a300\n"
        case "TemplatesTooDeep":
            return "".join(f"template T{n}(x) {{ use T{n + 1}(x) }}\n" for n in range(40)) + (
                "template T40(x) { meter m = x }\nuse T0(1)\n"
            )
        case "TemplatesTooLarge":
            return "".join(f"template T{n}(x) {{ use T{n + 1}(x)  use T{n + 1}(x) }}\n" for n in range(25)) + (
                "template T25(x) { meter m = x }\nuse T0(1)\n"
            )
        case "LinkLeadsOut":
            (folder.parent / "out.hamlet").write_text("meter mood = 1\n", encoding="utf-8")
            (folder / "one.hamlet").symlink_to(folder.parent / "out.hamlet")
            return 'include "one.hamlet"\n'
        case "TooManyFiles" | "FilesTooLarge":
            for number in range(3 if kind == "FilesTooLarge" else MOST_FILES + 2):
                filler = "#" * (LARGEST_SOURCE // 2) if kind == "FilesTooLarge" else ""
                (folder / f"f{number}.hamlet").write_text(f"meter m{number} = 1\n{filler}\n", encoding="utf-8")
            count = 3 if kind == "FilesTooLarge" else MOST_FILES + 2
            return "".join(f'include "f{number}.hamlet"\n' for number in range(count))
    raise AssertionError(kind)


@pytest.mark.parametrize("kind", sorted(kind for chapter in UNTRIED.values() for kind in chapter))
def test_long_universes_show_their_kinds(kind: str, tmp_path: Path, told: list[str]) -> None:
    folder = tmp_path / "universe" / kind
    folder.mkdir(parents=True)
    case = Case(kind, {"case.hamlet": f"universe small\n{long_universe(kind, folder)}".split("\n")})
    said(case, tmp_path / "universe")
    assert kind in told


def test_a_finding_says_what_to_do() -> None:
    assert all(kind.told is not Finding.told for chapter in CHAPTERS for kind in kinds(chapter))
