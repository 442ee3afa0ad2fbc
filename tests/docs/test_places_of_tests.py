"""Tests stand where CONTRIBUTING.md says: folders of `tests/unit` are named as what they test, those of
`tests/features` as the chapters of docs/language.md, and those of `tests/ports` as the ports."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCTION = ("adapters", "benchmarks", "compiler", "lab", "language", "runtime", "townlet", "training")


def folders(of: str) -> set[str]:
    """The folders below one of `tests` that have tests, by their paths in it."""
    base = ROOT / "tests" / of
    return {str(test.parent.relative_to(base)) for test in base.rglob("test_*.py")}


def places() -> set[str]:
    """The production folders; packages and modules, by their paths in the outermost package."""
    result = set(PRODUCTION)
    for folder in PRODUCTION:
        for source in (ROOT / folder).rglob("*.py"):
            module = source.relative_to(ROOT / folder).with_suffix("")
            result |= {"/".join(each.parts[1:]) for each in (module, module.parent)}
    return result


def test_folders_of_units_are_packages_or_modules() -> None:
    units = folders("unit")
    assert len(units) > 20
    assert units - places() == set()


def test_folders_of_features_are_chapters_of_the_language_page() -> None:
    page = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    chapters = {title.lower().replace(" ", "_") for title in re.findall(r"^##+ (.*)$", page, re.MULTILINE)}
    features = folders("features")
    assert len(features) > 5
    assert features - chapters == set()


def test_each_port_has_a_test_of_its_name() -> None:
    ports = {port.stem for port in (ROOT / "universes" / "ports").glob("*.hamlet")}
    tests = {test.stem.removeprefix("test_") for test in (ROOT / "tests" / "ports").glob("test_*.py")}
    assert len(ports) > 4
    # Two of the tests are about all ports, and about how both are stepped.
    assert tests == ports | {"ports", "comparisons"}


def test_no_two_files_have_the_same_name() -> None:
    """Pytest imports test files by their names alone: all tests together would not start."""
    names = Counter(test.name for test in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
