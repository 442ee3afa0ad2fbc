"""Systems that are not Linux: the calls that macOS and Windows lack are taken away, and what is left runs worlds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from processes import Run
from samples import SHIPPED

MEAL = SHIPPED / "first_meal.hamlet"
MACOS = """
import ctypes, os, sys
whole = ctypes.CDLL
class Functions:
    # macOS has the function, and it says that it is not implemented.
    sem_init = staticmethod(lambda *_: -1)
    dlclose = whole(None).dlclose
ctypes.CDLL = lambda name, *arguments, **named: Functions if name is None else whole(name, *arguments, **named)
os.sysconf = lambda name, of=os.sysconf: of(name) if name.startswith("SC_PAGE") else of("no such name")
for name in ("sched_getaffinity", "memfd_create"):
    delattr(os, name)
"""
WINDOWS = """
import ctypes, os, sys
whole = ctypes.CDLL
def library(name, *arguments, **named):
    if name is None:
        raise TypeError("bad argument type for built-in operation")
    return whole(name, *arguments, **named)
ctypes.CDLL = library
# These look at the name of the system, which is Linux here.
import tempfile, subprocess, asyncio, torch
sys.modules["fcntl"] = sys.modules["resource"] = None
for name in (
    "sched_getaffinity", "memfd_create", "sysconf", "register_at_fork", "geteuid", "getuid", "killpg", "fork",
    "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC",
):
    delattr(os, name)
os.supports_dir_fd = set()
"""
COMMANDS = """
import sys
from hamletc.cli.main import main
for line in sys.argv[1:]:
    sys.argv = ["hamletc", *line.split("|")]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise
"""
"""Runs `hamletc` with the words of each argument, one command after the other."""


def elsewhere(
    run_program: Run, system: str, program: str, *arguments: str | Path, cwd: Path
) -> subprocess.CompletedProcess[str]:
    """A program in a process without what that system lacks."""
    environment = {"HAMLET_THREADS": "2", "XDG_CACHE_HOME": str(cwd / "cache")}
    return run_program(system + program, *arguments, cwd=cwd, timeout=120, anew=True, whole=True, **environment)


STEPS = f"""
import torch, hamlet
env = hamlet.make(hamlet.compile({str(MEAL)!r}, "meal"), worlds=20_000, backend="c", quiet=True)
for _ in range(3):
    env.step(torch.zeros(20_000, dtype=torch.int32))
env.rollout(20)
print(env.digest())
"""


@pytest.fixture(scope="module")
def here(run_program: Run, tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """The steps on this system."""
    return elsewhere(run_program, "", STEPS, cwd=tmp_path_factory.mktemp("here"))


@pytest.mark.parametrize("system", [MACOS, WINDOWS], ids=["macos", "windows"])
def test_the_language_and_worlds(
    system: str, here: subprocess.CompletedProcess[str], run_program: Run, tmp_path: Path
) -> None:
    """Steps take one thread where threads cannot wait together."""
    commands = f"check|{MEAL}", f"compile|{MEAL}", f"compile|{MEAL}", f"run|{MEAL}|--ticks|50"
    diff = f"diff|{MEAL}|@c|--quick|--worlds|9|--ticks|3"
    there = elsewhere(run_program, system, STEPS + COMMANDS, *commands, diff, cwd=tmp_path)
    assert there.returncode == 0, there.stderr
    digest, _, said = there.stdout.partition("\n")
    assert f"{digest}\n" == here.stdout != "\n"
    assert "steps take one thread on this system" in there.stderr
    assert "steps take one thread" not in here.stderr
    # Machine code is kept for the next process.
    assert [path.stat().st_size > 1000 for path in (tmp_path / "cache" / "hamletc" / "libraries").iterdir()] != []
    assert "are equal in all" in said
