"""What LLVM makes of the town's kernels: vectors of 32-bit numbers, nothing contracted, no memory from the heap."""

from __future__ import annotations

import re

import pytest
from crowded import compiled

from hamlet.launch.cpu.compile_ahead import launches
from hamlet.launch.cpu.kernels import JustInTime
from hamlet.launch.cpu.ops.objects import texts
from samples import sample


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """LLVM's instructions and the assembly of `rollout`, compiled here and now."""
    module = compiled(sample("town"), tmp_path_factory.mktemp("town") / "town")
    kernels = module.kernels("numba")
    (_, values), *_ = launches(module, JustInTime(kernels), ("float32",))
    return texts(kernels.rollout, values, "rollout")


def tick_block(instructions: str) -> str:
    """The instructions between two labels with the most floating-point arithmetic: the loop that holds the tick."""
    blocks = re.split(r"^\S.*:.*$", instructions, flags=re.MULTILINE)
    return max(blocks, key=lambda block: len(re.findall(r"= f(?:add|sub|mul|div) ", block)))


def test_the_tick_is_a_loop_over_vectors(code: tuple[str, str]) -> None:
    tick = tick_block(code[0])
    widths = {int(width) for width in re.findall(r"fadd <(\d+) x float>", tick)}
    assert widths, "no vector addition"
    assert min(widths) >= 4
    for operation in (r"fmul <\d+ x float>", r"fdiv <\d+ x float>", r"add <\d+ x i32>", r"icmp \w+ <\d+ x i32>"):
        assert re.search(operation, tick), operation
    assert not re.search(r"= f(add|sub|mul|div) float ", tick), "scalar arithmetic in the tick"
    assert not re.search(r"(add|mul|icmp \w+) <\d+ x i64>", tick), "integers were widened"


def test_nothing_is_contracted_or_relaxed(code: tuple[str, str]) -> None:
    instructions, assembly = code
    assert not re.search(r"llvm\.fma|llvm\.fmuladd", instructions)
    assert not re.search(r"\bf(add|sub|mul|div) (fast|contract|reassoc|arcp|nnan|ninf|nsz)\b", instructions)
    assert not re.search(r"\bvfn?m(add|sub)|\bfn?m(add|sub|la|ls)\b", assembly)
    assert not re.search(r"\bv?r(cp|sqrt)(14|28)?[ps]s\b", assembly)


def test_nothing_is_allocated(code: tuple[str, str]) -> None:
    assert not re.search(r"call .*(NRT_MemInfo_alloc|NRT_Allocate|@malloc)", code[0])
