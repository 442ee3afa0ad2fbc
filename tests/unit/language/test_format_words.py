"""Names that are words of the language, in every place of an expression: what is formatted says the same again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hamletc.language import words
from hamletc.language.formatter import format_source

GRAMMAR = Path(words.__file__).with_name("grammar.lark").read_text(encoding="utf-8")
WORDS = sorted({*re.findall(r'"([a-z_]+)"', GRAMMAR), *words.RESERVED, *words.MEANINGS, *words.CALLS, *words.PLACES})
BEGINNING = "universe u\nspace grid 3 x 3\nlifespan 9 ticks\n"
PLACES = {
    "list of actions": "actions B `WORD`\naction B { }\n",
    "over": "reward total(1) over `WORD` in 0 .. 3\n",
    "window": "observe { window 2 of `WORD`  meters  grid of `WORD` }\n",
    "draw": 'draw { cell `WORD` in red  agents "A" in blue }\n',
    "observed": "observe { group `WORD` { meters }  state `WORD` a  params  `WORD`: 1 }\n",
    "declared": "role `WORD`: 2 agents { meter `WORD` = 1 }\nlet `WORD` = 1\nreport `WORD`: 1\n",
    "table": "table `WORD` { 0 1 2 }\nreward `WORD`[0]\n",
    "reward": "reward `WORD`\n",
    "arith": "reward 2 * `WORD` - `WORD`\n",
    "lead": "reward `WORD` * 2 + `WORD`\n",
    "cond": "reward 1 when `WORD`\n",
    "cmp": "reward 1 when `WORD` > 0\n",
    "fn": "let `WORD`(a) = a\nreward `WORD`(2)\n",
    "assign": "rule r: `WORD` += 0.1\n",
    "assign0": "rule r: `WORD` = `WORD`\n",
    "total": "reward total(`WORD` when (`WORD` > 0))\n",
    "guard": "rule r: `WORD` > 0 -> `WORD` = 1\n",
    "two": "rule r { `WORD` = 1  `WORD` = 2 }\n",
    "at": "reward `WORD` at (1, 2)\n",
    "of": "reward `WORD` of other\n",
    "obs": "observe { state `WORD`  `WORD`: 1 }\n",
    "param": "param `WORD` = 1 in 0 .. 2\n",
    "cell": "cells { state `WORD` = true  rule a: `WORD` = not `WORD` }\n",
    "needs": "action A { needs `WORD` >= 0.1  `WORD` += 1 }\n",
    "range": "meter m = 1 in 0 .. 2\nrule r: m = if `WORD` then `WORD` else `WORD`\n",
    "opt": "state s: `WORD` b = `WORD`\nrule r: s = `WORD`\n",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_name_that_is_a_word_stays_a_name(place: str) -> None:
    formatted = 0
    for word in WORDS:
        text, _ = format_source(BEGINNING + PLACES[place].replace("WORD", word))
        if text is not None:
            formatted += 1
            assert format_source(text)[0] == text, word
    assert formatted > 100
