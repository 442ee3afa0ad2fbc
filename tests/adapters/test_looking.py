"""Pictures of worlds: they show what is there, and nothing where there is nothing."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable

import numpy as np
import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.env.view import marks
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_look.ground import DENSEST, Web, colour_of_things
from hamlet_look.letters import HEIGHT, WIDTH
from hamlet_look.pixels import letters
from hamlet_look.sheet import FAINT, HALO, INK, INKS, MARGIN, PAPER, WALL, colour, tinted
from hamlet_look.text import drawn

OFFICE = """
universe office
space grid map
map {{ {rows}  wall "#" }}
lifespan 90 ticks
clock 4 hours
meter rest = 1.0 {{ decay 0.3 }}
meter pay = 0.0
affordance Desk at (1, 1) open 1 .. 3 {{ instantly {{ pay += 0.5 }} }}
affordance Den at (2, 1) {{ instantly {{ rest += 0.1 }} }}
dies when rest <= 0
reward pay
observe {{ meters }}
"""
PLANE = """
universe plane
space continuous (-2 .. 8) x (0 .. 5) { step 1  reach 1 }
lifespan 90 ticks
meter rest = 1.0 { decay 0.01 }
affordance Desk at (8, 5) { instantly { rest += 0.1 } }
reward rest
observe { meters }
"""
NOWHERE = """
universe nowhere
space none
lifespan 90 ticks
world { meter price = 3 in 0 .. 9  rule rises: price += 1 }
meter rest = 1.0 { decay 0.01 }
affordance Desk { instantly { rest += 0.1 } }
reward rest + 0.1 * price
observe { meters }
"""
CAMP = """
universe camp
space grid {size} x {size}
lifespan 90 ticks
slots 4
item wood {{ lying 3 when position x == position y  can pick }}
cells {{
    meter moss = position x / {last}
    state burning = position y == 6
    rule burns: moss -= 0.01 when burning
    rule out: burning = false
}}
world {{ meter price = 3 in 0 .. 9  rule rises: price += 1 }}
state mood: glad sad = sad
rule cheers: wood > 0 -> mood = glad
affordance Shop at (1, 3) {{ open when price > 4  instantly {{ mood = glad }} }}
affordance Ghost at (5, 3) {{ appears when price > 4  instantly {{ mood = glad }} }}
affordance Bus {{ follows (0, 0), (7, 0)  instantly {{ mood = glad }} }}
reward if mood == glad then moss else 0.1
observe {{ state }}
"""
ERRANDS = """
universe errands
space graph { home - road - office  road - shop  shop -> lane -> home  starts home }
lifespan 90 ticks
meter rest = 1.0 { decay 0.01 }
affordance Bed at home { instantly { rest += 0.1 } }
affordance Desk at office { instantly { rest += 0.2 } }
reward rest
observe { position node  meters }
"""


@pytest.fixture
def made(compiled: Callable[[str], Module]) -> Callable[..., Env]:
    def make(text: str, agents: int = 1) -> Env:
        return hamlet.make(compiled(text), worlds=2, agents=agents, backend="interpreter", seed=1, quiet=True)

    return make


def office(size: int) -> str:
    rows = " ".join(f'"{"#" * size}"' if row == 0 else f'"{"." * size}"' for row in range(size))
    return OFFICE.format(size=size, rows=rows)


def put(env: Env, x: int, y: int) -> None:
    """Set all agents of world 1 down on a cell."""
    first = env.num_agents
    env.state["position"][:, first:] = torch.tensor([[x], [y]], dtype=env.state["position"].dtype)
    env.observe()


def test_text(made: Callable[..., Env], golden: Callable[..., None], request: pytest.FixtureRequest) -> None:
    env = made(office(5), agents=2)
    put(env, 1, 1)
    pictures = [drawn(env.view(1), colours=False)]
    # The desk opens at hour 1. One agent works there, the other walks into the wall above.
    for action in (env.action_names.index("WAIT"), env.action_names.index("INTERACT")):
        env.step([action, action, action, env.action_names.index("UP")])
    pictures.append(drawn(env.view(1), colours=False))
    for _ in range(2):
        env.step([env.action_names.index("WAIT")] * 4)
    pictures.append(drawn(env.view(1), colours=False))
    for text, agents in ((PLANE, 6), (NOWHERE, 1)):
        other = made(text, agents=agents)
        other.step([other.action_names.index("WAIT")] * 2 * agents)
        pictures.append(drawn(other.view(0), colours=False))
    golden(request.path.parent / "pictures.txt", "\n\n".join(pictures) + "\n")


def test_colours_change_no_letter(made: Callable[..., Env]) -> None:
    env = made(office(5), agents=2)
    coloured = env.render("ansi", world=1)
    assert isinstance(coloured, str)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == drawn(env.view(1), colours=False)
    assert coloured != drawn(env.view(1), colours=False)


@pytest.mark.parametrize("size", [8, 64])
def test_pixels(made: Callable[..., Env], size: int) -> None:
    env = made(office(size))
    put(env, 4, 5)
    picture = env.render("rgb_array", world=1)
    assert isinstance(picture, np.ndarray)
    cell = 48 if size == 8 else 8

    def at(x: float, y: float) -> tuple[int, ...]:
        return tuple(picture[MARGIN + int(y * cell), MARGIN + int(x * cell)].tolist())

    assert at(3.5, 0.5) == WALL
    # The desk is closed at first: its edge has its colour, and its middle has none. The den is open.
    assert at(1.5, 1.07 if size == 8 else 1.2) == colour(0)
    assert at(1.5, 1.5) == (255, 255, 255)
    assert at(2.5, 1.5) == colour(1)
    assert at(4.6, 5.6) == INK
    assert bool((picture == HALO).all(axis=2).any()) == (size == 64)
    env.step([env.action_names.index("WAIT")] * 2)
    opened = env.render("rgb_array", world=1)
    assert isinstance(opened, np.ndarray)
    assert opened.shape == picture.shape
    assert opened.shape[0] % 2 == opened.shape[1] % 2 == 0
    assert tuple(opened[MARGIN + int(1.5 * cell), MARGIN + int(1.5 * cell)].tolist()) == colour(0)


def test_what_cells_have_and_what_lies_there(
    made: Callable[..., Env], golden: Callable[..., None], request: pytest.FixtureRequest
) -> None:
    env = made(CAMP.format(size=8, last=7))
    wait = [env.action_names.index("WAIT")] * 2
    pictures = []
    for _ in range(3):
        pictures.append(drawn(env.view(1), colours=False))
        env.step(wait)
    graph = made(ERRANDS, agents=2)
    graph.step([graph.action_names.index("GO_road"), graph.action_names.index("INTERACT")] * 2)
    pictures.append(drawn(graph.view(1), colours=False))
    golden(request.path.parent / "pictures_of_cells.txt", "\n\n".join(pictures) + "\n")


@pytest.mark.parametrize("size", [8, 64])
def test_pixels_of_cells(made: Callable[..., Env], size: int) -> None:
    env = made(CAMP.format(size=size, last=size - 1))
    put(env, 3, 7)
    cell = 48 if size == 8 else 8

    def at(x: float, y: float) -> tuple[int, ...]:
        picture = env.render("rgb_array", world=1)
        assert isinstance(picture, np.ndarray)
        return tuple(picture[MARGIN + int(y * cell), MARGIN + int(x * cell)].tolist())

    right = size - 0.5
    moss, both = tinted(PAPER, INKS[0], DENSEST), tinted(tinted(PAPER, INKS[0], DENSEST), INKS[1], DENSEST)
    assert at(0.5, 2.5) == PAPER
    assert at(right, 2.5) == moss
    # What burns is covered by the second ink too; in the next tick nothing burns, and there is a hundredth less moss.
    assert at(right, 6.5) == both
    assert at(4.2, 4.85) == colour_of_things(0)
    assert at(1.5, 3.5) == PAPER
    for _ in range(2):
        env.step([env.action_names.index("WAIT")] * 2)
    assert at(right, 6.5) == tinted(PAPER, INKS[0], DENSEST * 0.99)
    # The shop is open now, and the ghost is there.
    assert at(1.5, 3.5) == colour(0)
    assert at(5.5, 3.5) == colour(1)


def test_pixels_of_a_graph(made: Callable[..., Env]) -> None:
    env = made(ERRANDS)
    picture = env.render("rgb_array", world=1)
    assert isinstance(picture, np.ndarray)
    ground = Web(env.view(1).board)  # type: ignore[arg-type]
    home, road, shop, lane = (ground._middle((number, 0.0)) for number in (0, 1, 3, 4))
    for one, other, line in ((home, road, FAINT), (shop, lane, INK)):
        x, y = ((a + b) / 2 for a, b in zip(one, other, strict=True))
        assert (picture[round(y) - 1 : round(y) + 2, round(x) - 1 : round(x) + 2] == line).all(axis=2).any()
    x, y = ((a + b) / 2 for a, b in zip(home, shop, strict=True))
    assert (picture[round(y) - 3 : round(y) + 4, round(x) - 3 : round(x) + 4] == PAPER).all()


@pytest.mark.parametrize("text", [PLANE, NOWHERE])
def test_other_spaces(made: Callable[..., Env], text: str) -> None:
    env = made(text, agents=3)
    picture = env.render("rgb_array")
    assert isinstance(picture, np.ndarray)
    assert (picture == INK).all(axis=2).sum() > 50
    assert (picture == FAINT).all(axis=2).sum() > 10


def test_figure(made: Callable[..., Env]) -> None:
    figure = made(office(5)).plot(world=1)
    names = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert names == ["rest  0..1", "pay  0..1"]
    # What a notebook asks for; it also survives a process.
    for each in (figure, pickle.loads(pickle.dumps(figure))):
        assert each._repr_png_()[:8] == b"\x89PNG\r\n\x1a\n"


def test_copies_of_an_affordance_look_alike(compiled: Callable[[str], Module]) -> None:
    text = """
