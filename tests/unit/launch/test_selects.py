"""Selects that NVIDIA's assembler misreads are spelt so that it reads them right."""

from __future__ import annotations

import pytest

from hamlet.launch.gpu.selects import respelled

MISREAD = ("0f3F800000, 0f80000000", "0fBF800000, 0f80000000", "0f80000000, 0f3F800000", "0f80000000, 0fBF800000")
READ = ("0f3F800000, 0f00000000", "0f3E4CCCCD, 0f80000000", "0f00000000, 0f80000000", "%r1, 0f80000000")


@pytest.mark.parametrize("numbers", MISREAD)
@pytest.mark.parametrize("guard", ["", "@%p2 "])
def test_what_is_misread_becomes_a_select_of_words(numbers: str, guard: str) -> None:
    line = f"\t{guard}selp.f32 \t%r9, {numbers}, %p10;\n\tadd.rn.f32 \t%r3, %r9, 0f80000000;\n"
    assert respelled(line) == line.replace("selp.f32", "selp.b32").replace(numbers, numbers.replace("0f", "0x"))


@pytest.mark.parametrize("numbers", READ)
def test_everything_else_stays(numbers: str) -> None:
    line = f"\tselp.f32 \t%r9, {numbers}, %p10;\n\tadd.rn.f32 \t%r3, 0f3F800000, 0f80000000;\n"
    assert respelled(line) == line
