"""A compiler of C for tests: GCC, told to do a third of its usual work.

It reads `hamlet.h` once for all kernels. Libraries are the same to the byte, since GCC takes what it has read only
where it would read the same again; tests/unit/native/test_precompiled.py compares. And helpers that are always inlined
it compiles once, and not wherever they are called. Bits depend neither on that nor on the level.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from hamlet.native.compilers import EXACT, HASTY, HEADER, NARROW, NATIVE, SHARED
from hamlet.native.library import LIBRARY, header

OPTIONS = "-Og", "-Dalways_inline=unused", HASTY
"""The headers of GCC spell its attribute with underscores: theirs stay as they are."""
FORMS = {"plain": (), "scattered": ("-DSCATTERED",)}
"""Macros that texts define before they include the header (`hamletc.targets.c.emit`)."""

LEARNING = "hamlet_train_"
"""The names of kernels of training begin so."""

PROGRAM = f"""#!/bin/sh
here={{here}}
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
exec cc "$@"
"""


def command(folder: Path) -> str:
    """The command of this compiler, for `HAMLET_CC`; what it needs is written into a new folder."""
    folder.mkdir(parents=True)
    (folder / HEADER).write_text(header(), encoding="utf-8")
    defines = [f"-D{name}={value}" for name, value in LIBRARY.items()]
    reading = ["cc", *OPTIONS, *NARROW, *EXACT, *SHARED, f"-march={NATIVE}", *defines, "-x", "c-header"]
    file, part = str(folder / HEADER), folder / "part"
    forms = (shlex.join([*reading, *macros, file, "-o", str(part / form)]) for form, macros in FORMS.items())
    program = folder / "cc"
    program.write_text(PROGRAM.format(here=shlex.quote(str(folder)), reading=" && ".join(forms)), encoding="utf-8")
    program.chmod(0o700)
    return shlex.join([str(program), *OPTIONS])
