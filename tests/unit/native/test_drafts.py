"""Drafts run while a compiler makes the library, which takes their place wherever they are."""

from __future__ import annotations

import ctypes
import gc
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.env.single import SingleSteps
from hamlet.errors import EnvError
from hamlet.launch.cpu.kernels import SHORT
from hamlet.native import compilers, drafts, library
from hamlet.native.compilers import CHOICE, DRAFT, NATIVE, Compiler
from hamlet.native.drafts import REPLACEMENT, Loaded, drafted, finish, without_drafts
from hamlet.native.library import KIND
from hamlet.package.module import Module
from hamlet.terminal import say_once
from hamlet_lab.bench import Case, measure
from hamletc.cli.main import hamletc
from processes import Run

CC = shutil.which("cc")
TEXT = """#include "hamlet.h"
HAMLET_EXPORT i64 number(const i64 *words);
HAMLET_EXPORT i64 number(const i64 *words) {
#ifdef HAMLET_SCALAR
    return words[0] + 1;
#else
    return words[0] + 2;
#endif
}
"""
OBSERVED = {"OBSERVED": "f32"}
LITTLE = "-Og -Dalways_inline=unused -DHAMLET_DRAFT"
"""Arguments behind those of a library, which say that it is hardly optimised: what it is compared with is a draft."""
WAITING = f"""#!/bin/sh
case "$*" in *SCALAR*) echo >> "$WHERE/drafts"; exec {CC} "$@";; *OBSERVED*) ;; *) exec {CC} "$@" {LITTLE};; esac
echo $$ >> "$WHERE/compilers"
while [ ! -e "$WHERE/go" ]; do sleep 0.02; done
if [ -e "$WHERE/fail" ]; then echo 'error: no more' >&2; exit 1; fi
exec {CC} "$@" {LITTLE}
"""
ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(CC is None, reason="this machine has no compiler of C")


@pytest.fixture
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder, and a compiler that optimises kernels only when `go` is there; with `fail` it fails then."""
    program = tmp_path / "waiting"
    program.write_text(WAITING)
    program.chmod(0o700)
    monkeypatch.setenv(CHOICE, str(program))
    monkeypatch.setenv("WHERE", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(drafts.CHOICE, raising=False)
    forget()
    yield tmp_path
    (tmp_path / "go").touch()
    finish()


def forget() -> None:
    """What a process does that begins."""
    for each in (library._library, drafts._drafted, compilers._compiler, say_once):
        each.cache_clear()


def made() -> Loaded:
    return drafted(TEXT, OBSERVED, "number")


def called(loaded: ctypes.CDLL, first: int = 40) -> int:
    words = (ctypes.c_int64 * 1)(first)
    return int(loaded.number(words))


def test_the_library_takes_the_place_of_its_draft(where: Path) -> None:
    loaded = made()
    draft = loaded.now
    assert called(draft) == 41
    assert made() is loaded, "others have the same draft"
    assert not (where / "cache").exists()
    (where / "go").touch()
    finish()
    assert called(draft) == 42, "whoever has the draft's address calls the library"
    assert called(loaded.now) == called(loaded.whole()) == 42
    assert loaded.now is not draft
    assert len(list((where / "cache" / "hamletc" / KIND).iterdir())) == 1
    forget()
    del loaded
    gc.collect()
    assert called(draft) == 42, "a draft keeps the library"
    (where / "go").unlink()
    assert called(made().now) == 42, "the next process has no draft"


def test_who_needs_the_library_waits_for_it(where: Path) -> None:
    loaded = made()
    threading.Timer(0.2, (where / "go").touch).start()
    assert called(loaded.whole()) == 42
    assert called(made().now) == 42


def test_whoever_measures_has_no_drafts(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (where / "go").touch()
    with without_drafts():
        assert called(made().now) == 42
    forget()
    shutil.rmtree(where / "cache")
    monkeypatch.setenv(drafts.CHOICE, "0")
    assert called(made().now) == 42
    monkeypatch.setenv(drafts.CHOICE, "no")
    with pytest.raises(EnvError, match=r"^HAMLET_DRAFTS must be 0 or 1, not 'no'$"):
        made()


@pytest.mark.parametrize(
    ("command", "drafts", "quick"),
    [
        (("/usr/bin/gcc",), True, "-Og"),
        (("/usr/bin/clang-18",), True, "-O0"),
        (("/zig", "cc"), True, "-fno-sanitize=undefined"),
        (("python", "-m", "ziglang", "cc"), True, "-fno-sanitize=undefined"),
        (("cc", "-O1"), False, "-Og"),
        (("cc", "-march=haswell"), False, "-Og"),
        (("python", "-m", "ziglang", "cc", "-O3"), False, "-O0"),
    ],
)
def test_arguments_of_drafts(command: tuple[str, ...], drafts: bool, quick: str) -> None:
    """A user's own arguments say what is run, so there are no drafts then."""
    by = Compiler(command, "")
    assert by.drafts == drafts
    assert quick in by.arguments(DRAFT)
    assert {"-DHAMLET_SCALAR", "-ffp-contract=off"} <= set(by.arguments(DRAFT))
    assert "-DHAMLET_SCALAR" not in by.arguments(NATIVE)


