"""Philox and what is made of its words: known answers, a second implementation, and every target on edge words."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import torch
from plain_philox import NARROW, WIDE, draw_word, philox
from sequences import COUNTER, KEY, KNOWN, LANES, assert_same, expected, inputs, sequences, words_of

from hamlet.native.library import library
from hamlet.numbers.counters import EPISODE_DRAWS, LANE_DRAWS, WORLD_DRAWS
from hamlet.numbers.random import WORD, draw_words
from hamletc.ir.evaluate import evaluate
from hamletc.kernel.body import body
from hamletc.targets.c.alone import RUN, alone
from processes import Run


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_the_second_implementation_gives_the_known_answers(counter: str, key: str, words: str) -> None:
    assert philox(NARROW, words_of(counter), words_of(key)) == words_of(words)


def test_the_second_implementation_is_numpys_where_words_have_64_bits() -> None:
    drawn = random.Random(4)
    for _ in range(50):
        counter, key = ([drawn.getrandbits(64) for _ in range(count)] for count in (4, 2))
        generator = np.random.Philox(counter=np.array(counter, np.uint64), key=np.array(key, np.uint64))
        following = (sum(word << 64 * place for place, word in enumerate(counter)) + 1) % 2**256
        counted = [following >> 64 * place & (2**64 - 1) for place in range(4)]
        assert generator.random_raw(4).tolist() == philox(WIDE, counted, key)


def test_draw_words_are_those_of_the_counter() -> None:
    """Also where lanes and ticks wrap at 2**32, of seeds of 64 bits, and of the last block; of the draws of agents, of
    worlds, and at the beginning of episodes, whose numbers differ by lane."""
    drawn, lanes = random.Random(5), torch.tensor([0, 7, WORD, WORD + 8])
    for seed in (0, 1, 1 << 32, drawn.getrandbits(64)):
        for tick in (0, 13, WORD, (1 << 32) + 2):
            for block, stream in ((0, LANE_DRAWS), (1, WORLD_DRAWS), (70, EPISODE_DRAWS), (WORD, LANE_DRAWS)):
                times = torch.tensor([tick, tick + 1, tick, tick])
                for time in (tick, times) if stream == EPISODE_DRAWS else (tick,):
                    words = draw_words(lanes, time, block, stream, (seed & WORD, seed >> 32))
                    for number, word in enumerate(words):
                        assert word.tolist() == [
                            draw_word(seed, int(lane), int(when), 4 * block + number, stream)
                            for lane, when in zip(lanes, times if time is times else [tick] * 4, strict=True)
                        ]


def test_the_interpreter_knows_the_answers() -> None:
    given = inputs()
    want = expected(given)
    for lane, (_, _, words) in enumerate(KNOWN):
        assert [int(want[f"word{number}"][lane]) for number in range(4)] == words_of(words)
    for lane in range(LANES):
        counter, key = ([int(given[name][lane]) for name in names] for names in (COUNTER, KEY))
        assert [int(want[f"word{number}"][lane]) for number in range(4)] == philox(NARROW, counter, key)


def test_sequences_in_the_ir() -> None:
    given = inputs()
    assert_same(evaluate(sequences(), given, ()), expected(given))


@pytest.mark.parametrize("shape", ["number", "vector"])
def test_sequences_in_c(shape: Literal["number", "vector"]) -> None:
    given = inputs()
    want = expected(given)
    found = {name: np.zeros_like(values) for name, values in want.items()}
    arrays = [*(given[parameter.input] for parameter in body(sequences()).parameters), *found.values()]
    addresses = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    library(alone(sequences(), shape))[RUN](*addresses, ctypes.c_int64(LANES))
    assert_same(found, want)


@pytest.mark.parametrize("mode", ["interpreter", "ptx"])
def test_sequences_in_triton(mode: str, tmp_path: Path, run_program: Run) -> None:
    program = Path(__file__).with_name("on_triton.py")
    done = run_program(program, mode, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert done.stdout == f"{LANES} lanes equal\n"
