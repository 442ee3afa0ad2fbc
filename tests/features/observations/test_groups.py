"""Groups, images and discrete numbers: which values they are, what does not fit, and that kernels have none of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

import hamlet
from hamlet import schema
from hamlet.package.module import Module
from hamlet.universe import Universe
from hamlet.universe.codec import from_json, to_json
from hamlet.universe.members import UnsoundError
from hamlet.universe.sound import check_sound
from hamletc.checking.check import check
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from samples import universe_of

HEATH = """
universe heath
space grid map
map { "#####" "#...#" "#.L.#" "#####"  wall "#"  region lava "L" }
lifespan 20 ticks
meter fuel = 1 { decay 0.01  only falls }
state task: int in -1 .. 2 = integer(-1, 2)
state rain: no drizzle yes = no
cells {
    state ground: grass sand = grass
    meter moss = 0.5
    rule grows: moss += uniform(-0.1, 0.1)
    rule spreads: chance(0.1) -> ground = sand
}
rule tasks: chance(0.3) -> task = integer(-1, 2)
rule rains: rain = choice(no, drizzle, yes)
reward fuel - 0.1 when on lava
observe {
    image view { window 1 of wall  window 1 of lava  hot window 1 of ground }
    group body { meters  state task  cell }
    discrete place: 5 * position y + position x
    image board { hot grid of ground  grid of moss  grid }
    discrete rain
}
"""
ROLES = """
universe wolves
space grid 6 x 5
lifespan 30 ticks
meter food = 1 { decay 0.01  only falls }
cells { state ground: int in -1 .. 1 = integer(-1, 1)  rule turns: ground = integer(-1, 1) }
role wolf: 1 agent {
    state anger: int in 2 .. 400 = 3
    rule rages: anger = integer(2, 400)
    observe { discrete anger  image near { hot window 1 of ground } }
}
role hare: 2 agents {
    state fear: int in 0 .. 2 = 1
    rule fears: fear = integer(0, 2)
    observe { group own { hot fear } }
}
reward food
observe { group body { meters food  position relative } }
"""


def said(items: str, base: str = HEATH) -> list[str]:
    """The codes of what is wrong where these items are observed."""
    file, found = parse(re.sub(r"observe \{.*\n\}\n", f"observe {{ {items} }}\n", base, flags=re.DOTALL))
    assert file is not None
    return [each.code for each in found or check(file, ("heath.hamlet",))[1]]


@pytest.fixture(scope="module")
def heath() -> Universe:
    return universe_of(HEATH)


def test_groups_are_consecutive_values_with_a_shape(heath: Universe) -> None:
    found = [(each.name, each.kind, each.offset, each.shape) for each in schema.observation_groups(heath)]
    assert found == [
        ("view", "image", 0, (4, 3, 3)),
        ("body", "values", 36, (5,)),
        ("place", "discrete", 41, ()),
        ("board", "image", 42, (4, 4, 5)),
        ("rain", "discrete", 122, ()),
    ]


def test_channels_and_their_cells_are_named(heath: Universe) -> None:
    view, _, place, board, _ = schema.observation_groups(heath)
    assert view.channels == ("window.wall", "window.lava", "window.ground=grass", "window.ground=sand")
    assert board.channels == ("grid.ground=grass", "grid.ground=sand", "grid.moss", "grid")
    assert (place.low, place.high) == (0, 19)
    names = schema.observation_names(heath)
    assert (names[board.offset + 5 * 2 + 3], names[view.offset]) == ("grid.ground=grass[3,2]", "window.wall[-1,-1]")


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_views_show_the_cells(backend: str, compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(HEATH), worlds=16, seed=3, backend=backend)
    for _ in range(15):
        env.step(torch.randint(0, env.num_actions, (16,)))
        ground, moss = (env.meter(name).T.reshape(16, 4, 5) for name in ("ground", "moss"))
        board, view = env.grouped["board"], env.grouped["view"]
        assert torch.equal(board[:, 0], (ground == 0).float())
        assert torch.equal(board[:, 1], (ground == 1).float())
        assert torch.equal(board[:, 2], moss)
        x, y = env.state["position"].long()
        world = torch.arange(16)
        assert torch.equal(view[:, 3, 1, 1], (ground[world, y, x] == 1).float())
        assert torch.equal(view[:, 0, 0, 1], ((y == 1) | (y == 3)).float())
        assert torch.equal(env.grouped["place"], (5 * y + x).float())
    assert env.grouped["view"].untyped_storage().data_ptr() == env.observation.untyped_storage().data_ptr()


def test_kernels_are_those_without_groups(compiled: Callable[[str], Module]) -> None:
    plain = re.sub(r"(group|image) \w+ \{(.*?)\}", r"\2", HEATH)
    plain = plain.replace("discrete rain", "rains: rain == yes").replace("discrete place:", "place:")
    text = HEATH.replace("discrete rain", "group rains { rains: rain == yes }")
    one, other = (env_of(compiled(each)) for each in (plain, text))
    assert torch.equal(one, other)


def env_of(module: Module) -> torch.Tensor:
    env = hamlet.make(module, worlds=8, seed=2, backend="interpreter")
    env.rollout(7)
    assert env.observation is not None
    return env.observation


def test_roles_have_groups_of_their_own(compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(ROLES), worlds=4, seed=1, backend="interpreter")
    wolf, hare = env.roles["wolf"], env.roles["hare"]
    assert list(env.observation_groups) == list(env.grouped) == ["body"]
    assert [(each.name, each.shape) for each in wolf.observation_groups.values()] == [
        *(("body", (3,)), ("anger", ()), ("near", (3, 3, 3))),
    ]
    assert [(each.name, each.shape) for each in hare.observation_groups.values()] == [("body", (3,)), ("own", (3,))]
    env.step([0] * env.num_lanes)
    assert env.observation is not None
    anger = wolf.observation_groups["anger"].of(env.observation[wolf.lanes])
    assert torch.equal(anger, env.meter("wolf.anger")[wolf.lanes])


def test_the_package_keeps_them(heath: Universe) -> None:
    assert from_json(to_json(heath)) == heath
    assert from_json(to_json(universe_of(ROLES))) == universe_of(ROLES)


@pytest.mark.parametrize(
    ("groups", "message"),
    [(slice(0, 4), "of"), (slice(1, 5), "of")],
)
def test_groups_that_are_none_are_refused(heath: Universe, groups: slice, message: str) -> None:
    with pytest.raises(UnsoundError, match=message):
        check_sound(replace(heath, groups=heath.groups[groups]))


def test_forms_that_do_not_fit_are_refused(heath: Universe) -> None:
    for form in ("image", "discrete"):
        wrong = [replace(each, form=form) if each.name == "body" else each for each in heath.groups]
        with pytest.raises(UnsoundError, match="fit" if form == "image" else "discrete"):
            check_sound(replace(heath, groups=tuple(wrong)))


@pytest.mark.parametrize(
    ("items", "codes"),
    [
        ("group a { meters }  group b { state  cell }  image i { grid }", []),
        ("image i { grid  window 1 }  group a { meters  state  cell }", ["H282"]),
        ("image i { window 1 of wall  window 2 of lava }  group a { meters  state  cell }", ["H282"]),
        ("image i { grid  meters }  group a { state  cell }", ["H282"]),
        ("image i { grid }  meters  state  cell", ["H283"]),
        ("discrete task  meters  state rain  cell", ["H283"]),
        ("group a { grid }  image a { window 1 }  group b { meters  state  cell }", ["H024"]),
        ("group a { discrete task }  group b { meters  state rain  cell }", ["H009"]),
        ("group a { }  group b { meters  state  cell }", ["H014"]),
        ("discrete fuel  group a { state  cell }", ["H280"]),
        ("discrete x: fuel * 3  group a { meters  state  cell }", ["H280"]),
        ("discrete x: task + 20000000  group a { meters  state  cell }", ["H281"]),
        ("discrete x: 3  group a { meters  state  cell }", ["H064"]),
        ("hot grid of moss  meters  state  cell", ["H280"]),
        ("hot grid of ground  grid of ground  meters  state  cell", []),
        ("hot grid of lava  meters  state  cell", ["H021"]),
        ("group a { meters  meters fuel }  group b { state  cell }", ["H024"]),
    ],
)
def test_what_does_not_fit(items: str, codes: list[str]) -> None:
    assert said(items) == codes


def test_windows_of_hexagons_are_no_images() -> None:
    text = """
