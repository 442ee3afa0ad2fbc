"""Instructions of PTX over terms: their values are those that numpy gives."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")

from hamlet_lab.proof.bounds import Bounds
from hamlet_lab.proof.meanings import Words
from hamlet_lab.proof.of_ir import UnprovenError
from hamlet_lab.proof.of_ptx import Thread
from hamlet_lab.proof.outside import Outside
from hamlet_lab.proof.term import Variable
from hamlet_lab.proof.terms import Arena
from hamlet_lab.ptx.parser import parse

KERNEL = """
.version 8.7
.target sm_90a
.address_size 64
.visible .entry step(
	.param .u64 .ptr .global .align 1 step_param_0,
	.param .u32 step_param_1
)
.reqntid 32
{{
	.reg .b16 	%rs<3>;
	.reg .b32 	%r<9>;
	.reg .b64 	%rd<9>;
	ld.param.b64 	%rd1, [step_param_0];
	ld.param.b32 	%r1, [step_param_1];
	{line}
	st.global.b32 [ %rd1 + 0 ], {{ %r2 }};
	ret;
}}
"""


def stored(line: str, least: int = 1) -> tuple[Words, Words, Words]:
    """What a kernel with a line stores, where, and its second argument, which is at least so much."""
    random = np.random.default_rng(7)
    words = random.integers(least, 2**31, 100).astype(np.uint32)
    places = (random.integers(1, 2**60, 100, np.uint64) << np.uint64(4)).astype(np.uint64)
    variables = [Variable("place", places, 0, 2**64 - 1), Variable("n", words, least, 2**31 - 1)]
    variables.append(Variable("before", np.zeros(100, np.uint32), 0, 0))
    variables.append(Variable("tid", random.integers(0, 32, 100, np.uint32), 0, 31))
    arena = Arena({each.name: each for each in variables}, lambda *_: False)
    place, n = arena.variable("place"), arena.variable("n")
    outside = Outside({place.number: ("word", 0)}, {("word", 0): arena.variable("before")}, {}, set(), {})
    Thread(arena, Bounds(arena), parse(KERNEL.format(line=line)), [place, n], outside).run()
    return np.broadcast_to(outside.words["word", 0].samples, 100), places, words


def test_both_halves_of_a_word_are_taken() -> None:
    high, places, _ = stored("mov.b64 \t{_, %r2}, %rd1;")
    assert (high == (places >> np.uint64(32)).astype(np.uint32)).all()
    low, places, _ = stored("mov.b64 \t{%r2, %r3}, %rd1;")
    assert (low == places.astype(np.uint32)).all()


def test_pairs_of_numbers_are_two_numbers() -> None:
    """A word that is made of two words is read half by half; a half that was not written, by nobody."""
    halved = "mov.b32 \t%r3, 0f3F000000;\n\tcvt.rn.f32.u32 \t%r4, %r1;\n\tmov.b64 \t%rd2, {%r4, %r3};\n\t"
    for line, scaled in (
        ("add.rn.f32x2 \t%rd3, %rd2, %rd2;\n\tmov.b64 \t{%r2, _}, %rd3;", 2),
        ("mov.b64 \t%rd4, {%r3, %r8};\n\tmul.rn.f32x2 \t%rd3, %rd2, %rd4;\n\tmov.b64 \t{%r2, _}, %rd3;", 0.5),
        ("sub.rn.f32x2 \t%rd3, %rd2, %rd2;\n\tmov.b64 \t{%r2, %r5}, %rd3;", 0),
    ):
        result, _, words = stored(halved + line)
        assert (result.view(np.float32) == words.astype(np.float32) * np.float32(scaled)).all()
    with pytest.raises(UnprovenError, match=r"mov\.b64 is not known"):
        stored("mov.b64 \t%rd2, {%r1, %r8};\n\tmov.b64 \t{%r3, %r2}, %rd2;")
    with pytest.raises(UnprovenError, match="was not written"):
        stored(f"{halved}add.rn.f32x2 \t%rd3, %rd2, %rd2;\n\tmov.b64 \t%rd4, %rd3;")


def test_what_is_divided_by_itself_is_1_where_it_is_not_0() -> None:
    one, _, _ = stored("div.s32 \t%r2, %r1, %r1;")
    assert (one == 1).all()
    with pytest.raises(UnprovenError, match=r"div\.s32 is not known"):
        stored("div.s32 \t%r2, %r1, %r1;", least=0)


def test_numbers_are_divided_where_none_is_below_0() -> None:
    quotient, _, words = stored("div.s32 \t%r2, %r1, 7;")
    assert (quotient == words // 7).all()
    for line in ("neg.s32 \t%r3, %r1;\n\tdiv.s32 \t%r2, %r3, 7;", "div.s32 \t%r2, %r1, -7;", "div.s32 \t%r2, %r1, 0;"):
        with pytest.raises(UnprovenError, match=r"div\.s32 is not known"):
            stored(line)


def test_a_product_is_divided_by_what_it_is_a_multiple_of() -> None:
    few = "and.b32 \t%r3, %r1, 255;\n\tadd.s32 \t%r4, %r3, 1;\n\tmul.lo.s32 \t%r5, %r4, 6;\n\t"
    six, _, _ = stored(f"{few}div.s32 \t%r2, %r5, %r4;")
    assert (six == 6).all()


def test_the_upper_half_of_a_product_of_short_words_is_taken() -> None:
    short = "cvt.u16.u32 \t%rs1, %r1;\n\tmul.hi.u16 \t%rs2, %rs1, -10347;\n\tcvt.u32.u16 \t%r2, %rs2;"
    result, _, words = stored(short)
    assert (result == ((words & 0xFFFF) * np.uint32(65536 - 10347)) >> 16).all()


def test_a_widened_word_is_the_number_of_the_word() -> None:
    wide = "cvt.u64.u32 \t%rd2, %r1;\n\t"
    number, _, words = stored(f"{wide}cvt.rn.f32.u64 \t%r2, %rd2;")
    assert (number.view(np.float32) == words.astype(np.float32)).all()
    with pytest.raises(UnprovenError, match=r"cvt\.rn\.f32\.u64 is not known"):
        stored("cvt.s64.s32 \t%rd2, %r1;\n\tcvt.rn.f32.u64 \t%r2, %rd2;")
    with pytest.raises(UnprovenError, match=r"cvt\.rn\.f32\.u64 is not known"):
        stored("cvt.rn.f32.u64 \t%r2, %rd1;")


@pytest.mark.parametrize("own", ["mov.u32 \t%r3, %tid.x;", "mov.u32 \t%r4, %tid.x;\n\tand.b32 \t%r3, %r4, 31;"])
def test_a_shuffle_of_the_own_thread_gives_what_it_has(own: str) -> None:
    shuffle = "shfl.sync.idx.b32 \t%r2, %r1, %r3, 31, -1;"
    result, _, words = stored(f"{own}\n\t{shuffle}")
    assert (result == words).all()
    for other in ("add.s32 \t%r3, %r3, 1;", "and.b32 \t%r3, %r3, 15;"):
        with pytest.raises(UnprovenError, match="what another thread has is not known"):
            stored(f"{own}\n\t{other}\n\t{shuffle}")
