"""Agents and roles in windows and grids: how many are on each cell, and what they have, as docs/semantics.md says."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamletc.compile import check_file
from hamletc.errors import SourceError
from hamletc.frontend import Stopwatch

WIDTH, HEIGHT = 5, 4
WOLVES, SHEEP = 3, 4
HUNT = """universe {name}
space grid {width} x {height} {{ moves turning  edges {edges} }}
lifespan {lifespan} ticks
role wolf: {wolves} agents {{ meter hunger = uniform(0, 1) }}
role sheep: {sheep} agents {{ meter fat = uniform(0, 1)  dies when fat < 0.2 and age > 2 }}
{rest}
rule drift: move (integer(-1, 1), integer(-1, 1))
reward nothing
inert allowed
observe {{ {shown} }}
"""
STEPS = {"east": (1, 0), "south": (0, 1), "west": (-1, 0), "north": (0, -1)}
BACKENDS = ("interpreter", "c")


def hunt(shown: str, name: str = "hunt", rest: str = "", edges: str = "clamp", lifespan: int = 50) -> str:
    """A universe whose agents observe this."""
    sizes = {"width": WIDTH, "height": HEIGHT, "wolves": WOLVES, "sheep": SHEEP}
    return HUNT.format(name=name, shown=shown, rest=rest, edges=edges, lifespan=lifespan, **sizes)


@pytest.fixture(scope="module")
def world(compiled: Callable[[str], Module]) -> Callable[..., Env]:
    """Two worlds."""

    def made(text: str, backend: str = "interpreter", **settings: str) -> Env:
        return hamlet.make(compiled(text), worlds=2, backend=backend, quiet=True, seed=5, **settings)

    return made


def rows_of(env: Env, prefix: str) -> torch.Tensor:
    """The rows of an item, [rows, worlds, agents]."""
    numbers = [number for number, name in enumerate(env.observation_names) if name.startswith(f"{prefix}[")]
    return env.observation.view(-1, len(env.observation_names))[:, numbers].T.reshape(len(numbers), 2, -1)


def totals(env: Env, world: int, terms: Sequence[float]) -> dict[tuple[int, int], float]:
    """What the agents of a world on each cell come to, of those that are alive; in f32, one after the other."""
    position, alive = env.state["position"], env.state["alive"]
    sums: dict[tuple[int, int], torch.Tensor] = {}
    agents = WOLVES + SHEEP
    for agent, term in enumerate(terms):
        lane = world * agents + agent
        if alive[lane]:
            cell = int(position[0, lane]), int(position[1, lane])
            sums[cell] = sums.get(cell, torch.tensor(0.0)) + torch.tensor(term, dtype=torch.float32)
    return {cell: float(total) for cell, total in sums.items()}


def ticks(env: Env, count: int) -> None:
    """So many random ticks."""
    drawn = random.Random(7)
    for _ in range(count):
        env.step(torch.tensor([drawn.randrange(3) for _ in range(2 * (WOLVES + SHEEP))], dtype=torch.int32))


WINDOWS = (
    "window 1 of wolf  window 2 of agents  grid of sheep  window 1 of fed: total(fat)  "
    "window 1 of mood: average(hunger)  window 1 of few: min(count(wolf and hunger > 0.5), 2)"
)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("ran", [0, 1, 9])
def test_windows_show_who_is_alive_on_each_cell(world: Callable[..., Env], backend: str, ran: int) -> None:
    env = world(hunt(WINDOWS), backend=backend)
    env.reset()
    ticks(env, ran)
    meters, agents = env.state["meters"], WOLVES + SHEEP
    names = [meter.name for meter in env.universe.meters]
    hunger, fat = (meters[names.index(name)].view(2, agents).tolist() for name in ("wolf.hunger", "sheep.fat"))
    met = 0
    for number in range(2):
        is_wolf = [agent < WOLVES for agent in range(agents)]
        everybody = totals(env, number, [1.0] * agents)
        shown = {
            "window.wolf": totals(env, number, [float(wolf) for wolf in is_wolf]),
            "window.agents": everybody,
            "window.fed": totals(env, number, fat[number]),
            "window.few": totals(
                env, number, [float(w and h > 0.5) for w, h in zip(is_wolf, hunger[number], strict=True)]
            ),
        }
        shown["window.few"] = {cell: min(total, 2.0) for cell, total in shown["window.few"].items()}
        summed = totals(env, number, hunger[number])
        shown["window.mood"] = {
            cell: float(torch.tensor(total) / torch.tensor(everybody[cell])) for cell, total in summed.items()
        }
        met += sum(total > 1 for total in everybody.values())
        for agent in range(agents):
            x, y = (int(axis) for axis in env.state["position"][:, number * agents + agent])
            for name, total in shown.items():
                radius = 2 if name == "window.agents" else 1
                around = [(x + r, y - f) for f in range(radius, -radius - 1, -1) for r in range(-radius, radius + 1)]
                expected = [total.get(cell, 0.0) for cell in around]
                assert rows_of(env, name)[:, number, agent].tolist() == expected, (name, agent)
        sheep = totals(env, number, [float(not wolf) for wolf in is_wolf])
        expected = [sheep.get((x, y), 0.0) for y in range(HEIGHT) for x in range(WIDTH)]
        assert rows_of(env, "grid.sheep")[:, number, 0].tolist() == expected
    assert met or ran == 0, "nobody shared a cell"


def extremes(
    env: Env, world: int, terms: Sequence[float], best: Callable[[list[float]], float]
) -> dict[tuple[int, int], float]:
    """The least or the greatest number of the agents of a world on each cell, of those that are alive."""
    position, alive, found = env.state["position"], env.state["alive"], dict[tuple[int, int], list[float]]()
    for agent, term in enumerate(terms):
        lane = world * len(terms) + agent
        if alive[lane]:
            found.setdefault((int(position[0, lane]), int(position[1, lane])), []).append(term)
    return {cell: best(numbers) for cell, numbers in found.items()}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("ran", [0, 1, 9])
def test_windows_show_the_least_and_the_greatest_of_each_cell(
    world: Callable[..., Env], backend: str, ran: int
) -> None:
    shown = "window 2 of least: lowest((hunger - 0.5) when wolf)  window 1 of most: highest(fat - 1)"
    env = world(hunt(shown, "extremes"), backend=backend)
    env.reset()
    ticks(env, ran)
    meters, agents = env.state["meters"], WOLVES + SHEEP
    names = [meter.name for meter in env.universe.meters]
    hunger, fat = (meters[names.index(name)].view(2, agents) for name in ("wolf.hunger", "sheep.fat"))
    shared = 0
    for number in range(2):
        of_wolves = torch.where(torch.arange(agents) < WOLVES, hunger[number] - 0.5, 0.0).tolist()
        least = extremes(env, number, of_wolves, min)
        most = extremes(env, number, (fat[number] - 1).tolist(), max)
        shared += len(least) < int(env.state["alive"].view(2, agents)[number].sum())
        for agent in range(agents):
            x, y = (int(axis) for axis in env.state["position"][:, number * agents + agent])
            for name, radius, found in (("window.least", 2, least), ("window.most", 1, most)):
                around = [(x + r, y - f) for f in range(radius, -radius - 1, -1) for r in range(-radius, radius + 1)]
                expected = [found.get(cell, 0.0) for cell in around]
                assert rows_of(env, name)[:, number, agent].tolist() == expected, (name, agent)
    assert shared or ran == 0, "nobody shared a cell"


@pytest.mark.parametrize("backend", BACKENDS)
def test_windows_that_turn_show_agents_as_one_faces_them(world: Callable[..., Env], backend: str) -> None:
    env = world(
        hunt("window 3 x 3 ahead of wolf  state  window 1 of others: count(true) own 7", "turns"), backend=backend
    )
    env.reset()
    ticks(env, 5)
    agents = WOLVES + SHEEP
    headings = list(STEPS)
    for number in range(2):
        wolves = totals(env, number, [float(agent < WOLVES) for agent in range(agents)])
        for agent in range(agents):
            lane = number * agents + agent
            x, y = (int(axis) for axis in env.state["position"][:, lane])
            heading = headings[int(env.state["meters"][[m.name for m in env.universe.meters].index("heading"), lane])]
            dx, dy = STEPS[heading]
            cells = [(x + f * dx - r * dy, y + f * dy + r * dx) for f in (2, 1, 0) for r in (-1, 0, 1)]
            seen = rows_of(env, "ahead.wolf")[:, number, agent].tolist()
            assert seen == [wolves.get(cell, 0.0) for cell in cells]
            assert rows_of(env, "window.others")[4, number, agent] == 7.0


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_set_by_name_is_seen_at_once(world: Callable[..., Env], backend: str) -> None:
    env = world(hunt("window 1 of wolf  window 1 of fed: total(fat when sheep)", "placed"), backend=backend)
    env.reset()
    env.set("position", (2, 2), worlds=[0])
    env.observe()
    assert rows_of(env, "window.wolf")[4, 0].tolist() == [float(WOLVES)] * (WOLVES + SHEEP)
    env.set("sheep.fat", 0.5, worlds=[0])
    env.observe()
    assert rows_of(env, "window.fed")[4, 0].tolist() == [0.5 * SHEEP] * (WOLVES + SHEEP)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_last_observation_shows_whom_the_lifespan_ends(world: Callable[..., Env], backend: str) -> None:
    env = world(hunt("grid of wolf  grid of sheep", "last", lifespan=4), backend=backend)
    env.reset()
    ticks(env, 3)
    agents = WOLVES + SHEEP
    alive = env.state["alive"].view(2, agents)[:, WOLVES:].sum(dim=1)
    _, _, _, truncated, info = env.step(torch.zeros(2 * agents, dtype=torch.int32))
    assert bool(truncated.view(2, agents)[:, :WOLVES].all())
    last = info["final_observation"].view(2 * agents, -1)
    cells = WIDTH * HEIGHT
    for number in range(2):
        assert last[number * agents, :cells].sum() == WOLVES
        assert last[number * agents, cells:].sum() == alive[number]
        assert env.observation.view(2 * agents, -1)[number * agents, cells:].sum() == SHEEP


def test_backends_agree_over_episodes(world: Callable[..., Env]) -> None:
    text = hunt(WINDOWS, "agreeing", lifespan=6)
    one, other = (world(text, backend=backend) for backend in BACKENDS)
    one.reset()
    other.reset()
    for tick in range(20):
        actions = torch.tensor([(3 * tick + lane) % 3 for lane in range(2 * (WOLVES + SHEEP))], dtype=torch.int32)
        one.step(actions)
        other.step(actions)
        assert torch.equal(one.observation, other.observation)
        assert torch.equal(one.state["cell_meters"], other.state["cell_meters"])


def test_worlds_larger_than_a_chunk_are_seen_whole(compiled: Callable[[str], Module]) -> None:
    text = """universe herd