def test_a_compiler_that_fails_then_is_one_line(where: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loaded = made()
    (where / "fail").touch()
    (where / "go").touch()
    finish()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "hamlet: kernels stay as they were compiled first, without optimisation: the compiler of C ("
    )
    assert line.endswith("error: no more")
    assert called(loaded.now) == 41
    with pytest.raises(EnvError, match=r"error: no more$"):
        loaded.whole()
    (where / "fail").unlink()
    assert called(loaded.whole()) == 42


PROGRAM = f"""
import ctypes, multiprocessing, os, pathlib, signal, threading, time
from hamlet.native.drafts import drafted, finish
where = pathlib.Path(os.environ["WHERE"])
def begun():
    number = drafted({TEXT!r}, {OBSERVED!r}, "number").now.number
    while not (where / "compilers").exists():
        time.sleep(0.01)
    return lambda: number((ctypes.c_int64 * 1)(40))
"""


def ended(where: Path, run_program: Run, program: str) -> str:
    """What a program prints; nothing is left of its compiler, nor of folders."""
    folder = where / "temporary"
    folder.mkdir()
    begin = time.monotonic()
    done = run_program(PROGRAM + dedent(program), TMPDIR=str(folder), timeout=60, whole=True)
    assert time.monotonic() - begin < 30
    assert done.returncode == 0, done
    assert not done.stderr, done
    (pid,) = (where / "compilers").read_text().split()
    assert not Path(f"/proc/{pid}").exists()
    assert list(folder.iterdir()) == []
    return done.stdout


def test_nothing_is_left_where_a_process_ends_before_its_compiler(where: Path, run_program: Run) -> None:
    assert ended(where, run_program, "print(begun()())") == "41\n"


@pytest.mark.usefixtures("where")
def test_nothing_is_said_where_the_folder_of_a_compiler_ends_before_it_begins(run_program: Run) -> None:
    """Python removes temporary folders of a process that ends before it calls what ends compilers."""
    program = """
    from hamlet.native import drafts
    end, run = drafts._end, drafts._Background._run
    def late(background, command, folder, variables):
        while os.path.exists(folder):
            time.sleep(0.01)
        return run(background, command, folder, variables)
    def slowly():
        time.sleep(0.5)
        end()
    drafts._end, drafts._Background._run = slowly, late
    number = drafted(TEXT, OBSERVED, "number").now.number
    print(number((ctypes.c_int64 * 1)(40)))
    """
    text = f"TEXT, OBSERVED = {TEXT!r}, {OBSERVED!r}"
    done = run_program(PROGRAM + text + dedent(program), timeout=60, whole=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "41\n", ""), done


def test_nothing_is_left_of_a_process_of_multiprocessing(where: Path, run_program: Run) -> None:
    program = """
    def child():
        print(begun()(), flush=True)
    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()
    """
    assert ended(where, run_program, program) == "41\n"


def test_ctrl_c_is_not_for_the_compiler(where: Path, run_program: Run) -> None:
    program = """
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    number = begun()
    try:
        os.killpg(0, signal.SIGINT)
        time.sleep(10)
    except KeyboardInterrupt:
        print("interrupted", number())
    (where / "go").touch()
    finish()
    print(number())
    """
    assert ended(where, run_program, program) == "interrupted 41\n42\n"


def test_who_forks_waits(where: Path, run_program: Run) -> None:
    program = """
    number = begun()
    threading.Timer(0.2, (where / "go").touch).start()
    if os.fork() == 0:
        print("child", number(), flush=True)
        os._exit(0)
    os.wait()
    print(number())
    """
    assert ended(where, run_program, program) == "child 42\n42\n"


