"""Births: agents of a role come and go within an episode. Who waits is given to mothers by rank, on every backend."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.universe.codec import from_json, to_json
from hamletc.checking.check import check
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from samples import universe_of

FOLD = """
universe fold
space grid 20 x 1
lifespan 60 ticks
param herd = 3 in 1 .. 6
role sheep: 6 agents {
    begins with herd
    meter energy = uniform(0.2, 0.3) in 0 .. 1
    state mood: calm wild = calm
    action BREED { energy = 0.5  spawn sheep { energy = energy + 0.01 * position x  mood = wild } }
    action DIE { energy = 0 }
    dies when energy <= 0
    reward 1
}
role dog: 2 agents {
    respawns after 3 ticks
    meter hunger = 0 in 0 .. 1
    action BARK { hunger = 1 }
    action CALL { spawn sheep { energy = 0.9  mood = calm } }
    dies when hunger >= 1
    reward count(sheep)
}
actions RIGHT WAIT BREED DIE BARK CALL
observe { position relative }
role sheep { observe { meters  state mood } }
role dog { observe { meters } }
"""
RIGHT, WAIT, BREED, DIE, BARK, CALL = range(6)
BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "c"])


def made(folder: Path, backend: str, text: str = FOLD, worlds: int = 2, **settings: object) -> hamlet.Env:
    path = folder / f"{text.split()[1]}.hamlet"
    path.write_text(text, encoding="utf-8")
    return hamlet.make(hamlet.compile(path), worlds=worlds, seed=5, backend=backend, **settings)


def act(env: hamlet.Env, *actions: int) -> tuple[torch.Tensor, ...]:
    """Reward, terminated, truncated of a tick, [worlds, agents]."""
    _, *found, _ = env.step(torch.tensor(actions * env.num_worlds, dtype=torch.int32))
    return tuple(each.view(env.num_worlds, env.num_agents) for each in found)


def of_first_world(env: hamlet.Env, name: str) -> list[float]:
    values = env.state[name] if name in env.state else env.meter(name)
    return [round(float(x), 4) for x in values.view(-1, env.num_worlds, env.num_agents)[0, 0]]


def alive(env: hamlet.Env) -> str:
    return "".join("#" if lives else "." for lives in of_first_world(env, "alive"))


def place(env: hamlet.Env, *x: int) -> None:
    env.state["position"].copy_(torch.tensor([x * env.num_worlds], dtype=torch.int32))


@BACKENDS
def test_the_first_that_waits_is_the_child_of_the_first_that_asks(tmp_path: Path, backend: str) -> None:
    env = made(tmp_path, backend)
    assert alive(env) == "###...##"
    place(env, 1, 2, 3, 9, 9, 9, 7, 8)
    act(env, BREED, WAIT, BREED, BREED, BREED, WAIT, WAIT, CALL)
    assert alive(env) == "########"  # who is not alive asks for nobody
    assert of_first_world(env, "sheep.energy")[:6] == [
        0.5,
        *of_first_world(env, "sheep.energy")[1:2],
        0.5,
        0.51,
        0.53,
        0.9,
    ]
    assert of_first_world(env, "sheep.mood")[:6] == [0, 0, 0, 1, 1, 0]
    assert of_first_world(env, "position")[:6] == [1, 2, 3, 1, 3, 8]
    assert of_first_world(env, "age") == [1, 1, 1, 0, 0, 0, 1, 1]
    act(env, BREED, BREED, *[WAIT] * 6)
    assert alive(env) == "########"  # and there is no room for more


@BACKENDS
def test_numbers_are_given_again_and_lives_are_counted_one_by_one(tmp_path: Path, backend: str) -> None:
    env = made(tmp_path, backend)
    assert act(env, DIE, BREED, *[WAIT] * 6)[1][0].tolist() == [True, *[False] * 7]
    assert alive(env) == ".###..##"  # the child takes a number that waited when the tick began
    act(env, WAIT, BREED, *[WAIT] * 6)
    assert alive(env) == "####..##"
    assert of_first_world(env, "episode_return") == [0, 2, 2, 1, 0, 0, 6, 6]
    assert of_first_world(env, "age") == [0, 2, 2, 1, 0, 0, 2, 2]


@BACKENDS
def test_a_mother_that_ends_in_the_tick_has_no_child(tmp_path: Path, backend: str) -> None:
    text = FOLD.replace("dies when energy <= 0", "dies when energy <= 0 or mood == wild").replace(
        "action BREED { energy = 0.5", "action BREED { mood = if position x > 5 then wild else calm  energy = 0.5"
    )
    env = made(tmp_path, backend, text)
    place(env, 1, 9, 3, 9, 9, 9, 7, 8)
    act(env, WAIT, BREED, BREED, *[WAIT] * 5)
    assert alive(env) == "#.#.#.##"  # the first that waits was to be the child of the second sheep


@BACKENDS
def test_a_dog_comes_back_after_it_has_missed_three_ticks(tmp_path: Path, backend: str) -> None:
    env = made(tmp_path, backend)
    place(env, 1, 2, 3, 9, 9, 9, 7, 8)
    act(env, *[WAIT] * 6, BARK, WAIT)
    seen = []
    for _ in range(4):
        act(env, *[WAIT] * 8)
        seen.append(alive(env)[6:])
    assert seen == [".#", ".#", "##", "##"]
    assert of_first_world(env, "age")[6] == 1
    assert of_first_world(env, "dog.hunger")[6] == 0
    assert of_first_world(env, "position")[6] == 7


@BACKENDS
def test_a_world_begins_anew_at_its_lifespan_and_when_nobody_is_left(tmp_path: Path, backend: str) -> None:
    env = made(tmp_path, backend)
    for _ in range(59):
        act(env, BREED, *[WAIT] * 7)
    assert act(env, *[WAIT] * 8)[2][0].tolist() == [True] * 8
    assert of_first_world(env, "age") == [0] * 8
    assert alive(env) == "###...##"
    act(env, DIE, DIE, DIE, WAIT, WAIT, WAIT, BARK, BARK)
    assert alive(env) == "###...##"
    assert env.state["episode"].tolist() == [2, 2]


def test_params_say_how_many_there_are_at_first(tmp_path: Path) -> None:
    env = made(tmp_path, "c", params={"herd": torch.tensor([1.0, 5.0])})
    assert env.state["alive"].view(2, 8).tolist() == [
        [True] + [False] * 5 + [True] * 2,
        [True] * 5 + [False] + [True] * 2,
    ]


def test_masks_and_counts_leave_out_who_is_not_born(tmp_path: Path) -> None:
    env = made(tmp_path, "c")
    masks = env.action_mask.view(2, 8, 6)[0]
    assert masks[0].tolist() == [True, True, True, True, False, False]
    assert masks[3].tolist() == [False, True, False, False, False, False]
    assert act(env, *[WAIT] * 8)[0][0].tolist() == [1, 1, 1, 0, 0, 0, 3, 3]


def test_each_life_counts_in_statistics(tmp_path: Path) -> None:
    backends = []
    for backend in ("interpreter", "c"):
        env = made(tmp_path, backend, worlds=6)
        counted = env.rollout(150)
        backends.append(repr(counted))
    assert backends[0] == backends[1]
    assert "episodes=808, mean_length=5.63" in backends[0]  # more lives than lanes


def test_what_is_beyond_the_last_world_is_never_born(tmp_path: Path) -> None:
    """A thread has chunks of 32 worlds: the last one is not full."""
    results = []
    for backend in ("interpreter", "c"):
        env = made(tmp_path, backend, worlds=40)
        results.append((repr(env.rollout(60)), env.state["alive"].clone()))
    assert results[0][0] == results[1][0]
    assert torch.equal(results[0][1], results[1][1])


def test_children_draw_anew(tmp_path: Path) -> None:
    text = FOLD.replace("{ energy = energy + 0.01 * position x  mood = wild }", "").replace(
        "{ energy = 0.9  mood = calm }", ""
    )
    starts = []
    for backend in ("interpreter", "c"):
        env = made(tmp_path, backend, text, worlds=4)
        act(env, BREED, BREED, *[WAIT] * 6)
        starts.append(env.meter("sheep.energy").view(4, 8)[:, 3:5])
    assert torch.equal(*starts)
    assert len(set(starts[0].flatten().tolist())) == 8
    assert bool(((starts[0] >= 0.2) & (starts[0] <= 0.3)).all())


def test_a_state_that_is_kept_goes_on_the_same(tmp_path: Path) -> None:
    env, other = made(tmp_path, "c"), made(tmp_path, "interpreter")
    act(env, BREED, *[WAIT] * 5, BARK, WAIT)
    other.load_state_dict(env.state_dict())
    for each in (env, other):
        for _ in range(5):
            act(each, WAIT, BREED, *[WAIT] * 6)
    assert all(torch.equal(env.state[name], other.state[name]) for name in env.state)


def test_the_universe_is_written_and_read() -> None:
    universe = universe_of(FOLD)
    assert from_json(to_json(universe)) == universe
    assert [(pool.role, pool.after) for pool in universe.pools] == [("sheep", None), ("dog", 3)]


def test_the_text_is_formatted_and_words_stay_names() -> None:
    text, problems = format_source(FOLD)
    assert not problems
    assert "    begins with herd\n" in text
    assert "    respawns after 3 ticks\n" in text
    text = """
universe words
space none
lifespan 9 ticks
meter spawn = 0 in 0 .. 9
meter begins = 0 in 0 .. 9
meter respawns = 0 in 0 .. 9
rule adds { spawn += 1  begins += spawn  respawns = begins }
reward spawn + begins + respawns
observe { meters }
"""
    file, problems = parse(text)
    assert file is not None
    assert not problems
    assert not [each for each in check(file, ("words",))[1] if each.severity == "error"]


@pytest.mark.parametrize("name", ["*/", "{{", '"', "}{", "\\n"])
def test_names_are_not_code(tmp_path: Path, name: str) -> None:
    text = f"""
universe odd
space none
lifespan 9 ticks
role `{name}`: 4 agents {{
    begins with 2
    meter `{name} x` = 0.5 {{ decay 0.1 }}
    rule breeds: `{name} x` > 0.2 -> spawn `{name}` {{ `{name} x` = 0.9 }}
    dies when `{name} x` <= 0
    reward 1
}}
observe {{ meters }}
"""
    env = made(tmp_path, "c", text)
    env.step(torch.zeros(8, dtype=torch.int32))
    assert bool(env.state["alive"].all())
