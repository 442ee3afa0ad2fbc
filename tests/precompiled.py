"""A compiler of C for tests: GCC, told to do a third of its usual work.

It reads `hamlet.h` once for all kernels. Libraries are the same to the byte, since GCC takes what it has read only
where it would read the same again; tests/unit/native/test_precompiled.py compares. And helpers that are always inlined
it compiles once, and not wherever they are called. Bits depend neither on that nor on the level. What it has compiled
in another run it takes from there, by contents.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from hamlet.native import cpu
from hamlet.native.compilers import EXACT, HASTY, HEADER, NARROW, NATIVE, SHARED, SOURCE, TARGET
from hamlet.native.library import LIBRARY, header

OPTIONS = "-Og", "-Dalways_inline=unused", HASTY
"""The headers of GCC spell its attribute with underscores: theirs stay as they are."""
FORMS = {"plain": (), "scattered": ("-DSCATTERED",)}
"""Macros that texts define before they include the header (`hamletc.targets.c.emit`)."""

LEARNING = "hamlet_train_"
"""The names of kernels of training begin so."""

DAYS = 14
"""For so long libraries of other runs stay that no run takes."""

EARLIER = f"""
if [ -f {SOURCE} ] && [ -f {HEADER} ]; then
    there={{store}}/$({{{{ printf '%s\\n' {{compiler}} "$@"; cat {HEADER} {SOURCE}; }}}} | sha256sum | cut -c1-64)
    if cp "$there" {TARGET} 2>/dev/null; then
        touch -c "$there"
        exit 0
    fi
fi
"""
"""Takes the library of the same texts, arguments and compiler."""
LATER = f"""
if [ -n "$there" ]; then
    cc "$@" || exit $?
    # As a whole or not at all: others may write the same.
    [ -f {TARGET} ] && cp {TARGET} "$there.$$" && mv "$there.$$" "$there"
    exit 0
fi
"""

PROGRAM = f"""#!/bin/sh
here={{here}}
there=
{{earlier}}
if cmp -s {HEADER} "$here/{HEADER}"; then
    # Whoever comes first reads the header for all; others do not wait for that.
    if mkdir "$here/begun" 2>/dev/null; then
        mkdir "$here/part" && {{reading}} && mv "$here/part" "$here/{HEADER}.gch"
    fi
    [ -d "$here/{HEADER}.gch" ] && ln -s "$here/{HEADER}.gch" {HEADER}.gch
fi
# Kernels of training run for seconds where others run for milliseconds.
if grep -qs {LEARNING} ./*.c; then
    set -- "$@" -O2 -Ualways_inline -UHAMLET_DRAFT
fi
{{later}}
exec cc "$@"
"""


def command(folder: Path, store: Path | None = None) -> str:
    """The command of this compiler, for `HAMLET_CC`; what it needs is written into a new folder, and libraries into
    a folder that runs share."""
    folder.mkdir(parents=True)
    (folder / HEADER).write_text(header(), encoding="utf-8")
    defines = [f"-D{name}={value}" for name, value in LIBRARY.items()]
    reading = ["cc", *OPTIONS, *NARROW, *EXACT, *SHARED, f"-march={NATIVE}", *defines, "-x", "c-header"]
    file, part = str(folder / HEADER), folder / "part"
    forms = (shlex.join([*reading, *macros, file, "-o", str(part / form)]) for form, macros in FORMS.items())
    program = folder / "cc"
    earlier = later = ""
    if store is not None:
        _tidy(store)
        words = {"store": shlex.quote(str(store)), "compiler": _identity()}
        earlier, later = EARLIER.format(**words), LATER
    texts = {"here": shlex.quote(str(folder)), "reading": " && ".join(forms), "earlier": earlier, "later": later}
    program.write_text(PROGRAM.format(**texts), encoding="utf-8")
    program.chmod(0o700)
    return shlex.join([str(program), *OPTIONS])


STORE = "HAMLET_TESTS_STORE"
"""The variable with the folder that runs share: processes of tests have another cache than the user."""


def shared() -> Path:
    """The folder that runs share, in the user's cache."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hamlet-tests"
    return Path(os.environ.setdefault(STORE, str(default)))


def stored(parts: Sequence[str], make: Callable[[Path], None], anew: Path | None = None) -> Path:
    """A file that the compiler `cc` makes of these texts and arguments: that of an earlier run where one made it.

    Args:
        anew: a path where it is made in any case.
    """
    if anew is not None:
        make(anew)
        return anew
    store = shared()
    store.mkdir(parents=True, exist_ok=True)
    target = store / sha256("\0".join((_identity(), *parts)).encode()).hexdigest()
    if not target.exists():
        with TemporaryDirectory(dir=store, prefix="part-") as own:
            make(Path(own) / target.name)
            (Path(own) / target.name).replace(target)
    os.utime(target)
    return target


@cache
def _identity() -> str:
    """Changes with the programs of the compiler, with the kind of CPU, and with this one."""
    programs = [shutil.which("cc") or ""]
    for name in ("cc1", "as", "ld"):
        said = subprocess.run(["cc", f"-print-prog-name={name}"], capture_output=True, text=True, check=True)
        programs.append(shutil.which(said.stdout.strip()) or "")
    parts = [PROGRAM, EARLIER, cpu.identity()]
    for path in map(Path, programs):
        about = path.resolve().stat()
        parts += [str(path), str(about.st_size), str(about.st_mtime_ns)]
    return sha256("\0".join(parts).encode()).hexdigest()


def _tidy(store: Path) -> None:
    """Leave out what no run has taken for long."""
    store.mkdir(parents=True, exist_ok=True)
    for path in store.iterdir():
        # Another run may do the same.
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < time.time() - DAYS * 24 * 3600:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
