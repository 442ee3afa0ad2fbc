"""Which affordance stands on a cell, and whether it is open, in windows: as an agent finds it who goes there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamletc.compile import check_file
from hamletc.errors import SourceError
from hamletc.frontend import Stopwatch

SIZE = 6
STREET = """universe {name}
space {kind} {size} x {size} {places}
lifespan 90 ticks
clock 24 hours
meter energy = 1 {{ only falls  decay 0.002 }}
world {{ state strike = false  rule strikes: chance(0.2) -> strike = not strike }}
affordance Bar at random open 18 .. 4 {{ instantly {{ energy -= 0.01 }} }}
affordance Shop: 3 copies at random {{ open when not strike  instantly {{ energy -= 0.02 }} }}
affordance Inn at random open 2 .. 9 {{ {inn}  instantly {{ energy -= 0.03 }} }}
affordance Well at (2, 2) {{ instantly {{ energy -= 0.04 }} }}
reward energy
observe {{
    here
    window 2 of Bar  window 2 of open Bar  window 2 of Shop  window 2 of open Shop
    window 2 of Inn  window 2 of open Inn  window 2 of Well  window 2 of none: 1 when here == nothing
}}
"""
KINDS = {
    "computed": ("grid", "", ""),
    "stored": ("grid", "{ places stored }", ""),
    "appears": ("grid", "", "appears when not strike "),
    "hexagons": ("hexagons", "", ""),
}
SHOWN = ("Bar", "Shop", "Inn", "Well", "nothing")


def street(kind: str) -> str:
    """A universe whose windows show what stands around the agent."""
    cells, places, inn = KINDS[kind]
    return STREET.format(name=f"street_{kind}", kind=cells, size=SIZE, places=places, inn=inn)


def stand(env: Env, x: int, y: int) -> None:
    """Put all agents on a cell."""
    env.state["position"][:] = torch.tensor([[x], [y]], dtype=torch.int32)
    env.observe()


def by_name(env: Env, name: str) -> list[torch.Tensor]:
    """The rows of an item, each [worlds]."""
    rows = [number for number, each in enumerate(env.observation_names) if each.startswith(f"{name}[")]
    assert env.observation is not None
    return [env.observation[:, row] for row in rows]


def offsets(kind: str) -> list[tuple[int, int]]:
    """The cells of a window of radius 2."""
    square = [(x, y) for y in range(-2, 3) for x in range(-2, 3)]
    return [each for each in square if kind != "hexagons" or abs(sum(each)) <= 2]


@pytest.mark.parametrize(
    ("kind", "backend"), [*((kind, "c") for kind in KINDS), ("computed", "interpreter"), ("hexagons", "interpreter")]
)
def test_windows_show_what_an_agent_finds_on_each_cell(
    compiled: Callable[[str], Module], kind: str, backend: str
) -> None:
    env = hamlet.make(compiled(street(kind)), worlds=3, backend=backend, quiet=True, seed=4)
    interact, wait = env.action_names.index("INTERACT"), env.action_names.index("WAIT")
    opened, closed = set[str](), set[str]()
    for _ in range(4):
        found: dict[tuple[int, int], dict[str, torch.Tensor]] = {}
        for y in range(SIZE):
            for x in range(SIZE):
                stand(env, x, y)
                here = {name: env.observation[:, row].bool() for row, name in enumerate(SHOWN)}
                usable = env.action_mask[:, interact]
                found[x, y] = here | {f"open {name}": here[name] & usable for name in SHOWN}
        for x, y in ((2, 2), (0, 5), (4, 1)):
            stand(env, x, y)
            for item in ("Bar", "open Bar", "Shop", "open Shop", "Inn", "open Inn", "Well", "none"):
                for (dx, dy), row in zip(offsets(kind), by_name(env, f"window.{item}"), strict=True):
                    there = found.get((x + dx, y + dy))
                    expected = torch.zeros(3) if there is None else there[item.replace("none", "nothing")].float()
                    assert row.tolist() == expected.tolist(), (item, dx, dy)
                    opened |= {item} if bool(row.any()) else set()
        closed |= {
            name
            for name in ("Bar", "Shop", "Inn")
            for cell in found.values()
            if (cell[name] & ~cell[f"open {name}"]).any()
        }
        for _ in range(6):
            env.step(torch.full((3,), wait))
    assert opened >= {"open Bar", "open Shop", "open Inn", "Well", "none"}
    assert closed == {"Bar", "Shop", "Inn"}


def test_each_world_has_its_own(compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(street("computed")), worlds=3, backend="c", quiet=True, seed=4)
    env.reset()
    stand(env, 2, 2)
    assert len({tuple(row.tolist()) for row in torch.stack(by_name(env, "window.Shop")).T}) > 1


@pytest.mark.parametrize("hours", ["0 .. 9", "18 .. 24", "18 .. 0", "6 .. 9"])
def test_a_day_begins_and_ends_within_opening_hours(compiled: Callable[[str], Module], hours: str) -> None:
    """Nobody is told that a side of them, which no author wrote as a comparison, holds at all hours."""
    first, last = map(int, hours.split(" .. "))
    text = street("computed").replace("18 .. 4", hours).replace("street", f"street_{first}_{last}")
    env = hamlet.make(compiled(text), worlds=2, backend="c", quiet=True, seed=4)
    env.reset()
    bar, stood = by_name(env, "window.Bar"), by_name(env, "window.open Bar")
    seen = set()
    for _ in range(48):
        hour = int(env.state["hour"][0])
        there = (first <= hour) and (hour < last or last == 0)
        assert all(torch.equal(is_open, here * there) for is_open, here in zip(stood, bar, strict=True))
        seen |= {there} if any(here.any() for here in bar) else set()
        env.step(torch.full((2,), env.action_names.index("WAIT")))
        bar, stood = by_name(env, "window.Bar"), by_name(env, "window.open Bar")
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        ("window 1 of open Well", "H352"),
        ("window 1 of Barr", "Did you mean `Bar`"),
        ("window 1 of open Barr", "Did you mean `Bar`"),
        ("window 1 of open strike", "H021"),
        ("window 1 of late: 1 when last == Bar", "H1"),
    ],
)
def test_what_is_no_window_is_told(tmp_path: Path, shown: str, told: str) -> None:
    file = tmp_path / "street.hamlet"
    text = street("computed")
    file.write_text(text[: text.index("observe")] + f"observe {{ {shown} }}\n", encoding="utf-8")
    with pytest.raises(SourceError, match=told):
        check_file(file, Stopwatch())


def test_an_affordance_whose_name_is_a_text_is_shown(compiled: Callable[[str], Module]) -> None:
    odd = 'Bar\'; DROP "{{ x }}" */ # -- /*'
    text = street("computed").replace("Bar", f"`{odd}`").replace("street_computed", "street_odd")
    module = compiled(text)
    one, other = (hamlet.make(module, worlds=3, backend=each, quiet=True, seed=4) for each in ("interpreter", "c"))
    for env in (one, other):
        env.reset()
        stand(env, 2, 2)
    assert torch.equal(one.observation, other.observation)
    assert f"window.open {odd}[0,0]" in one.observation_names