def draft_of(env: Env) -> ctypes.CDLL:
    """What an environment of kernels in C has loaded."""
    (loaded,) = env._backend._kernels._libraries.values()  # type: ignore[attr-defined]
    library = loaded.now
    assert isinstance(library, ctypes.CDLL)
    return library


def replaced(draft: ctypes.CDLL) -> bool:
    return bool(ctypes.c_void_p.in_dll(draft, REPLACEMENT).value)


def steps(env: Env, actions: torch.Tensor) -> None:
    for each in actions:
        env.step(each)


def rollouts(env: Env, actions: torch.Tensor) -> None:
    env.rollout(len(actions), actions)


def single_steps(env: Env, actions: torch.Tensor) -> None:
    if env.backend != "c":
        return steps(env, actions)
    single = env.__dict__.setdefault("single_of_test", SingleSteps(env))
    for each in actions:
        single.step(int(each[0]))
    return None


@pytest.mark.parametrize(("run", "worlds"), [(steps, 8192), (rollouts, 70), (single_steps, 1)])
def test_a_library_takes_its_place_in_the_middle_of_an_episode(
    where: Path,
    run: Callable[[Env, torch.Tensor], None],
    worlds: int,
    monkeypatch: pytest.MonkeyPatch,
    compiled: Callable[[str], Module],
) -> None:
    """... of steps, in threads too, of rollouts and of the steps of a single world: bits are those of the interpreter,
    before and behind."""
    monkeypatch.setenv("HAMLET_THREADS", "2")
    module = compiled((ROOT / "universes" / "first_meal.hamlet").read_text(encoding="utf-8"))
    envs = [hamlet.make(module, worlds=worlds, backend=backend, seed=3, quiet=True) for backend in ("c", "interpreter")]
    actions = torch.randint(envs[0].num_actions, (12, worlds), dtype=torch.int32)
    draft = draft_of(envs[0])
    for part in actions[:6], actions[6:]:
        for env in envs:
            run(env, part)
        assert replaced(draft) == (where / "go").exists()
        for mine, theirs in zip(*map(written, envs), strict=True):
            assert torch.equal(mine, theirs)
        (where / "go").touch()
        finish()


def written(env: Env) -> list[torch.Tensor]:
    """The bits of state, outcomes, observations and masks."""
    buffers = env._buffers
    assert buffers.observation is not None
    tensors = [*buffers.state.values(), *buffers.outcome.values(), buffers.mask, buffers.observation]
    return [each.contiguous().view(torch.uint8) for each in tensors]


def test_long_launches_wait_for_the_library(where: Path, compiled: Callable[[str], Module]) -> None:
    module = compiled((ROOT / "universes" / "first_meal.hamlet").read_text(encoding="utf-8"))
    env = hamlet.make(module, worlds=64, backend="c", quiet=True)
    draft = draft_of(env)
    env.rollout(SHORT // 64)
    assert not replaced(draft)
    threading.Timer(0.2, (where / "go").touch).start()
    env.rollout(SHORT // 64 + 1)
    assert draft_of(env) is not draft


def test_benchmarks_and_proofs_have_no_drafts(where: Path, compiled: Callable[[str], Module]) -> None:
    module = compiled((ROOT / "universes" / "first_meal.hamlet").read_text(encoding="utf-8"))
    (where / "go").touch()
    case = Case("c", 2, 1, "step", 1, "none")
    assert measure(module, [case], None, 1, 1.0, lambda _case: None)[0].samples == 1
    forget()
    shutil.rmtree(where / "cache")
    with without_drafts():
        env = hamlet.make(module, worlds=2, backend="c", quiet=True)
    env.rollout(2)
    assert not (where / "drafts").exists()
    forget()
    shutil.rmtree(where / "cache")
    hamlet.make(module, worlds=2, backend="c", quiet=True)
    assert (where / "drafts").exists()


@pytest.mark.parametrize(("worlds", "drafted"), [(3, True), (SHORT, False)])
def test_a_long_run_has_no_draft(where: Path, worlds: int, drafted: bool) -> None:
    """... for which it would wait twice."""
    (where / "go").touch()
    universe = ROOT / "universes" / "first_meal.hamlet"
    arguments = ["run", str(universe), "--worlds", str(worlds), "--ticks", "5", "--backend", "c", "--no-write"]
    hamletc(arguments, standalone_mode=False)
    assert (where / "drafts").exists() == drafted
