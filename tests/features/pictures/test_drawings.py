"""`draw`: what pictures show, and that nothing else heeds it."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet.universe.codec import CodecError, from_json, to_json
from hamlet.universe.drawings import COLOURS
from hamlet_look.ground import ground_of
from hamlet_look.text import drawn
from hamletc.compile import lower
from hamletc.ir.text import print_program
from hamletc.page.picture import recorded
from samples import universe_of

CODES = re.compile(r"\x1b\[[0-9;]*m")
SHORE = """
universe shore
space grid map
map { "..~." "#..~" wall "#" region water "~" }
lifespan 30 ticks
world {
    state heron: int in 0 .. 9 = 2
    state tide: int in 0 .. 3 = 1
    rule walks: heron += 1
    rule ebbs: tide = mod(tide + 1, 4)
}
cells {
    state ground: grass mud = if on water then mud else grass
    meter shells = 0.5 when on water
    rule wash: shells -= 0.1
    rule dries: chance(0.01) -> ground = grass
}
role crab: 1 agent { meter shell = 0.3  rule grow: shell += 0.01  reward shell }
role gull: 2 agents { meter hunger = 0.5 { decay -0.01 }  reward -hunger }
meter energy = 1 { decay 0.01 }
affordance Nest: 2 copies at (3, 0), (1, 1) { instantly { energy += 0.1 } }
reward energy + 0.1 when here == Nest
observe { meters  cell shells ground  state heron tide }
"""
DRAW = """
draw {
    agents in gold
    role crab "C" in red
    affordance Nest "n" in brown
    region water in sky
    wall in navy
    cell shells in pink
    cell ground mud in tan
    mark (heron, tide) "H" in grey when heron < 9
    mark (position x, position y) in white when gull
    line (0, 0) to (heron, 0) in blue
    gauges energy heron
}
"""
CART = """
universe cart
space none
lifespan 30 ticks
meter place = 0 in -3 .. 3
meter angle = 0.5 in -1 .. 1
action PUSH { place += 0.5  angle -= 0.1 }
reward angle
observe { meters }
draw {
    canvas (-2 .. 2) x (0 .. 1)
    mark (place, 0.5) "\N{RACING CAR}" in navy
    line (place, 0.5) to (place + sin(angle), 9) in brown
}
"""


def fits(env: Env, mode: str = "ansi") -> str:
    """The text of world 0 without its colours."""
    return CODES.sub("", str(env.render(mode)))


@pytest.fixture
def made(compiled: Callable[[str], Module]) -> Callable[..., Env]:
    def make(text: str, **arguments: int) -> Env:
        return hamlet.make(compiled(text), worlds=1, backend="interpreter", seed=1, quiet=True, **arguments)

    return make


def placed(env: Env, *places: tuple[int, int]) -> Env:
    """The environment with its agents at these cells."""
    for agent, place in enumerate(places):
        for axis, x in enumerate(place):
            env.state["position"][axis, agent] = x
    return env


def test_kernels_are_the_same_with_a_drawing() -> None:
    with_it, without = universe_of(SHORE + DRAW), universe_of(SHORE)
    assert with_it.drawings
    assert with_it.undrawn() == without
    texts = [print_program(lower(each).program) for each in (with_it, without)]
    assert texts[0] == texts[1]


def test_text_shows_letters_marks_and_lines(made: Callable[..., Env]) -> None:
    env = placed(made(SHORE + DRAW), (1, 0), (0, 0), (3, 1))
    lines = fits(env).split("\n")
    assert [line[:10] for line in lines[2:4]] == ["|o1*C* n |", "|##n H o2|"]
    assert [bar.name for bar in env.view().players[1].meters] == ["energy"]
    assert [bar.name for bar in env.view().meters] == ["heron"]


def test_agents_show_the_meters_of_their_role(made: Callable[..., Env]) -> None:
    bars = [[bar.name for bar in player.meters] for player in made(SHORE).view().players]
    assert bars == [["crab.shell", "energy"], ["gull.hunger", "energy"], ["gull.hunger", "energy"]]


def test_agents_aside_are_beside_the_board_alone(made: Callable[..., Env]) -> None:
    aside = DRAW.replace("agents in gold", "agents in gold  agents aside")
    view = placed(made(SHORE + aside), (1, 0), (0, 0), (3, 1)).view()
    assert [each.at for each in view.players] == [None] * 3
    assert [each.colour for each in view.players[1:]] == [COLOURS["gold"]] * 2
    universe = universe_of(SHORE + aside)
    assert from_json(to_json(universe)) == universe


HERD = """
universe herd
space grid 5 x 5 { moves turning }
state heading: north east south west = south
role sheep: 4 agents {
    begins with 2
    rule breeds: chance(0.01) -> spawn sheep
}
meter energy = 1 { decay 0.1 }
dies when energy <= 0
reward energy
observe { meters  state  position relative }
"""


def test_pictures_show_where_agents_face_and_nobody_unborn(made: Callable[..., Env]) -> None:
    env = made(HERD)
    players = env.view().players
    assert [each.facing for each in players] == [(0.0, 1.0)] * 4
    assert [each.at is None for each in players] == [False, False, True, True]
    before = np.asarray(env.render("rgb_array"))
    env.set("heading", 0)
    assert env.view().players[0].facing == (0.0, -1.0)
    assert (np.asarray(env.render("rgb_array")) != before).any()


def test_pictures_show_thin_walls(made: Callable[..., Env]) -> None:
    text = """
