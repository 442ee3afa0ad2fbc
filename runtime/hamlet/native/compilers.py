"""Which compiler of C there is, and how a text becomes a shared library with it.

The first of these: the command in `HAMLET_CC`; `clang`; the clang of the package `ziglang`, which pip installs; `cc`;
`gcc`. Clang comes first because its kernels are faster than those of GCC.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from hamlet.errors import EnvError

CHOICE = "HAMLET_CC"
"""The variable with the user's compiler, a command with its arguments."""
CLANG, OTHERS = "clang", ("cc", "gcc")
"""Commands that are looked for, before the package `ziglang` and where it is not there."""
HINT = f"install gcc or clang, pip install ziglang, or name a compiler in {CHOICE}"

NATIVE = "native"
"""The CPU of this machine, where a library is made for one."""
DRAFT = "draft"
"""The same, where the library is not optimised (`hamlet.native.drafts`)."""
CPU = "HAMLET_CPU"
"""The variable with the CPU that a user compiles for in place of this one."""

EXACT = ("-std=c99", "-ffp-contract=off")
"""Arguments that keep bits, beside what `hamlet.h` says and looks for."""
SHARED = ("-fPIC", "-shared", "-nostdlib", "-fvisibility=hidden", "-w", "-g0")
"""Arguments of shared libraries. What they call of the library of C the process has: no compiler has to bring one. Zig
adds what debuggers read unless it is told not to, which takes a fifth of its time."""
FAST = ("-O2", "-ftree-vectorize")
"""Arguments for speed, unless the user's command has others."""
SCALAR = "-DHAMLET_SCALAR"
"""Vectors of one lane: less text for a compiler, and no headers of its own."""
HASTY = "-DHAMLET_DRAFT"
"""Leaves out what only makes code faster."""
QUICK, QUICK_CLANG = ("-Og", SCALAR, HASTY), ("-O0", SCALAR)
"""Arguments of drafts. GCC takes as long with `-O0`, whose code is a sixteenth as fast; Clang a third as long."""
UNCHECKED = ("-fno-sanitize=undefined",)
"""Zig checks what is not optimised, unless it is told not to."""

NARROW = ("-DHAMLET_NARROW",)
"""Reads a part of the compiler's own headers."""

HEADER, SOURCE, TARGET = "hamlet.h", "library.c", "library.so"
"""Files of a compilation."""

Run: TypeAlias = "Callable[[Sequence[str], str, Mapping[str, str]], subprocess.CompletedProcess[bytes]]"
"""Runs a command in a folder with these variables, and has what it says."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler of C.

    Attributes:
        command: the words of its command.
        identity: changes with the command and with the files of its programs.
    """

    command: tuple[str, ...]
    identity: str

    @property
    def drafts(self) -> bool:
        """Whether it makes drafts. Where the user's command has arguments, those say what is run."""
        words = iter(self.command[1:])
        return not any(word.startswith("-") and not (word == "-m" and next(words, None)) for word in words)

    def arguments(self, level: str) -> tuple[str, ...]:
        """Those for a level of CPUs, or for `NATIVE` or a `DRAFT`."""
        fast = self._quick() if level == DRAFT else () if self._says("-O") else FAST
        level = os.environ.get(CPU) or NATIVE if level in (NATIVE, DRAFT) else level
        # Zig spells names of CPUs with underscores.
        cpu = level.replace("-", "_") if is_zig(self.command) else level
        # A user who names a CPU wants kernels for that one, but not in packages for others.
        chosen = () if level == NATIVE and self._says("-march=") else (f"-march={cpu}",)
        return (*EXACT, *SHARED, *fast, *chosen)

    def _quick(self) -> tuple[str, ...]:
        if is_zig(self.command):
            return (*QUICK_CLANG, *UNCHECKED)
        return QUICK_CLANG if CLANG in Path(self.command[0]).name else QUICK

    def _says(self, beginning: str) -> bool:
        """Whether the user's command has an argument that begins so."""
        return any(word.startswith(beginning) for word in self.command)


def is_zig(command: Sequence[str]) -> bool:
    """Whether a command is that of `ziglang`."""
    return "zig" in (Path(word).stem for word in command[:1]) or "ziglang" in command