universe alike
space grid 4 x 1
lifespan 10 ticks
meter energy = 1 { decay 0.01 }
affordance Bed at (0, 0), (3, 0) { instantly { energy += 0.5 } }
affordance Bar at (1, 0) { instantly { energy += 0.5 } }
reward energy
observe { meters }
"""
    view = hamlet.make(compiled(text), worlds=1, backend="interpreter").view()
    assert [(stand.name, stand.mark, stand.kind) for stand in view.stands] == [
        ("Bed 1", "B", 0),
        ("Bed 2", "B", 0),
        ("Bar", "A", 1),
    ]
    text += 'draw { affordance `Bed 2` "x"  affordance Bar "B" }'
    view = hamlet.make(compiled(text), worlds=1, backend="interpreter").view()
    assert [stand.mark for stand in view.stands] == ["E", "x", "B"]


def test_marks() -> None:
    assert marks(["Bed", "Bar", "HomeMeal", "hut", "42", "Bar"]) == ["B", "A", "H", "U", "C", "R"]
    many = marks([f"x{number}" for number in range(30)])
    assert len(set(many[:26])) == 26
    assert many[26:] == ["*"] * 4


def test_letters() -> None:
    assert letters("ab").shape == (HEIGHT, 2 * WIDTH)
    assert not letters(" ").any()
    assert np.array_equal(letters("\N{SNOWMAN}"), letters("?"))
    assert len({letters(chr(code)).tobytes() for code in range(33, 127)}) == 94


def test_what_is_wrong(made: Callable[..., Env]) -> None:
    env = made(NOWHERE)
    for call in (lambda: env.render("film"), lambda: env.render(world=2), lambda: env.view(-1), lambda: env.plot(9)):
        with pytest.raises(EnvError) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_notebooks(made: Callable[..., Env]) -> None:
    env = made(office(5))
    result = env.rollout(30)
    for thing in (env, env.universe, result, env.rollout(1, statistics=False)):
        assert "\n" not in repr(thing)
        assert len(repr(thing)) < 200
        html = thing._repr_html_()
        assert html.startswith("<table>")
        assert "script" not in html
        assert "office" in html
    assert "rest &lt;= 0" in env.universe._repr_html_()
