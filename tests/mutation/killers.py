"""Who tests a mutant, in this order: behaviour, unit tests, golden files, and at last all that takes long."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Literal, TypeAlias, get_args

import pytest
from baseline import Baseline
from behaviour import check_kernels, check_programs
from executed import function_of
from mutant import ROOT, TABLE, Mutant

StageName: TypeAlias = Literal["import", "behaviour", "unit", "golden", "long"]
STAGES: tuple[StageName, ...] = get_args(StageName)
SECONDS: dict[StageName, int] = {"import": 30, "behaviour": 40, "unit": 120, "golden": 20, "long": 600}
"""Of processor time for each stage: three times what it takes without a mutant, or more."""

Check: TypeAlias = Callable[[], object]

PYTEST = ("-q", "-o", "addopts=", "-p", "no:cacheprovider", f"--rootdir={ROOT}")

C_UNITS = tuple(f"tests/unit/targets/c/test_c_{name}.py" for name in ("emit", "printer", "kernels"))
TRITON_UNITS = tuple(
    f"tests/unit/targets/triton/test_triton_{name}.py" for name in ("emit", "formatter", "functions", "columns")
)
UNITS = {
    "lowering": (
        *(
            f"tests/unit/lowering/test_{name}.py"
            for name in ("contract", "moves", "permutation", "occupancy", "tables", "reductions", "window")
        ),
        "tests/unit/functions",
    ),
    "passes": (
        *(
            f"tests/unit/passes/test_{name}.py"
            for name in (
                "single_passes",
                "constant_folding",
                "transfer",
                "interval",
                "facts",
                "tabulation",
                "constant_division",
                "ranges",
                "bits",
                "few_priorities",
                "orders",
            )
        ),
        "tests/unit/targets/triton/test_triton_formatter.py",
    ),
    "triton": ("tests/unit/targets/test_body.py", *TRITON_UNITS),
    "c": ("tests/unit/targets/test_body.py", *C_UNITS),
    "kernel": ("tests/unit/kernel", "tests/unit/targets/test_body.py", "tests/unit/targets/test_python.py"),
    "both": (
        "tests/unit/targets/test_body.py",
        "tests/unit/targets/test_known_rows.py",
        "tests/unit/ir",
        *TRITON_UNITS,
        *C_UNITS,
    ),
}
"""The unit tests of each area, the quickest first."""

SLOW = "large_universes_compile_in_time or kernels_do_not_grow or without_a_pass"
"""Unit tests that take long: they are run at last."""

EQUIVALENCE = tuple(f"tests/equivalence/test_{name}.py" for name in ("regressions", "random_universes", "backends"))
LONG = {
    "lowering": ("tests/equivalence/test_corners.py", "tests/unit/lowering", *EQUIVALENCE, "tests/unit/targets"),
    "passes": ("tests/unit/passes", *EQUIVALENCE, "tests/unit/targets", "tests/unit/lowering"),
    "triton": ("tests/equivalence/test_blocks.py", *EQUIVALENCE, "tests/static", "tests/ptx/test_ptx_kernels.py"),
    "c": ("tests/unit/targets/c", *EQUIVALENCE, "tests/equivalence/test_metamorphic.py"),
    "kernel": (*EQUIVALENCE, "tests/unit/targets"),
    "both": ("tests/equivalence/test_blocks.py", *EQUIVALENCE, "tests/static", "tests/unit/targets"),
}
"""The slow rest of the suite."""


def area(path: str) -> str:
    """Which tests look at a file: `lowering`, `passes`, `kernel`, a target (`triton`, `c`), or `both` targets
    that run (and how they spell)."""
    if path == TABLE:
        return "both"
    folders = path.split("/")
    return folders[0] if folders[0] != "targets" else folders[1] if len(folders) > 2 else "both"


def checks(stage: StageName, mutant: Mutant, known: Baseline) -> Iterator[tuple[str, Check]]:
    """The checks of a stage that run what a mutant alters, by name; each raises when it finds the mutant."""
    of, altered = area(mutant.path), function_of(mutant)
    match stage:
        case "import":
            yield "import", partial(_import, mutant.path)
        case "behaviour":
            if of in ("lowering", "passes"):
                for name, scene in known.programs.items():
                    if altered is None or altered & scene.called:
                        yield f"programs of {name}", partial(check_programs, scene.recordings, scene.made)
            for target, scenes in (("triton", known.triton), ("c", known.c)):
                if of in (target, "both", "kernel"):
                    for name, scene in scenes.items():
                        if altered is None or altered & scene.called:
                            check = partial(check_kernels, scene.recordings, target, scene.made)
                            yield f"{target} kernels of {name}", check
        case "unit":
            yield "unit tests", partial(_pytest, UNITS[of], f"not ({SLOW})")
        case "golden":
            yield "committed packages", _golden
        case "long":
            for tests_of in LONG[of]:
                yield tests_of, partial(_pytest, [tests_of], "")


class CompileError(Exception):
    """A mutant that is no program."""


def _import(path: str) -> None:
    """The file is Python, or a template that makes some."""
    import ast
    import importlib

    from samples import sample

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


def _pytest(tests: Sequence[str], chosen: str) -> None:
    watch = _Watch()
    with contextlib.redirect_stdout(io.StringIO()) as output:
        status = pytest.main([*PYTEST, "-x", "-k", chosen, *(str(ROOT / each) for each in tests)], plugins=[watch])
    if watch.failed:
        raise FailedTestError(f"{watch.failed}: {watch.reason}")
    if status != pytest.ExitCode.OK:
        raise RuntimeError(f"pytest ended with {status}: {output.getvalue()[-300:]}")


def holds(stage: str, check: str) -> bool:
    """Whether a check of unit tests, golden files or long tests passes here."""
    try:
        if stage == "golden":
            _golden()
        else:
            _pytest([check], "")
    except Exception:
        return False
    return True


def _golden() -> None:
    """The committed packages are what the compiler writes."""
    from hamletc.compile import Options, build, check_file
    from hamletc.frontend import Stopwatch

    for source in sorted((ROOT / "universes").glob("*.hamlet")):
        files = build(check_file(source, Stopwatch()).universe, Options(), Stopwatch())
        for name, content in files.items():
            committed = (ROOT / "generated" / source.stem / name).read_bytes()
            assert content == committed, f"{source.stem}/{name} differs from the committed one"