universe comb
space hexagons 4 x 3
lifespan 20 ticks
meter fuel = 1 { decay 0.01  only falls }
affordance Bed at (1, 1) { instantly { fuel -= 0.1 } }
reward fuel
observe {
}
"""
    assert said("image i { window 1 }  group a { meters }", text) == ["H282"]
    assert said("image i { grid }  group a { meters }", text) == []


@pytest.mark.parametrize("name", ['`a"b`', "`*/ {{ x }}`", "`${x}`", "group", "image", "discrete", "hot"])
def test_names_of_groups_are_only_names(name: str, compiled: Callable[[str], Module]) -> None:
    text = HEATH.replace("image view", f"image {name}").replace("discrete place", f"discrete {name.upper()}")
    env = hamlet.make(compiled(text), worlds=2, seed=1, backend="interpreter")
    assert list(env.grouped)[::2] == [name.strip("`"), name.upper().strip("`"), "rain"]


def test_the_formatter_keeps_them() -> None:
    text, problems = format_source(HEATH)
    assert problems == ()
    assert text.split("observe")[1] == HEATH.split("observe")[1]


@pytest.mark.parametrize("word", ["hot", "group", "image", "discrete"])
def test_words_give_way_to_declarations(word: str) -> None:
    text = f"""
universe words
space none
lifespan 20 ticks
meter {word} = 1 {{ decay 0.01 }}
meter other = 1 {{ decay 0.02 }}
action ACT {{ {word} += 0.1  other += 0.1 }}
reward {word} + other
observe {{ meters {word} other  {word}: 1 - {word} }}
"""
    assert schema.observation_names(universe_of(text)) == (f"meter.{word}", "meter.other", word)
