"""Nothing that a file says reaches generated code but checked numbers and mangled names: here each name of things,
copies, stages, cells, states, regions, moving affordances and roles looks like code that ends what it stands in."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import pytest

from hamlet.package.module import Module

CAMP = r'''
universe hostile

space hexagons map
map {
    "....."
    ".fff."
    "....."
    region `"); raise SystemExit #` "f"
}
lifespan 60 ticks
clock 3 hours

slots 3

item `'); raise SystemExit #1` {
    carried 1
    lying 1 when chance(0.3)
    wear 3
    can pick drop give
    use { `"""; raise SystemExit #2` += 0.1 }
}

meter `"""; raise SystemExit #2` = 0.5 { decay 0.01 }
state `x\n; raise SystemExit #3`: `a'); raise SystemExit #` `b"); raise SystemExit #` = `a'); raise SystemExit #`

world {
    kept state `wins"""); raise SystemExit #`: int in 0 .. 9 = 0
    rule `law''; raise SystemExit #`: `wins"""); raise SystemExit #` += count(used == `Bush"); raise SystemExit #`)
}
stages {
    `easy'); raise SystemExit #` -> `hard'); raise SystemExit #` when `wins"""); raise SystemExit #` >= 3
}
cells {
    state `burns'); raise SystemExit #` = chance(0.1)
    meter `moss"); raise SystemExit #` = 0.1
    rule `out); raise SystemExit #`: `burns'); raise SystemExit #` = neighbours(`moss"); raise SystemExit #`) > 0.2
    rule `grow); raise SystemExit #`: `moss"); raise SystemExit #` += 0.01
}
affordance `Bush"); raise SystemExit #`: 2 copies at random in `"); raise SystemExit #` {
    per agent state `visits'); raise SystemExit #`: int in 0 .. 5 = 0
    wanders every 2 ticks
    appears when hour < 2
    instantly { `visits'); raise SystemExit #` += 1  wear `'); raise SystemExit #1` }
    action `SHAKE'); raise SystemExit #` { `"""; raise SystemExit #2` += 0.1 }
}
rule `jumps'); raise SystemExit #`: rising(`"""; raise SystemExit #2` > 0.6) ->
    `x\n; raise SystemExit #3` = `b"); raise SystemExit #`
reward `pays"""); raise SystemExit #`: `"""; raise SystemExit #2` +
    (0.1 when stage == `hard'); raise SystemExit #`) +
    0.01 * (total(`moss"); raise SystemExit #`) over cells)
observe { meters  items  state  cell  window 1 of `"); raise SystemExit #` }
'''
GUILD = r"""
universe guild
space graph {
    `a"); raise SystemExit #` - b - c - d
    region `'); raise SystemExit #0` { `a"); raise SystemExit #` c }
    starts in `'); raise SystemExit #0`
}
lifespan 60 ticks
meter m = 0.5 { decay 0.01 }
affordance Inn at random { instantly { m += 0.1 } }
affordance Mill at b { instantly { m += 0.2 } }
role `smith'); raise SystemExit #`: 1 agent {
    slots 4
    item `axe"); raise SystemExit #` { carried 1  wear 3  use { m += 0.1 }  can give }
    reward `axe"); raise SystemExit #`
    observe { items }
}
role other: others
rule r: on `'); raise SystemExit #0` -> m -= 0.001
reward m
observe { meters  position node }
"""


@pytest.mark.parametrize("text", [CAMP, GUILD])
def test_names_that_look_like_code_stay_names(text: str, compiled: Callable[..., Module]) -> None:
    assert text.count("SystemExit") > 5
    sources = compiled(text, "triton").sources
    assert b"SystemExit" in sources["tick.ir"], "comments name what a line came from"
    for node in ast.walk(ast.parse(sources["triton_kernels.py"])):
        assert not isinstance(node, ast.Raise)
        assert not (isinstance(node, ast.Name) and node.id == "SystemExit")
        assert not (isinstance(node, ast.Constant) and "SystemExit" in str(node.value))
    in_c = sources["c_kernels.c"].decode()
    assert "SystemExit" in in_c
    assert not re.search(r"\b(raise|SystemExit)\b", re.sub(r"/\*.*?\*/", "", in_c, flags=re.DOTALL))


@pytest.mark.parametrize("ending", ["*/ {} /*", "*/*/ {}", "/*/ {} //", "*/ {} ??/"])
def test_names_that_look_like_the_end_of_a_comment_end_none(ending: str, compiled: Callable[..., Module]) -> None:
    text = GUILD.replace("raise SystemExit #", ending.format("raise SystemExit"))
    assert text.count("SystemExit") > 5
    code = compiled(text).sources["c_kernels.c"].decode()
    assert "raise SystemExit" in code, "comments name what a line came from"
    assert "raise SystemExit" not in re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
