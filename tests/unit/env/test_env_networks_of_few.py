"""Networks as policies where agents have few actions, or one at a time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hamlet.package.module import Module
from unit.env.test_env_networks import check_rollout

ONE = """
universe one
space none
actions FIRST SECOND THIRD FOURTH
lifespan 9 ticks
state which: int in 0 .. 5 = integer(0, 5)
meter paid = 0 in 0 .. 100
action FIRST { paid += 1 }
action SECOND { paid += 3 }
action THIRD { paid += 9 }
action FOURTH { paid += 27 }
allow FIRST when which == 0 or which == 5
allow SECOND when which == 1 or which == 5
allow THIRD when which == 2 or which == 5
allow FOURTH when which == 3 or which == 5
rule changes: which = mod(which + 1, 6)
reward paid
observe { meters  state which }
"""


@pytest.mark.parametrize("backend", ["interpreter", "c"])
@pytest.mark.parametrize("sample", [True, False])
def test_the_only_action_that_is_allowed_is_taken(
    compiled: Callable[[str], Module], backend: str, sample: bool
) -> None:
    """Each of them, in turn, and any where none is."""
    met = check_rollout(compiled(ONE), backend, 8, worlds=40, sample=sample)
    assert met["actions"] == 4


@pytest.mark.parametrize("actions", [1, 2, 3])
def test_heads_of_few_rows(compiled: Callable[[str], Module], actions: int) -> None:
    """Those of less than half a vector are computed by kernels of their own."""
    names = [f"ACT{number}" for number in range(actions)]
    text = f"universe few{actions}\nspace none\nactions {' '.join(names)}\nlifespan 6 ticks\n"
    text += "meter paid = 0.5 { decay 0.01 }\n"
    text += "".join(
        f"action {name} {{ paid {'+-'[number % 2]}= 0.{number + 1} }}\n" for number, name in enumerate(names)
    )
    check_rollout(compiled(f"{text}reward paid\nobserve {{ meters }}\n"), "c", 5, worlds=45)
