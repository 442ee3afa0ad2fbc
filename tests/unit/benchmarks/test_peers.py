"""The C programs beside which our kernels are timed are the same town."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hamlet

ROOT = Path(__file__).resolve().parents[3]
PEERS = ROOT / "benchmarks" / "peers"

pytestmark = pytest.mark.long
"""The benchmark compares every program with the interpreter before it times it."""


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """benchmarks/peers is no package: it runs as a script."""
    monkeypatch.syspath_prepend(str(PEERS))
    import native

    if not native.compilers():
        pytest.skip("no C compiler")
    yield native
    for name in ("native", "check", "variants"):
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def expected() -> Iterator[Any]:
    """What the interpreter leaves of the town: hundreds of ticks, so once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PEERS))
        import check

        yield check.reference(hamlet.load(ROOT / "generated" / "town"))


def test_c_programs_are_the_town(native: Any, expected: Any, tmp_path: Path) -> None:
    import variants

    module = hamlet.load(ROOT / "generated" / "town")
    plan = variants.Plan(module, 256, (2,), 2)
    for compiler in native.compilers():
        timed = variants.in_c(plan, expected, compiler, tmp_path)
        assert {variant.checked for variant in timed} == {"equal to the interpreter in every bit"}


@pytest.mark.usefixtures("native")
def test_a_wrong_program_is_noticed(expected: Any) -> None:
    import check

    module = hamlet.load(ROOT / "generated" / "town")
    assert check.differing(expected, expected, True, True) == 0
    other = check.prepared(module)
    with pytest.raises(ValueError, match="too few episodes"):
        check.differing(other, expected, True, True)
    assert check.differing(expected, other, True, True) > 0


def test_inverse_by_computing_is_the_town_too(native: Any, expected: Any, tmp_path: Path) -> None:
    import check

    module = hamlet.load(ROOT / "generated" / "town")
    run = check.prepared(module)
    library = native.compile_c(native.compilers()[0], "fast.c", tmp_path, "-DINVERSE")
    native.fast(library, native.town(run.buffers, check.TICKS, check.STREAM, 1, run.counts, True))
    assert check.differing(expected, run, True, True) == 0


def test_odd_numbers_of_lanes_are_refused(native: Any, tmp_path: Path) -> None:
    import check

    run = check.prepared(hamlet.load(ROOT / "generated" / "town"), 100)
    library = native.compile_c(native.compilers()[0], "fast.c", tmp_path)
    with pytest.raises(ValueError, match="multiples of 256"):
        native.fast(library, native.town(run.buffers, 1, check.STREAM, 1, None, False))
