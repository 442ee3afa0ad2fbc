"""Options and fixtures of all tests."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from examples import LONG, examples
from processes import Command, Programs, Run, Says

if TYPE_CHECKING:
    from hamlet.package.module import Module


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files instead of comparing with them")


def pytest_configure(config: pytest.Config) -> None:
    """The user's cache is a folder of this run: its workers and their processes share machine code, which is known by
    contents, and nothing else is there. Processes keep the bytecode of what they import, also where the environment
    says that they should not: there are hundreds of them. A worker computes in one thread, of torch and of
    kernels: there is a worker for each CPU, and threads that find none free wait for each other. Tests of threads ask
    for more."""
    if problem := stale():
        raise pytest.UsageError(problem)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts programs in the background so: tests that press Ctrl-C would wait for ever.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("HAMLET_THREADS", "1")
    # Processes that start after this one, as workers do, keep the memory that they get: tests ask for the same again
    # and again.
    os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(32 << 20))
    os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(256 << 20))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    folder = tempfile.TemporaryDirectory(prefix="hamlet-tests-")
    config.add_cleanup(folder.cleanup)
    if shutil.which("cc") and "HAMLET_CC" not in os.environ:
        # The process that only hands tests to workers imports no torch for this.
        import precompiled

        store = None if LONG else precompiled.shared()
        os.environ["HAMLET_CC"] = precompiled.command(Path(folder.name) / "compiler", store)
    os.environ.setdefault("XDG_CACHE_HOME", folder.name)
    if "PYTEST_XDIST_WORKER" in os.environ or not getattr(config.option, "numprocesses", None):
        # Until all tests are collected there is no garbage to speak of.
        gc.disable()
        # Who hands tests to workers builds nothing.
        import builds
        import hamletc.compile

        hamletc.compile.build = builds.once(hamletc.compile.build)
    if not LONG:
        from hypothesis import settings

        settings.register_profile("few examples", max_examples=examples(100), derandomize=True, deadline=None)
        settings.load_profile("few examples")


def pytest_collection_finish() -> None:
    """Thousands of tests stay until the end: the collector need not look at them again and again, nor as often as in
    a small program."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 50)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """What is left is looked at once: at its end Python would look for cycles again and again."""
    gc.collect()
    gc.freeze()


def stale() -> str:
    """What is wrong with the entry points that were installed: backends and targets are found by them; empty if they
    are those of `pyproject.toml`."""
    from importlib.metadata import entry_points

    groups = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["entry-points"]
    for group, points in groups.items():
        installed = {each.name: each.value for each in entry_points(group=group)}
        for name, value in points.items():
            if installed.get(name) != value:
                return f"{name} = {value} of {group} is not installed: run `pip install --no-deps -e .` again"
    return ""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked `long`, unless HAMLET_LONG_TESTS is 1: others test the same, or a part of it."""
    if LONG:
        return
    left_out = [item for item in items if item.get_closest_marker("long") is not None]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item.get_closest_marker("long") is None]


@pytest.fixture(scope="session")
def run_program() -> Iterator[Run]:
    """Runs programs in processes of their own."""
    with Programs() as programs:
        yield programs.run


@pytest.fixture
def hamletc_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `hamletc` with these arguments in an empty folder, in this process; for what does not depend on how one
    starts and ends: to start one is dear."""
    from hamletc.cli.main import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    # Some verbs set it for the process that they have to themselves otherwise.
    monkeypatch.setenv("TRITON_INTERPRET", os.environ.get("TRITON_INTERPRET", "0"))

    def call(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["hamletc", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return subprocess.CompletedProcess(sys.argv, int(ended.value.code or 0), captured.out, captured.err)

    return call


@pytest.fixture
def hamletc_says(hamletc_here: Command, monkeypatch: pytest.MonkeyPatch) -> Says:
    """The same in a wide terminal: its exit code, and what it says on each stream."""
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        done = hamletc_here(*arguments)
        return done.returncode, done.stdout, done.stderr

    return call


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Module]:
    """The package of a text, compiled once for all tests of a run; those that write into packages copy them. It has
    kernels in C, and those of targets whose names follow the text."""
    # Importing it takes seconds, and the process that only hands tests to workers needs none of it.
    import hamlet
    from hamletc.compile import Options, build_checked, check_file
    from hamletc.frontend import Stopwatch
    from hamletc.package import write

    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "compiled"

    def of(text: str, *others: str) -> Module:
        name, targets = text.partition("universe ")[2].split(maxsplit=1)[0], ("c", *others)
        folder = shared / sha256("\0".join((text, *targets)).encode()).hexdigest()[:16]
        source, package = folder / f"{name}.hamlet", folder / name
        if package.exists():
            return hamlet.load(package)
        # Another worker may do the same now; a package is there as a whole or not at all.
        folder.mkdir(parents=True, exist_ok=True)
        source.write_text(text, encoding="utf-8")
        stopwatch = Stopwatch()
        write(build_checked(check_file(source, stopwatch), Options(targets), stopwatch), package)
        return hamlet.load(package)

    return cache(of)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compares a text with a golden file; with `--update-golden` it writes the file."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"{path} is missing: run pytest with --update-golden and read what it wrote"
        assert text == path.read_text(encoding="utf-8")

    return compare
