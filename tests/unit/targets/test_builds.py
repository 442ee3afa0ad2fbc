"""Tests build a package once, and anew where it or the compiler is another one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import builds
from hamlet.universe import Universe
from hamletc.compile import Options, check
from hamletc.frontend import Stopwatch
from hamletc.language.source import Source
from hamletc.read import parsed

TEXT = """universe hut
space none
lifespan 9 ticks
meter warmth = 0.00 in -1 .. 1
reward warmth
observe { meters }
"""


def universe(text: str = TEXT) -> Universe:
    return check(parsed(Source(Path("hut.hamlet"), text))).universe


@pytest.fixture
def built() -> list[Universe]:
    """What was built, one after the other."""
    return []


@pytest.fixture
def build(built: list[Universe]) -> builds.Build:
    def files(of: Universe, options: Options, stopwatch: Stopwatch, *_: object) -> dict[str, bytes]:
        built.append(of)
        stopwatch.laps.append(("emit", 1.0))
        return {"tick.ir": b"", **dict.fromkeys(options.targets, b"")}

    return builds.once(files)


def test_a_package_is_built_once(build: builds.Build, built: list[Universe]) -> None:
    first, second, options = Stopwatch(), Stopwatch(), Options(("c",))
    files = build(universe(), options, first)
    files.clear()
    assert build(universe(), options, second, {}, None) == {"tick.ir": b"", "c": b""}
    assert first.laps == second.laps
    assert len(built) == 1


def test_another_one_is_built(build: builds.Build, built: list[Universe]) -> None:
    of, options = universe(), Options(("c",))
    negative = universe(TEXT.replace("= 0.00 in", "= -0.0 in"))
    assert of == negative, "numbers that are not the same can be equal"
    for each in (of, negative, replace(of, name="hat")):
        build(each, options, Stopwatch())
    build(of, Options(("c", "wasm")), Stopwatch())
    build(of, options, Stopwatch(), {"pack.json": "{}"})
    build(of, options, Stopwatch(), {}, "other.hamlet")
    for _ in range(2):
        build(of, replace(options, edit=lambda program: program), Stopwatch())
    assert len(built) == 8


def test_another_compiler_builds_anew(
    build: builds.Build, built: list[Universe], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("hamletc.passes.pipeline.MOST_UNROLLED", 1)
        build(universe(), Options(("c",)), Stopwatch())
    for _ in range(2):
        build(universe(), Options(("c",)), Stopwatch())
    assert len(built) == 2


def test_the_oldest_make_room(build: builds.Build, built: list[Universe], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builds, "MOST", 2)
    for name in ("a", "b", "a", "c", "a", "b"):
        build(replace(universe(), name=name), Options(("c",)), Stopwatch())
    assert [each.name for each in built] == ["a", "b", "c", "b"]
