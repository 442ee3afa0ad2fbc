"""Unit tests without a mutant: which functions of the compiler each calls, and how long it takes."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import pytest
from areas import SLOW
from executed import Functions, forget_results, tracing
from mutant import ROOT

PYTEST = ("-q", "-o", "addopts=", "-p", "no:cacheprovider", f"--rootdir={ROOT}")


@dataclass(frozen=True, slots=True)
class Test:
    """A test.

    Attributes:
        name: by which pytest knows it.
        seconds: of processor time that it takes.
        called: the functions of the mutated folders that it calls, where a file of tests or its fixtures do, too.
    """

    __test__ = False

    name: str
    seconds: float
    called: Functions


class _Probe:
    """Follows tests while they run."""

    def __init__(self) -> None:
        self.shared, self.own = set[tuple[str, int]](), set[tuple[str, int]]()
        self.tests = list[Test]()

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        with tracing() as called:
            result = yield
        self.shared |= called
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
        with tracing() as called:
            result = yield
        if fixturedef.scope == "function":
            self.own |= called
        else:
            self.shared |= called
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        forget_results()
        self.own, begin = set(), _seconds()
        with tracing() as called:
            result = yield
        self.tests.append(Test(item.nodeid, _seconds() - begin, frozenset(called | self.own)))
        return result


def _seconds() -> float:
    """Of processor time, of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def followed(file: str) -> tuple[Test, ...]:
    """The tests of a file that do not take long. They must pass.

    Raises:
        RuntimeError: one fails.
    """
    probe = _Probe()
    with contextlib.redirect_stdout(io.StringIO()) as output:
        status = pytest.main([*PYTEST, "-x", "-k", f"not ({SLOW})", str(ROOT / file)], plugins=[probe])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise RuntimeError(f"{file} fails without a mutant: {output.getvalue()[-2000:]}")
    return tuple(Test(test.name, test.seconds, test.called | probe.shared) for test in probe.tests)


def reaching(tests: Sequence[Test], altered: Functions | None) -> list[Test]:
    """The tests that call what a mutant alters, the quickest first."""
    chosen = [test for test in tests if altered is None or altered & test.called]
    return sorted(chosen, key=lambda test: test.seconds)
