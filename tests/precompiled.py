"""A compiler of C for tests: GCC, which takes as long to read `hamlet.h` as to compile what kernels make of it, and so
reads it once for all of them.

Libraries are the same to the byte: GCC takes what it has read only where it would read the same again, and
tests/unit/native/test_precompiled.py compares.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from hamlet.native.compilers import EXACT, HEADER, NARROW, NATIVE, SHARED
from hamlet.native.library import LIBRARY, header

LEVEL = "-Og"
"""Bits do not depend on the level, and this one takes GCC half of the time."""
FORMS = {"plain": (), "scattered": ("-DSCATTERED",)}
"""Macros that texts define before they include the header (`hamletc.targets.c.emit`)."""

PROGRAM = f"""#!/bin/sh
here={{here}}
if cmp -s {HEADER} "$here/{HEADER}"; then
    # Whoever comes first reads the header for all; others do not wait for that.
    if mkdir "$here/begun" 2>/dev/null; then
        mkdir "$here/part" && {{reading}} && mv "$here/part" "$here/{HEADER}.gch"
    fi
    [ -d "$here/{HEADER}.gch" ] && ln -s "$here/{HEADER}.gch" {HEADER}.gch
fi
exec cc "$@"
"""


def command(folder: Path) -> str:
    """The command of this compiler, for `HAMLET_CC`; what it needs is written into a new folder."""
    folder.mkdir(parents=True)
    (folder / HEADER).write_text(header(), encoding="utf-8")
    defines = [f"-D{name}={value}" for name, value in LIBRARY.items()]
    reading = ["cc", LEVEL, *NARROW, *EXACT, *SHARED, f"-march={NATIVE}", *defines, "-x", "c-header"]
    file, part = str(folder / HEADER), folder / "part"
    forms = (shlex.join([*reading, *macros, file, "-o", str(part / form)]) for form, macros in FORMS.items())
    program = folder / "cc"
    program.write_text(PROGRAM.format(here=shlex.quote(str(folder)), reading=" && ".join(forms)), encoding="utf-8")
    program.chmod(0o700)
    return shlex.join([str(program), LEVEL])