space grid 30 x 30
lifespan 3 ticks
meter fat = uniform(0, 1)
rule drift: move (integer(-1, 1), integer(-1, 1))
reward nothing
inert allowed
observe { window 29 of agents  window 1 of fed: total(fat)
    window 1 of thin: lowest(fat)  window 1 of wide: highest(fat) }
"""
    made = [hamlet.make(compiled(text), worlds=1, agents=600, backend=each, quiet=True, seed=2) for each in
            ("interpreter", "c")]  # fmt: skip
    for env in made:
        env.reset()
    for _ in range(4):
        for env in made:
            env.step(torch.zeros(600, dtype=torch.int32))
        one, other = (env.observation.view(600, -1) for env in made)
        assert torch.equal(one, other)
        at = made[0].state["position"]
        middle = (at[0] == 15) & (at[1] == 15)
        assert bool((one[middle][:, : 59 * 59].sum(dim=1) >= 500).all())


@pytest.mark.parametrize(
    ("shown", "code"),
    [
        ("window 1 of most: highest(fat, hunger)", "H030"),
        ("window 1 of rank: rank(wolf, fat)", "H332"),
        ("window 1 of near: count(distance to Bed < 2)", "H333"),
        ("window 1 of here: count(here == Bed)", "H333"),
        ("window 1 of wolfs", "Did you mean `wolf`"),
        ("grid of sheeps", "Did you mean `sheep`"),
    ],
)
def test_what_is_not_counted_on_cells_is_refused(tmp_path: Path, shown: str, code: str) -> None:
    file = tmp_path / "hunt.hamlet"
    file.write_text(hunt(shown, rest="affordance Bed at random { instantly { fat += 0.1 } }"), encoding="utf-8")
    with pytest.raises(SourceError, match=code):
        check_file(file, Stopwatch())


def test_ages_in_windows_begin_with_0(world: Callable[..., Env]) -> None:
    """So a condition that holds after each tick, and not before the first one, decides something."""
    text = hunt("window 1 of later: count(age > 0)", "ages").replace(
        "reward nothing\ninert allowed", "reward total(hunger)"
    )
    env = world(text)
    env.reset()
    assert not env.observation.any()
    env.step(torch.zeros(2 * (WOLVES + SHEEP), dtype=torch.int32))
    assert env.observation.sum() >= WOLVES


def test_a_role_whose_name_is_a_text_is_shown(world: Callable[..., Env]) -> None:
    odd = 'wolf\'; DROP "{{ x }}" */ # -- /*'
    text = hunt("window 1 of `wolf`", "odd").replace("role wolf", f"role `{odd}`").replace("`wolf`", f"`{odd}`")
    one, other = (world(text, backend=backend) for backend in BACKENDS)
    one.reset()
    other.reset()
    assert torch.equal(one.observation, other.observation)
    assert one.observation.sum() >= WOLVES
