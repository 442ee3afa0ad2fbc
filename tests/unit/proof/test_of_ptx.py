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


def test_what_is_divided_by_itself_is_1_where_it_is_not_0() -> None:
    one, _, _ = stored("div.s32 \t%r2, %r1, %r1;")
    assert (one == 1).all()
    with pytest.raises(UnprovenError, match=r"div\.s32 is not known"):
        stored("div.s32 \t%r2, %r1, %r1;", least=0)
    with pytest.raises(UnprovenError, match=r"div\.s32 is not known"):
        stored("div.s32 \t%r2, %r1, 7;")
