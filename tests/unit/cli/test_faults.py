"""Where nothing can be kept everything works; and packages are there whole, whoever writes, and whatever stops it."""

from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path

import pytest

import hamlet
from hamlet.package import cache
from hamletc.compile import Options, build, check_file
from hamletc.errors import CompileError
from hamletc.frontend import Stopwatch
from hamletc.package import write
from processes import Run

TEXT = "universe tiny\nspace none\nmeter energy = 1 {{ decay {decay} }}\ndies when energy <= 0\nreward energy\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.hamlet"
    path.write_text(TEXT.format(decay="0.03"))
    return path


def built(source: Path, decay: str) -> dict[str, bytes]:
    """The files of the universe with this decay."""
    source.write_text(TEXT.format(decay=decay))
    return build(check_file(source, Stopwatch()).universe, Options(), Stopwatch())


@pytest.mark.parametrize("home", ["/proc/nowhere", None])
def test_compiling_without_a_cache(source: Path, home: str | None, run_program: Run) -> None:
    program = (
        "import os, sys, warnings, pathlib, hamlet\n"
        # Warnings about the universe are another matter.
        "warnings.simplefilter('ignore')\n"
        "for name in ('HOME', 'XDG_CACHE_HOME'): os.environ.pop(name, None)\n"
        f"os.environ |= { ({} if home is None else {'XDG_CACHE_HOME': home})!r}\n"
        "def home(): raise RuntimeError('who are you?')\n"
        "pathlib.Path.home = home\n"
        "env = hamlet.make(hamlet.compile(sys.argv[1]), worlds=3, backend='interpreter', device='cpu')\n"
        "print(env.rollout(5).ticks)"
    )
    done = run_program(program, source)
    assert done.stdout == "5\n", done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("hamlet: the package of tiny is not kept: ")


def test_triton_compiles_where_its_cache_cannot_be_written(source: Path, tmp_path: Path, run_program: Run) -> None:
    hamlet.compile(source, tmp_path / "tiny")
    program = (
        "import sys, hamlet; from hamlet_lab.machine_code.kernels import compile_kernels\n"
        "module = hamlet.load(sys.argv[1])\n"
        "found = compile_kernels(module.kernels('triton'), module.universe, 90, ('reset', 'step'))\n"
        "print([each.kernel for each in found.values()])"
    )
    done = run_program(program, tmp_path / "tiny", TRITON_CACHE_DIR="/proc/nowhere")
    assert done.stdout == "['reset', 'step']\n", done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("hamlet: /proc/nowhere cannot be written")


def test_answers_that_were_damaged_are_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    key, answer = {"device": "this"}, {"seconds": {"64": 0.25}, "measured": "today"}
    cache.save("crossover", key, answer)
    (file,) = (tmp_path / "hamletc" / "crossover").iterdir()
    whole = file.read_bytes()
    for at in range(len(whole)):
        for other in (whole[at] ^ 1, whole[at] ^ 0x80):
            file.write_bytes(whole[:at] + bytes([other]) + whole[at + 1 :])
            assert cache.load("crossover", key) in (None, answer)
        file.write_bytes(whole[:at])
        assert cache.load("crossover", key) in (None, answer)
    file.write_bytes(b"[" * 100_000)
    assert cache.load("crossover", key) is None


def test_readers_and_writers_of_one_folder(source: Path, tmp_path: Path) -> None:
    """Whoever loads finds one package or the other, whole, at any time."""
    first, second = (built(source, decay) for decay in ("0.03", "0.02"))
    output, done, problems = tmp_path / "package", threading.Event(), []
    write(first, output)
    digests = {hamlet.load(output).digest}

    def keep_writing(files: dict[str, bytes]) -> None:
        try:
            while not done.is_set():
                write(files, output)
        except CompileError as error:
            problems.append(str(error))

    threads = [threading.Thread(target=keep_writing, args=(files,)) for files in (first, second)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(150):
            digests.add(hamlet.load(output).digest)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert problems == []
    assert len(digests) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["package", "tiny.hamlet"]


def _write_forever(files: list[dict[str, bytes]], output: Path) -> None:
    while True:
        for each in files:
            write(each, output)


def test_a_writer_that_is_killed(source: Path, tmp_path: Path) -> None:
    files = [built(source, decay) for decay in ("0.03", "0.02")]
    output = tmp_path / "package"
    write(files[0], output)
    context = multiprocessing.get_context("fork")
    for turn in range(15):
        process = context.Process(target=_write_forever, args=(files, output))
        process.start()
        process.join(0.01 + 0.003 * turn)
        process.kill()
        process.join()
        assert hamlet.load(output).name == "tiny"
    (output / "universe.json").unlink()
    write(files[0], output)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["package", "tiny.hamlet"]


def test_what_was_compiled_is_what_is_given(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """... also where another process writes into the same folder before it could be read again."""
    other = built(source, "0.02")
    source.write_text(TEXT.format(decay="0.03"))

    def write_and_lose(files: dict[str, bytes], output: Path) -> bool:
        return write(files, output) and write(other, output)

    monkeypatch.setattr("hamletc.package.write", write_and_lose)
    module = hamlet.compile(source, tmp_path / "package")
    assert module.digest != hamlet.load(tmp_path / "package").digest
    assert module.sources["tick.ir"] != other["tick.ir"]
