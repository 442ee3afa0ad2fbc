"""Who tests a mutant, in this order: behaviour, unit tests, golden files, more universes, and at last all that takes
long."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import pytest
from areas import LONG, area, units
from baseline import Baseline
from behaviour import check_kernels, check_library, check_package, check_programs
from c_sites import COMMAND, WAYS
from executed import function_of
from more_universes import differing, forms
from mutant import BY_HAND, ROOT, Mutant
from scene_names import EXECUTED, HEADER
from units import PYTEST, reaching
from verdict import StageName

SECONDS: dict[StageName, int] = {
    "import": 30, "behaviour": 600, "unit": 240, "golden": 120, "universes": 900, "long": 600,
}  # fmt: skip
"""Of processor time for each stage. A mutant that tells in no bit and changes every kernel has all of them run."""
AT_ONCE = 15
"""Of processor time for a check that takes a few seconds without a mutant, or less."""
INTERPRETED = 60
"""Of processor time for a check on Triton's interpreter."""


@dataclass(frozen=True, slots=True)
class Named:
    """A check, which raises when it finds the mutant, and what it may take.

    Attributes:
        seconds: of processor time; who takes more is found, too.
    """

    name: str
    check: Callable[[], object]
    seconds: float = AT_ONCE


def checks(stage: StageName, mutant: Mutant, known: Baseline) -> Iterator[Named]:
    """The checks of a stage that run what a mutant alters, those that are likely to find it soon first."""
    of, altered = area(mutant.path), function_of(mutant)
    match stage:
        case "import":
            yield Named("import", partial(_import, mutant.path))
        case "behaviour":
            if of in ("lowering", "passes"):
                for name, scene in known.programs.items():
                    if scene.reaches(altered):
                        yield Named(f"programs of {name}", partial(check_programs, scene.recordings, scene.made))
            if of == "kernel":
                for name in EXECUTED:
                    yield Named(f"programs of {name}", partial(check_programs, known.programs[name].recordings, {}))
            for target, scenes in (("c", known.c), ("triton", known.triton), ("wasm", known.wasm)):
                if of in (target, "both", "kernel"):
                    for name, scene in scenes.items():
                        if scene.reaches(altered):
                            check = partial(check_kernels, scene.recordings, target, scene.made)
                            yield Named(f"{target} kernels of {name}", check, _most(target))
            if mutant.path == "native/hamlet.h":
                for name in HEADER:
                    scene = known.c[name]
                    yield Named(f"c kernels of {name}", partial(check_library, scene.recordings, scene.made))
        case "unit":
            tests = reaching([test for file in units(mutant.path) for test in known.units[file]], altered)
            if tests:
                names = [test.name for test in tests]
                yield Named("unit tests", partial(_pytest, names), AT_ONCE + 3 * sum(test.seconds for test in tests))
        case "golden":
            for name, called in known.golden.items():
                if altered is None or altered & called:
                    yield Named(f"package of {name}", partial(check_package, name))
        case "universes":
            for form in forms(mutant.path):
                for name, check in differing(form, known.universes[form], altered):
                    yield Named(f"{form} of {name}", check, 4 * INTERPRETED)
        case "long":
            for tests_of in LONG[of]:
                yield Named(tests_of, partial(_pytest, [tests_of]), SECONDS["long"])


def _most(target: str) -> int:
    return INTERPRETED if target == "triton" else AT_ONCE


class CompileError(Exception):
    """A mutant that is no program."""


def _import(path: str) -> None:
    """The file is Python, a template that makes some, or C."""
    from samples import sample

    if path.partition("/")[0] in BY_HAND:
        _compile(path)
        return
    try:
        if path.endswith(".py"):
            importlib.import_module("hamletc." + path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
            return
        from hamletc.compile import emit_kernels, lower, optimise, specialise

        target: Literal["triton", "c"] = "triton" if "triton" in path else "c"
        for name in ("nowhere", "first_meal"):
            text = emit_kernels(specialise(optimise(lower(sample(name))), target), target)
            if target == "triton":
                ast.parse(text)
    except Exception as error:
        raise CompileError(f"{type(error).__name__}: {error}") from error


def _compile(path: str) -> None:
    """The file is C, with vectors and without."""
    import hamlet.native

    folder, _, name = path.partition("/")
    package = ".".join(BY_HAND[folder].split("/")[1:])
    file = Path(str(importlib.import_module(package).__file__)).with_name(name)
    header = Path(hamlet.native.__file__).with_name("hamlet.h")
    for way in WAYS:
        command = [*COMMAND, *way, "-w", "-fsyntax-only", f"-I{header.parent}", f"-I{file.parent}"]
        said = subprocess.run([*command, "-include", header, file], capture_output=True, text=True, check=False)
        if said.returncode:
            raise CompileError(said.stderr)


class _Watch:
    """Remembers the first test that fails."""

    def __init__(self) -> None:
        self.failed = ""
        self.reason = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed, self.reason = report.nodeid, _last(str(report.longrepr))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed, self.reason = report.nodeid, _last(str(report.longrepr))


class FailedTestError(Exception):
    """A test of the suite that found the mutant."""

    __test__ = False


def _last(text: str) -> str:
    lines = [line[2:] for line in text.splitlines() if line.startswith("E ")]
    return (lines or text.splitlines() or [""])[0].strip()


def _pytest(tests: Sequence[str]) -> None:
    watch = _Watch()
    with contextlib.redirect_stdout(io.StringIO()) as output:
        status = pytest.main([*PYTEST, "-x", *(str(ROOT / each) for each in tests)], plugins=[watch])
    if watch.failed:
        raise FailedTestError(f"{watch.failed}: {watch.reason}")
    if status != pytest.ExitCode.OK:
        raise RuntimeError(f"pytest ended with {status}: {output.getvalue()[-300:]}")


def holds(tests: str) -> bool:
    """Whether tests that take long pass here."""
    try:
        _pytest([tests])
    except Exception:
        return False
    return True
