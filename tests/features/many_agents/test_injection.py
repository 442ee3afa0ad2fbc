"""Names of what a world has reach generated code as identifiers alone: however they read, the code is the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import pytest

from hamlet.universe import Universe
from hamletc.lowering import lower
from hamletc.lowering.plan import CPU
from hamletc.targets.c.emit import emit as in_c
from hamletc.targets.triton.emit import emit as in_triton
from samples import universe_of

TEXT = """
universe shop
space none
lifespan 9 ticks
meter hunger = 0.5
world {
    meter @stock = 3 in 0 .. 9
    meter @rain = 0
    kept meter @spare = uniform(0, 1)
    rule @sale: @stock -= count(used == @shop)
    rule @shower: @rain = if chance(0.5) then 1 else 0
}
stages { @easy -> @hard when @stock > 5  @hard -> @easy when @spare > 0.5 }
rule harder: stage == @hard -> hunger += @spare
affordance @shop { capacity @stock to highest hunger + @rain  instantly { hunger -= 0.1 } }
table @demand { 1 2 3 }
rule hungrier: hunger += 0.01 * average(hunger * @rain) + 0.01 * @demand[mod(age, 3)]
reward @said: total(hunger)
observe { meters  world @stock @rain }
"""
ODD = (
    '"""); import os; os.abort() #',
    "'); boom('",
    "{{ 7 * 7 }}{% raw %}",
    "\\",
    "import",
    "tl.load(x)",
    "ends # here",
)


def named(name: Callable[[str], str]) -> Universe:
    """The universe with other names."""
    words = TEXT.split("@")
    return universe_of(
        words[0] + "".join(f"`{name(word)}`{word.lstrip('abcdefghijklmnopqrstuvwxyz')}" for word in words[1:])
    )


def first(word: str) -> str:
    """The name that a text begins with."""
    return word[: len(word) - len(word.lstrip("abcdefghijklmnopqrstuvwxyz"))]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("target", ["c", "triton"])
def test_odd_names_change_no_code(target: str, odd: str) -> None:
    plain, strange = named(first), named(lambda word: f"{first(word)}{odd}")
    assert strange.world is not None
    assert strange.world.meters[0].name == f"stock{odd}"
    code = code_in_c if target == "c" else code_of_triton
    assert code(strange) == code(plain)


def code_of_triton(universe: Universe) -> list[str]:
    """The kinds of nodes of the text."""
    text = in_triton(lower(universe), universe)
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert not names & {"boom", "os"}
    return [type(node).__name__ for node in ast.walk(ast.parse(text))]


def code_in_c(universe: Universe) -> list[str]:
    """The tokens of the text, with every word and number as `word`: draws have numbers of their names."""
    text = in_c(lower(universe, CPU), universe)
    bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    tokens: list[str] = re.findall(r"\w+|[^\w\s]", bare)
    assert not {"boom", "os"} & set(tokens)
    return ["word" if token[0] == "_" or token[0].isalnum() else token for token in tokens]