def compiler() -> Compiler:
    """The compiler of this process.

    Raises:
        EnvError: there is none, or none by the name that the user gave.
    """
    return _compiler(os.environ.get(CHOICE, ""), os.environ.get("PATH", ""))


@cache
def _compiler(choice: str, path: str) -> Compiler:
    if choice:
        command = _words(choice)
    elif shutil.which(CLANG, path=path):
        command = (CLANG,)
    elif zig := _ziglang():
        command = (zig, "cc")
    elif named := next((name for name in OTHERS if shutil.which(name, path=path)), None):
        command = (named,)
    else:
        raise EnvError(f"kernels in C need a compiler, and there is none: {HINT}")
    program = shutil.which(command[0], path=path)
    if program is None:
        raise EnvError(f"{CHOICE} names no command: there is no {command[0]!r} (unset it, or {HINT})")
    return Compiler((program, *command[1:]), _identity(command, path))


def _words(choice: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(choice))
    except ValueError as error:
        raise EnvError(f"{CHOICE} is no command: {choice!r} ({error})") from error
    if not words:
        raise EnvError(f"{CHOICE} is no command: {choice!r}")
    return words


def _ziglang() -> str | None:
    """The program in the package `ziglang`, which is not imported."""
    found = find_spec("ziglang")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent
    return next((str(each) for each in (folder / "zig", folder / "zig.exe") if each.exists()), None)


def _identity(command: Sequence[str], path: str) -> str:
    """The words of a command; for those that are programs, when their files were made, and their sizes."""
    described = list(command)
    for word in command:
        program = None if word.startswith("-") else shutil.which(word, path=path)
        if program is not None:
            real = Path(program).resolve()
            described.append(f"{real} {real.stat().st_size} {real.stat().st_mtime_ns}")
    return " ".join(described)


def compiled(
    by: Compiler, text: str, header: bytes, defines: Mapping[str, str], level: str, further: Sequence[str] = ()
) -> bytes:
    """The shared library that a compiler makes of a text that includes `hamlet.h`.

    Args:
        header: the contents of `hamlet.h`.
        defines: values of macros by name.
        level: see `Compiler.arguments`.
        further: arguments behind all others.

    Raises:
        EnvError: the compiler refuses it or was killed; what it says is quoted in one line.
    """
    defined = [f"-D{name}={value}" for name, value in sorted(defines.items())]
    arguments = [*by.arguments(level), *defined, *further, "-I.", SOURCE, "-o", TARGET]
    try:
        with TemporaryDirectory(prefix="hamlet-", ignore_cleanup_errors=True) as folder:
            (Path(folder) / HEADER).write_bytes(header)
            (Path(folder) / SOURCE).write_text(text, encoding="utf-8")
            # Which parts of its own headers may be read alone is for each compiler to say.
            for narrow in (NARROW, ()):
                said = _run([*by.command, *narrow, *arguments], folder)
                if said.returncode == 0:
                    return (Path(folder) / TARGET).read_bytes()
    except OSError as error:
        raise EnvError(f"{_called(by)} cannot be run: {error.strerror or error}; {HINT}") from error
    raise EnvError(f"{_called(by)} failed: {_reason(said.returncode, said.stderr.decode(errors='replace'))}")


def _run(command: Sequence[str], folder: str) -> subprocess.CompletedProcess[bytes]:
    # Whoever speaks no English gets one line all the same: that with "error:". What Zig keeps goes with the folder.
    variables = os.environ | {"LC_ALL": "C", "ZIG_GLOBAL_CACHE_DIR": folder, "ZIG_LOCAL_CACHE_DIR": folder}
    return RUN.get()(command, folder, variables)


def _in_front(command: Sequence[str], folder: str, variables: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )


RUN: ContextVar[Run] = ContextVar("run", default=_in_front)
"""How compilers are run here."""


def _called(by: Compiler) -> str:
    return f"the compiler of C ({shlex.join(by.command)})"


def _reason(code: int, said: str) -> str:
    """The first error in what a compiler says, or its last line."""
    if code < 0:
        return f"it was killed ({signal.Signals(-code).name})"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[-1] if lines else f"it ended with {code}")