universe hall
space grid map
map { "..." "..." wall between (0, 0) (1, 0), (2, 0) (2, 1) }
lifespan 9 ticks
meter energy = 1 { decay 0.1 }
reward energy
observe { position relative }
"""
    env, plain = made(text), made(text.replace("wall between (0, 0) (1, 0), (2, 0) (2, 1)", ""))
    board = env.view().board
    assert board is not None
    assert board.thin == (((0, 0), (1, 0)), ((2, 0), (2, 1)))
    assert (np.asarray(env.render("rgb_array")) != np.asarray(plain.render("rgb_array"))).any()


@pytest.mark.parametrize(
    ("cats", "mice", "shown"),
    [
        (6, 1, ["cat 0", "cat 1", "cat 2", "mouse 0"]),
        (1, 6, ["cat 0", "mouse 0", "mouse 1", "mouse 2"]),
        (1, 1, ["cat 0", "mouse 0"]),
    ],
)
def test_each_role_is_among_those_that_are_told_of(
    cats: int, mice: int, shown: list[str], made: Callable[..., Env]
) -> None:
    text = f"""\
universe house
space none
lifespan 9 ticks
role cat: {cats} agents {{ meter hunger = 0.5 {{ decay 0.1 }}  observe {{ meters }} }}
role mouse: {mice} agents {{ meter fear = 0.5 {{ decay 0.2 }}  observe {{ meters }} }}
reward 1
"""
    view = made(text).view(0)
    assert [player.name for player in view.some(4)] == shown
    text = drawn(view, colours=False)
    assert [name for name in ("cat 0", "cat 3", "mouse 0", "mouse 4") if f" {name}  " in text] == [
        name for name in ("cat 0", "cat 3", "mouse 0", "mouse 4") if name in shown
    ]


def test_view_says_looks(made: Callable[..., Env]) -> None:
    view = placed(made(SHORE + DRAW), (1, 0), (0, 0), (3, 1)).view()
    assert [(each.name, each.mark, each.colour) for each in view.players] == [
        ("crab 0", "C", COLOURS["red"]),
        ("gull 0", "1", COLOURS["gold"]),
        ("gull 1", "2", COLOURS["gold"]),
    ]
    assert {(each.mark, each.colour) for each in view.stands} == {("n", COLOURS["brown"])}
    assert view.board is not None
    assert dict(view.board.tints) == {"#": COLOURS["navy"], "~": COLOURS["sky"]}
    assert [(each.name, each.colour, each.mean) for each in view.layers] == [
        ("ground mud", COLOURS["tan"], 0.25),
        ("shells", COLOURS["pink"], 0.125),
    ]
    # Of marks of agents there is one for each that is alive and for which the condition holds.
    assert [(each.at, each.letter) for each in view.marks] == [((2.0, 1.0), "H"), ((0.0, 0.0), ""), ((3.0, 1.0), "")]
    (line,) = view.lines
    assert (line.begin, line.end) == ((0.0, 0.0), (2.0, 0.0))


def test_marks_leave_with_their_condition_and_off_the_board(made: Callable[..., Env]) -> None:
    env = made(SHORE + DRAW)
    herons = []
    for _ in range(9):
        view = env.view()
        herons.append(sum(each.letter == "H" for each in view.marks))
        assert max(line.end[0] for line in view.lines) <= 3.0
        env.rollout(1)
    # The tide is 1, 2, 3, 0, ...: rows 2 and 3 are off the board, as are columns from 4 on.
    assert herons == [1, 0, 0, 0, 0, 0, 0, 0, 0]


def test_pixels_have_the_colours(made: Callable[..., Env]) -> None:
    plain, drawn = made(SHORE), made(SHORE + DRAW)
    before, after = (placed(env, (1, 0), (0, 0), (2, 0)).render("rgb_array") for env in (plain, drawn))
    assert isinstance(before, np.ndarray)
    assert isinstance(after, np.ndarray)

    def shows(pixels: np.ndarray, colour: str) -> bool:
        return bool((pixels == np.array(COLOURS[colour], np.uint8)).all(axis=-1).any())

    for colour in ("gold", "brown", "navy", "tan", "grey", "white"):
        assert shows(after, colour), colour
        assert not shows(before, colour), colour
    # Without a drawing each role has a colour of its own.
    assert shows(before, "blue")
    assert shows(before, "red")


LOCK = """
universe lock
space grid map
map {
    "#####"
    "#.D.#"
    "#vvs#"
    wall "#"
    starts "s"
    region doorway "D"
    region vault "v"
    region inside ".vs"
}
lifespan 30 ticks
slots 1
item coin { lying 1 when (position x == 1 and position y == 1) }
cells {
    state door: none open shut = if on doorway then shut else none
    state jammed = on vault
    meter dust = 1 when (position x == 3 and position y == 1)
    wall when door == shut
    rule oils: jammed = false
    rule opens: door == shut -> door = open
    rule settles: dust -= 0.5
}
reward nothing
observe {
    position relative  window 1 of door  window 1 of dust  window 1 of jammed  items  window 1 of coin
    window 1 of inside
}
draw {
    region vault "$" in gold
    region inside ","
    cell jammed "j"
    cell dust "\N{DASH SYMBOL}"
    cell door shut "D" in brown
    cell door open "o"
    item coin "c"
}
"""


def test_cells_and_regions_have_letters(made: Callable[..., Env]) -> None:
    """Of what is there now: of things first, then of the last layer, else of the first region."""
    env, rows = made(LOCK), []
    for _ in range(3):
        rows.append([line.split("|")[1] for line in fits(env).split("\n")[3:5]])
        env.rollout(1, [[env.action_names.index("WAIT")]])
    assert rows == [
        ["##c D \N{DASH SYMBOL}##", "##j j ,@##"],
        ["##c o \N{DASH SYMBOL}##", "##$ $ ,@##"],
        ["##c o , ##", "##$ $ ,@##"],
    ]
    universe = universe_of(LOCK)
    assert from_json(to_json(universe)) == universe


TRAIL = """
universe trail
space grid 4 x 1 { starts when position x == 3 }
lifespan 9 ticks
cells {
    state steps: int in 0 .. 100 = position x
    meter scent = 0.04 * position x
    rule fades: scent += 0.001
}
action STAY { steps += 1 }
reward steps + scent
observe { position relative }
draw { cell LAYER "o" }
"""


@pytest.mark.parametrize(("layer", "row"), [("steps", ".oo"), ("scent", "..o")])
def test_a_whole_number_above_the_lowest_has_its_letter(made: Callable[..., Env], layer: str, row: str) -> None:
    """However many there can be; other numbers are shown from a 16th on."""
    text = fits(made(TRAIL.replace("LAYER", layer))).split("\n")
    shown = next(line for line in text if line.startswith("|"))
    assert shown[1:7:2].replace(" ", ".") == row


def test_letters_are_in_pixels(made: Callable[..., Env]) -> None:
    """Dark on light colours and light on dark ones; an emoji is the first letter of the name. Agents are above."""
    view = made(LOCK).view()
    assert view.board is not None
    ground = ground_of(view.board, view.layers)
    written = [stroke[3:] for stroke in recorded(lambda sheet: ground.paint(view, sheet)) if stroke[0] == "write"]
    dark, light = "#1e1e22", "#ffffff"
    assert written == [[",", dark], ["D", light], ["D", dark], ["j", light], ["j", light], [",", dark]]


def test_what_is_drawn_of_cells_is_seen_on_drawn_walls(made: Callable[..., Env]) -> None:
    """Stones that differ look different, and the rest of the walls like walls."""
    text = """
