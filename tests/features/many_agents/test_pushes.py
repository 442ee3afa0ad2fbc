"""What agents push, beside the rule of docs/semantics.md in plain Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.language.formatter import format_source
from mistakes import errors_in
from samples import universe_of

YARD = """
universe yard

space grid 6 x 5 {{ edges {edges}  agents push crate{most}{order} }}
lifespan 25 ticks

state worth: int in 0 .. 2 = integer(0, 2)

cells {{
    state crate: int in -1 .. 2 = if chance(0.4) then integer(-1, 2) else 0
    state stone = chance(0.06)
    wall when stone
}}

affordance Post at random solid {{
    instantly {{ worth = integer(0, 2) }}
}}
action LEAP {{ move (2, 0) }}
action ASIDE {{ move (-1, 1) }}
actions UP DOWN LEFT RIGHT WAIT LEAP ASIDE

reward worth
observe {{ position absolute  state  grid of crate  grid }}
"""
STEPS = ((0, -1), (0, 1), (-1, 0), (1, 0), (0, 0), (2, 0), (-1, 1))
SIZES = (6, 5)
Cell = tuple[int, ...]


class Rule:
    """The rule for one world at the beginning of a tick."""

    def __init__(self, env: Env, world: int, most: int, edges: str) -> None:
        self.crates = env.meter("crate")[:, world].numpy().astype(int).reshape(5, 6)
        self.stones = env.meter("stone")[:, world].numpy().reshape(5, 6) > 0
        post = int(env.state["places"].reshape(-1, env.num_worlds)[0, world])
        self.post, self.most, self.wraps = (post % 6, post // 6), most, edges == "wrap"

    def along(self, cell: Cell, by: Cell) -> Cell | None:
        """The cell that is so much further; `None` beyond the edges."""
        x, y = cell[0] + by[0], cell[1] + by[1]
        if self.wraps:
            return x % 6, y % 5
        return (x, y) if 0 <= x < 6 and 0 <= y < 5 else None

    def goal(self, start: Cell, by: Cell) -> Cell:
        """Where a move leads, as if nobody were there and nothing lay there."""
        there = self.along(start, by)
        if there is None:
            there = min(max(start[0] + by[0], 0), 5), min(max(start[1] + by[1], 0), 4)
        return start if self.stones[there[::-1]] or there == self.post else there

    def line(self, start: Cell, goal: Cell) -> list[Cell]:
        """The cells that a push moves, and the one behind them; none where nothing gives way."""
        by, cells = (goal[0] - start[0], goal[1] - start[1]), [goal]
        while self.crates[cells[-1][::-1]]:
            after = self.along(cells[-1], by)
            if len(cells) > self.most or after is None or after in (start, self.post) or self.stones[after[::-1]]:
                return []
            cells.append(after)
        return cells


def after_moves(rule: Rule, here: list[Cell], steps: list[Cell], order: list[tuple[float, int]]) -> list[Cell]:
    """Where agents are after their moves, which also moves crates."""
    goals = [rule.goal(start, by) for start, by in zip(here, steps, strict=True)]
    claims = [rule.line(start, goal) if start != goal else [] for start, goal in zip(here, goals, strict=True)]
    there, pushes = list(here), []
    for a, cells in enumerate(claims):
        stays = not cells
        for b, other in enumerate(claims):
            shared = set(cells) & set(other) and max(len(cells), len(other)) > 1 and order[b] < order[a]
            stays = stays or (b != a and bool(shared or (len(cells) > 1 and here[b] == cells[-1])))
        if not stays:
            there[a] = cells[0]
            pushes.append(cells)
    for cells in pushes:
        for to, of in zip(cells[:0:-1], cells[-2::-1], strict=True):
            rule.crates[to[::-1]] = rule.crates[of[::-1]]
        if len(cells) > 1:
            rule.crates[cells[0][::-1]] = 0
    return there


@pytest.mark.parametrize("backend", ["interpreter", "c"])
@pytest.mark.parametrize(("edges", "most", "order"), [("clamp", 1, ""), ("wrap", 3, " to highest worth")])
def test_pushes_are_those_of_the_rule(
    edges: str, most: int, order: str, backend: str, compiled: Callable[[str], Module]
) -> None:
    module = compiled(YARD.format(edges=edges, most="" if most == 1 else f" up to {most}", order=order))
    env = hamlet.make(module, worlds=24, agents=5, backend=backend, quiet=True, seed=4)
    rng, pushed, stuck = np.random.default_rng(3), 0, 0
    for _ in range(50):
        numbers = rng.integers(0, len(STEPS), 120).astype(np.int32)
        position, worth = env.state["position"].numpy().copy(), env.meter("worth").numpy().copy()
        episodes, rules = env.state["episode"].clone(), [Rule(env, world, most, edges) for world in range(24)]
        env.step(numbers)
        for world, rule in enumerate(rules):
            lanes = range(world * 5, world * 5 + 5)
            here: list[Cell] = [(int(position[0, lane]), int(position[1, lane])) for lane in lanes]
            first = [(-float(worth[lane]) if order else 0.0, a) for a, lane in enumerate(lanes)]
            crates, steps = rule.crates.copy(), [STEPS[numbers[lane]] for lane in lanes]
            there = after_moves(rule, here, steps, first)
            if env.state["episode"][world] != episodes[world]:
                continue  # a new one has begun
            assert [tuple(env.state["position"][:, lane].tolist()) for lane in lanes] == there
            assert (env.meter("crate")[:, world].numpy().reshape(5, 6) == rule.crates).all()
            pushed += int((crates != rule.crates).sum())
            stuck += sum(a == b and by != (0, 0) for a, b, by in zip(here, there, steps, strict=True))
    assert pushed > 200
    assert stuck > 200


LANE = """
universe lane
space grid 7 {{ agents push box{} }}
lifespan 9 ticks
meter energy = 1 {{ move 0.25 }}
cells {{
    state box = position x >= 1 and position x <= 2
    meter seen = 0 in 0 .. 100
    rule notes: box and not previous(box) -> seen += 1
    rule sinks: box and position x == 4 -> box = false
}}
reward energy + 0.5 * velocity x
report crowd: count(box) over cells
observe {{ meters  ahead: 1 when box at (position x + 1)  grid of seen }}
"""


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_rules_and_rewards_see_what_is_pushed(backend: str, compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(LANE.format(" up to 2")), worlds=1, backend=backend, quiet=True)
    env.set("position", [[0]])
    right = env.action_names.index("RIGHT")
    _, reward, *_ = env.step([right])
    assert env.meter("box")[:, 0].tolist() == [0, 0, 1, 1, 0, 0, 0]
    assert reward.tolist() == [1.25], "who pushes moves, at the price of a move"
    assert env.meter("seen")[:, 0].tolist() == [0, 0, 0, 1, 0, 0, 0], "rules of cells know what was there before"
    env.step([right])
    assert env.meter("box")[:, 0].tolist() == [0, 0, 0, 1, 0, 0, 0], "the first one has sunk"
    assert env.observation[0, 1] == 1


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_what_does_not_give_way_is_as_a_wall(backend: str, compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(LANE.format("")), worlds=1, backend=backend, quiet=True)
    env.set("position", [[0]])
    right = env.action_names.index("RIGHT")
    _, reward, *_ = env.step([right])
    assert env.state["position"].tolist() == [[0]], "two in a row are too many"
    assert reward.tolist() == [0.75], "the move costs what it costs"
    assert not env.action_mask[0, right], "and its mask is off"


SINKING = """
universe sinking
space grid 6 x 4 { agents push box }
lifespan 30 ticks
cells {
    state box = chance(0.3)
    meter mud = 0 in 0 .. 99
    rule sinks: box and not previous(box) and position x > 3 -> { box = false  mud += 1 }
    rule drops: previous(box) and not box and position x == 0 -> mud += 1
}
reward total(mud) over cells - previous(total(mud) over cells)
observe { grid of box  grid of mud }
"""


def test_cells_sleep_where_nothing_is_pushed(compiled: Callable[[str], Module]) -> None:
    module, rows, sunk = compiled(SINKING), [], 0
    for backend in ("interpreter", "c"):
        env, rng, found = (
            hamlet.make(module, worlds=40, agents=2, backend=backend, quiet=True),
            np.random.default_rng(0),
            [],
        )
        for _ in range(40):
            _, reward, *_ = env.step(rng.integers(0, len(env.action_names), 80).astype(np.int32))
            found += [reward.clone(), env.meter("box").clone(), env.meter("mud").clone()]
            sunk += int(reward.sum())
        rows.append(found)
    assert sunk > 20
    assert all(torch.equal(a, b) for a, b in zip(*rows, strict=True))
    assert "_awake(" in code(SINKING)
    assert "_awake(" not in code(SINKING.replace("box and not previous(box)", "box"))


def code(text: str) -> str:
    """The kernels for CPUs of a universe."""
    return build(universe_of(text), Options(targets=("c",)), Stopwatch())["c_kernels.c"].decode()


PUSH = "agents push crate up to 2"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ((PUSH, "agents push stones"), ["H020"]),
        ((PUSH, "agents push worth"), ["H299"]),
        (("state crate: int in -1 .. 2", "meter crate"), ["H299"]),
        (("in -1 .. 2 = if chance(0.4) then integer(-1, 2) else 0", "in 1 .. 2 = 1"), ["H299"]),
        (("up to 2", "up to 9"), ["H325"]),
        (("up to 2", "up to 1.5"), ["H325"]),
        (("edges clamp  agents push crate up to 2", "edges wrap  agents push crate up to 4"), ["H326"]),
        (("wall when stone", "wall when stone or crate > 0"), ["H327"]),
        (("wall when stone", "wall when stone and crate > 0"), []),
        ((PUSH, f"{PUSH} to highest agent  agents block to highest worth"), ["H328"]),
        ((PUSH, f"{PUSH}  agents block to highest worth"), []),
        ((PUSH, f"{PUSH} to highest 2"), ["H294"]),
        ((PUSH, f"{PUSH}  {PUSH}"), ["H024"]),
        ((PUSH, "agents pull crate"), ["H009"]),
        (("LEAP { move (2, 0) }", "LEAP { worth = 1 when count(worth == 2) > 1  move (worth, 0) }"), ["H295"]),
    ],
)
def test_what_is_wrong(change: tuple[str, str], expected: list[str]) -> None:
    text = YARD.format(edges="clamp", most=" up to 2", order="")
    assert change[0] in text
    codes = errors_in(text.replace(*change))
    assert codes[: len(expected) or None] == expected


def test_somebody_moves_on_something_with_directions() -> None:
    text = LANE.format("")
    assert errors_in(text.replace("lifespan", "actions WAIT\nlifespan"))[:1] == ["H298"]
    graph = "space graph { nodes a b c d e  a - b - c - d - e  agents push box }"
    assert errors_in(text.replace("space grid 7 { agents push box }", graph))[:1] == ["H194"]


def test_names_in_backticks_are_data(compiled: Callable[[str], Module]) -> None:
    name = "`x\"'*/ {{ }} \\n`"
    text = (
        LANE.format("").replace("state box", f"state {name}").replace(" box", f" {name}").replace("(box)", f"({name})")
    )
    env = hamlet.make(compiled(text), worlds=1, backend="c", quiet=True)
    env.step([env.action_names.index("RIGHT")])


def test_the_formatter_keeps_it() -> None:
    text, _ = format_source(YARD.format(edges="clamp", most=" up to   3", order=" to highest -worth+agent"))
    assert "space grid 6 x 5 { edges clamp  agents push crate up to 3 to highest -worth + agent }" in text
