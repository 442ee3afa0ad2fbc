"""Names of modules, classes and functions that texts write in backticks are those of something that is there."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("runtime", "compiler", "lab", "townlet", "language", "training", "adapters")
"""Where packages are."""
DOTTED = re.compile(r"`(hamlet\w*(?:\.\w+)+)`")
HEADER = "hamlet.h"


def files() -> Iterator[Path]:
    """Pages and files of Python, but for the changelog, which names what is gone."""
    for folder in (*FOLDERS, "docs", "tests", "benchmarks", "examples"):
        yield from (path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md"))
    yield from (path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md")


def module_of(parts: tuple[str, ...]) -> tuple[Path | None, tuple[str, ...]]:
    """The file of the longest module with which a dotted name begins, and the rest of the name."""
    for length in range(len(parts), 0, -1):
        for folder in FOLDERS:
            path = ROOT / folder / Path(*parts[:length])
            for file in (path.with_suffix(".py"), path / "__init__.py"):
                if file.is_file():
                    return file, parts[length:]
    return None, parts


@cache
def members(file: Path) -> dict[str, ast.stmt]:
    """The statements of a module by the names that they set."""
    return dict(named(ast.parse(file.read_text(encoding="utf-8")).body))


def named(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """Names that statements set."""
    for each in body:
        match each:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name, each
            case ast.Assign(targets=targets):
                yield from ((node.id, each) for node in ast.walk(ast.Tuple(targets)) if isinstance(node, ast.Name))
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from ((alias.asname or alias.name, each) for alias in names)
            case ast.If(body=then, orelse=otherwise):
                yield from named(then + otherwise)
            case _:
                pass


def resolves(name: str) -> bool:
    """Whether a dotted name is that of a module, or of something that a module or a class of it has."""
    file, rest = module_of(tuple(name.split(".")))
    if file is None or not rest:
        return file is not None
    if rest[0] not in members(file):
        # What a package imports when it is first used.
        return f'"{rest[0]}"' in file.read_text(encoding="utf-8")
    match members(file)[rest[0]], rest[1:]:
        case ast.ClassDef(body=body) as owner, (attribute,):
            own = {node.attr for node in ast.walk(owner) if isinstance(node, ast.Attribute)}
            return bool(owner.bases) or attribute in own | {member for member, _ in named(body)}
        case _:
            return True


def stale() -> Iterator[str]:
    """Places of names that are nothing's."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    others = {*project["entry-points"], HEADER}
    for file in files():
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            for name in DOTTED.findall(line):
                if name not in others and not resolves(name):
                    yield f"{file.relative_to(ROOT)}:{number}: {name}"


def test_names_in_backticks_are_of_something() -> None:
    assert list(stale()) == []


@pytest.mark.parametrize(
    ("name", "there"),
    {
        "hamlet.schema.observed.Segment": True,
        "hamlet.schema.fields.Segment": False,
        "hamlet.schema.observed": True,
        "hamlet.schema.kept": False,
        "hamlet.make": True,
        "hamletc.kernel.code.Function.body": True,
        "hamletc.kernel.code.Function.text": False,
    }.items(),
)
def test_a_name_resolves(name: str, there: bool) -> None:
    assert resolves(name) == there