universe quarry
space grid 3 x 2
lifespan 30 ticks
meter energy = 1 { decay 0.01 }
cells {
    state stone: none ore rock = if position x == 0 then ore else if position x == 1 then rock else none
    wall when stone != none
}
reward energy
observe { meters  window 1 of wall  window 1 of stone }
draw { cell stone ore in gold }
"""
    drawn, plain = made(text), made(text.replace("draw { cell stone ore in gold }", ""))
    pictures = [np.asarray(env.render("rgb_array")).reshape(-1, 3) for env in (drawn, plain)]
    assert (pictures[0] == COLOURS["gold"]).all(axis=1).sum() > 100
    grey, all_grey = ((each == (84, 86, 94)).all(axis=1).sum() for each in pictures)
    assert 0 < grey < all_grey
    hashes, all_hashes = (CODES.sub("", str(env.render())).count("#") for env in (drawn, plain))
    assert all_hashes - hashes == 4


def test_a_canvas_is_the_board_of_a_universe_without_a_space(made: Callable[..., Env]) -> None:
    env = made(CART)
    view = env.view()
    assert view.board is not None
    assert (view.board.low, view.board.size) == ((-2.0, 0.0), (4.0, 1.0))
    # y grows upwards, and a line that leaves the board ends at its edge.
    assert view.marks[0].at == (0.0, 0.5)
    (line,) = view.lines
    assert line.begin == (0.0, 0.5)
    assert line.end[1] == 0.0
    assert 0.0 < line.end[0] < 0.1
    assert "\N{RACING CAR}" in fits(env)
    assert all(len(row) <= len(fits(env).split("\n")[1]) for row in fits(env).split("\n")[2:4])
    env.step([env.action_names.index("PUSH")])
    assert env.view().marks[0].at == (0.5, 0.5)
    assert "PUSH" in fits(env)


def test_the_last_action_is_known(made: Callable[..., Env]) -> None:
    env = made(CART)
    assert env.view().players[0].action == ""
    env.step([2])
    assert env.view().players[0].action == env.action_names[2]
    # The random policy's actions are drawn once more.
    env.rollout(3)
    watched = hamlet.make(env.module, worlds=1, backend="interpreter", seed=1, quiet=True)
    watched.step([2])
    lived = watched.rollout(3, watch=[0]).trajectories
    assert lived is not None
    assert env.view().players[0].action == env.action_names[int(lived.actions[-1, 0])]
    env.rollout(2, [[0], [1]])
    assert env.view().players[0].action == env.action_names[1]
    env.reset()
    assert env.view().players[0].action == ""


def test_drawings_survive_their_package() -> None:
    universe = universe_of(SHORE + DRAW)
    assert from_json(to_json(universe)) == universe


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"colour": "gold"', '"colour": "gilt"'),
        ('"letter": "H"', '"letter": "HERON"'),
        ('"of": "wall"', '"of": "role"'),
        ('"names": ["energy", "heron"]', '"names": ["energy", "osprey"]'),
    ],
)
def test_a_package_of_wrong_drawings_is_refused(old: str, new: str) -> None:
    text = to_json(universe_of(SHORE + DRAW))
    assert old in text
    with pytest.raises(CodecError):
        from_json(text.replace(old, new))


def test_names_of_any_letters_are_drawn(made: Callable[..., Env]) -> None:
    name = "x\"*/{{ }} \\ '#"
    text = CART.replace("place", f"`{name}`").rstrip().removesuffix("}") + f"    gauges `{name}`\n}}\n"
    env = made(text)
    assert [bar.name for bar in env.view().players[0].meters] == [name]
    assert name[:5] in fits(env)
    assert env.render("rgb_array") is not None
