"""What kernels in C look like, where it decides how fast compilers make them."""

from __future__ import annotations

import platform
import re
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from built import build, compiler, header_folder

from hamletc.compilation import Compilation
from hamletc.compile import lower, optimise, specialise
from hamletc.lowering.plan import LIMITS
from hamletc.targets.c.emit import emit
from samples import sample, universe_of


def text(name: str) -> str:
    universe = sample(name)
    return emit(specialise(optimise(lower(universe)), "c").program, universe)


@pytest.fixture(scope="module")
def town() -> str:
    return text("town")


def test_rows_that_are_written_whole_ask_nothing_in_their_loops(town: str) -> None:
    body = town.partition("do_observe(hamlet_observed *rows")[2].partition("\n}")[0]
    heads = re.findall(r"if \((whole[^{]*)\) \{\n *for \(ix first_next", body)
    assert heads == ["whole && past", "whole", "whole && past", "whole"], heads
    repeated = body[body.index("if (whole && past)") :]
    assert {"true, true", "true, false", "false, false"} == set(re.findall(r"lane\), (\w+, \w+), 0x", repeated))


def test_bounds_are_one_operation(town: str) -> None:
    assert re.search(r"greater_vf32\(alike_vf32\(0x0\.0p\+0f\), \w+\)", town)
    assert re.search(r"lesser_vf32\(alike_vf32\(0x1\.0000000000000p\+0f\), \w+\)", town)


def test_who_counts_as_living_is_found_without_branches() -> None:
    (line,) = {each.strip() for each in text("queue").splitlines() if "living = (living +" in each}
    assert "|" in line
    assert "||" not in line


def test_many_rows_do_not_begin_in_the_same_places_of_caches(town: str) -> None:
    assert "#define SCATTERED" in text("ledger")
    assert "#define SCATTERED" not in town
    assert "* LANES" not in town


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the header reads intrinsics of x86 alone")
@pytest.mark.skipif(compiler() is None, reason="this machine has no C compiler")
def test_a_compiler_reads_a_part_of_the_intrinsics() -> None:
    # All of them are some 40,000 lines, which take a compiler as long as a small kernel.
    command = [
        *(compiler() or []),
        "-E",
        "-P",
        "-std=c99",
        "-march=haswell",
        "-DHAMLET_NARROW",
        str(header_folder() / "hamlet.h"),
    ]
    read = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert len(read.splitlines()) < 15_000


@pytest.mark.skipif(compiler() is None, reason="this machine has no C compiler")
def test_variables_of_authors_are_not_those_of_the_printer(tmp_path: Path) -> None:
    """What functions give, and what is taken of them, has names that no meter has."""
    names = ("result", "given", "i", "ix", "f32", "words", "lanes", "memset")
    meters = "".join(f"meter {name} = 1 {{ decay 0.01 * {other} }}\n" for name, other in pairwise(names))
    universe = universe_of(
        f"universe odd\nspace none\n{meters}meter memset = 1\naffordance x {{ instantly {{ result += 0.1 }} }}\n"
        "dies when result <= 0\nreward given\nobserve { meters }\n"
    )
    source = tmp_path / "odd.c"
    source.write_text(emit(lower(universe).program, universe))
    made = build(tmp_path / "odd.so", "-O0", "-fsyntax-only", "-Wno-error", source=source)
    assert made.returncode == 0, made.stderr


SHOWN = """
universe shown
space grid 4 x 8 { places stored }
inert allowed
meter a = 1 { decay 0.01 }
cells { state stone = chance(0.3)  wall when stone }
reward a
observe { window 0 of wall in view  window 1 of wall }
"""


def test_variants_of_a_function_have_names_that_no_other_has() -> None:
    universe = universe_of(SHOWN)
    compilation = Compilation.begin(universe, replace(LIMITS, window_rows=0)).run()
    code = emit(specialise(compilation, "c").program, universe)
    names = re.findall(r"^HAMLET_INLINE \w+ (do_observe_window_wall\w*)\(", code, re.MULTILINE)
    assert len(names) == len(set(names)) == 4
