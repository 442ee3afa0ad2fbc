"""Docstrings begin with the thing that they are about, and identifiers name one: words that fit everything do not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("runtime", "compiler", "lab", "townlet", "language", "training", "adapters")
AHEAD = (
    *("runtime/hamlet/launch/cpu", "runtime/hamlet/native"),
    *(f"compiler/hamletc/{part}" for part in ("language", "expansion", "checking", "messages", "targets", "kernel")),
    "townlet/hamlet_townlet/reader",
)
"""Folders whose words were not gone through yet: take one out when its are."""
OPENING = re.compile(r"(What|Whatever|It|Its|Those|These|They|Them|The (found|given|known|wanted|kept))\b")
EMPTY = frozenset(("found", "given", "known", "wanted", "kept", "it", "so_many"))
OF_FORMATS = {
    "runtime/hamlet/universe/meters.py": {"kept"},
    "runtime/hamlet/backend/buffers.py": {"kept"},
    "lab/hamlet_lab/divergence/record.py": {"found"},
    "compiler/hamletc/errors.py": {"found"},
    "runtime/hamlet/launch/gpu/cubins.py": {"given", "kept"},
}
"""Words of the language, of files and of what programs call, which stay as they are."""


def files() -> Iterator[Path]:
    """The files of the packages whose words were gone through."""
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        if not any(path.is_relative_to(ROOT / folder) for folder in AHEAD):
            yield path


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """The docstrings of a module, of its classes, functions, attributes and constants."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield text
            case _:
                pass


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Names that a module gives to functions, classes, parameters, variables and attributes, with their lines."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name
            case _:
                pass


def empty(text: str, own: frozenset[str] = EMPTY) -> Iterator[tuple[int, str]]:
    """Openings of docstrings and names of a module that name nothing, with their lines."""
    tree = ast.parse(text)
    for each in docstrings(tree):
        opening = OPENING.match(str(each.value).lstrip())
        if opening is not None:
            yield each.lineno, f'a docstring begins with "{opening[0]}"'
    for line, name in names(tree):
        if name.strip("_") in own:
            yield line, f"a name is `{name}`"


def test_words_name_what_they_are_about() -> None:
    said = [
        f"{path.relative_to(ROOT)}:{line}: {problem}"
        for path in files()
        for line, problem in empty(
            path.read_text(encoding="utf-8"), EMPTY - OF_FORMATS.get(str(path.relative_to(ROOT)), set())
        )
    ]
    assert said == []


@pytest.mark.parametrize(
    ("text", "problem"),
    {
        '"""What agents observe."""': 'a docstring begins with "What"',
        'def f():\n    """The given lanes."""': 'a docstring begins with "The given"',
        'x = 1\n"""Those of a world."""': 'a docstring begins with "Those"',
        "found = 1": "a name is `found`",
        "def f(given): pass": "a name is `given`",
        "class A:\n    def _kept(self): pass": "a name is `_kept`",
        "self._known = 1": "a name is `_known`",
    }.items(),
)
def test_an_empty_word_is_a_problem(text: str, problem: str) -> None:
    assert [said for _, said in empty(text)] == [problem]


@pytest.mark.parametrize("text", ['"""Observations of agents."""', '"""Whether an item is open."""', "kept_rows = 1"])
def test_a_word_that_names_something_is_none(text: str) -> None:
    assert list(empty(text)) == []


def test_folders_ahead_exist() -> None:
    assert all((ROOT / folder).is_dir() for folder in AHEAD)
