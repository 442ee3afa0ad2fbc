"""`hamletc watch`: a world goes on when its text changes, as far as it can, and whatever the text says."""

from __future__ import annotations

import os
from io import StringIO
from itertools import count
from pathlib import Path

import pytest
import torch
from rich.console import Console

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamletc.cli.reload import News, Watched
from hamletc.cli.screen import show_live
from hamletc.errors import SourceError

FARM = """
universe farm
space grid 4 x 3
clock 24 hours
lifespan 500 ticks
world { state sky: clear dull wet = dull  rule turns: sky = choice(clear: 1, wet: 3) }
meter food = 1 { decay 0.02 }
meter warmth = 0.5 { decay 0.01 }
affordance Stove at (0, 0) lasts 5 ticks { each tick { warmth += 0.2 } }
affordance Field at (1, 0) lasts 5 ticks { each tick { food += 0.1 } }
dies when food <= 0
reward food + warmth
observe { meters  state sky  time  here }
"""
MOMENTS = count(1)


def make(module: Module) -> Env:
    return hamlet.make(module, worlds=1, backend="interpreter", seed=4, quiet=True)


def write(path: Path, text: str) -> None:
    """A text, at a moment of its own."""
    path.write_text(text, encoding="utf-8")
    moment = next(MOMENTS) * 10**9
    os.utime(path, ns=(moment, moment))


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    path = tmp_path / "farm.hamlet"
    write(path, FARM)
    return path


def begun(farm: Path) -> tuple[Watched, Env]:
    watched = Watched(farm, make, ())
    env = watched.first()
    env.rollout(7, statistics=False)
    assert watched.news(env) is None
    return watched, env


def changed(farm: Path, *changes: tuple[str, str], env: Env | None = None) -> tuple[Env, News]:
    """The environment of the farm after seven ticks, and what becomes of it when these words are replaced."""
    watched, first = begun(farm)
    env = env or first
    text = farm.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    write(farm, text)
    news = watched.news(env)
    assert news is not None
    assert watched.news(news.env) is None, "nothing changed since"
    return env, news


def test_what_both_have_goes_on_and_what_is_new_begins(farm: Path) -> None:
    change = (
        ("meter warmth", "meter mood = 0.25 { decay 0.01  only falls }\nmeter warmth"),
        ("reward food", "reward mood"),
    )
    env, news = changed(farm, *change)
    assert (news.broken, news.text) == (False, "the world goes on; new: mood")
    new = news.env
    assert new.meter("mood").tolist() == [0.25]
    for name in ("food", "warmth", "sky"):
        assert torch.equal(new.meter(name), env.meter(name)), name
    for name in ("position", "age", "hour", "layout", "alive", "engaged", "progress", "episode_return"):
        assert torch.equal(new.state[name], env.state[name]), name
    assert (new.tick, new.seed) == (env.tick, env.seed) == (7, 4)
    # The same actions and draws come next.
    env.rollout(1)
    new.rollout(1)
    assert torch.equal(new.state["position"], env.state["position"])
    assert torch.equal(new.meter("sky"), env.meter("sky"))


def test_a_broken_text_is_shown_and_the_world_goes_on(farm: Path) -> None:
    watched, env = begun(farm)
    write(farm, FARM.replace("dies when food", "dies when fod"))
    news = watched.news(env)
    assert news is not None
    assert news.broken
    assert news.env is env
    assert "there is no `fod`" in news.text
    env.rollout(3)
    # It is gone for a moment while an editor saves.
    farm.unlink()
    assert watched.news(env) is None
    write(farm, FARM)
    news = watched.news(env)
    assert news is not None
    assert not news.broken
    assert news.env is not env
    assert news.env.tick == 10


def test_an_environment_that_cannot_be_made_is_one_line(farm: Path) -> None:
    """As where `--param pay=1` is given, and the text has no such param any more."""

    def paid(module: Module) -> Env:
        params = {"pay": 1.0} if "gone" in module.name else {}
        return hamlet.make(module, worlds=1, backend="interpreter", params=params)

    watched = Watched(farm, paid, ())
    env = watched.first()
    write(farm, FARM.replace("universe farm", "universe gone"))
    news = watched.news(env)
    assert news is not None
    assert (news.broken, news.env) == (True, env)
    assert news.text.endswith("error\x1b[0m: the universe has no param 'pay': it has none")


def test_what_changes_its_bounds_names_or_numbers_is_fitted(farm: Path) -> None:
    env = begun(farm)[1]
    env.set("sky", "wet")
    env.set("food", 0.9)
    saved = env.state_dict()
    saved["state"]["engaged"][0], saved["state"]["progress"][0] = 1, 2
    env.load_state_dict(saved)
    changes = (
        ("meter food = 1", "meter food = 0.5 in 0 .. 0.75"),
        ("clear dull wet", "wet clear dull"),
        ("affordance Stove at (0, 0) lasts 5 ticks { each tick { warmth += 0.2 } }\n", ""),
        ("lifespan 500 ticks", "lifespan 5 ticks"),
        ("meter warmth = 0.5 {", "meter warmth = 0.5 { only falls "),
    )
    _, news = changed(farm, *changes, env=env)
    assert news.text == "the world goes on"
    assert news.env.meter("food").tolist() == [0.75]
    assert news.env.meter("sky").tolist() == [0], "it is wet"
    assert news.env.state["engaged"].tolist() == [0], "in the Field"
    assert news.env.state["progress"].tolist() == [2]
    assert news.env.state["age"].tolist() == [4], "the next tick is the last one"


def test_another_space_begins_places_anew(farm: Path) -> None:
    env, news = changed(farm, ("4 x 3", "9 x 1"))
    assert news.text == "the world goes on; the space changed, so places began anew"
    assert torch.equal(news.env.meter("food"), env.meter("food"))
    assert news.env.state["position"][1].tolist() == [0]
    assert news.env.state["age"].tolist() == [7]


def test_what_does_not_fit_begins_anew(farm: Path) -> None:
    roles = "role cook: 1 agent { reward food }\nrole guest: 1 agent { reward warmth }\n"
    _, news = changed(farm, ("reward food + warmth\n", roles))
    assert not news.broken
    assert news.text == "another number of agents: the world began anew"
    assert news.env.tick == 0


def test_an_included_text_is_watched_too(farm: Path) -> None:
    part = farm.with_name("part.hamlet")
    write(part, "rule chill: food < 0.5 -> warmth -= 0.01\n")
    write(farm, FARM.replace("universe farm\n", 'universe farm\ninclude "part.hamlet"\n'))
    watched, env = begun(farm)
    write(part, "rule chill: food < 0.5 -> warmth -= 0.5\n")
    news = watched.news(env)
    assert news is not None
    assert not news.broken


def test_what_cannot_be_read_at_first_is_an_error(farm: Path) -> None:
    write(farm, "universe")
    with pytest.raises(SourceError):
        Watched(farm, make, ()).first()


def test_a_terminal_shows_it_all(farm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = iter([FARM.replace("dies when food", "dies when fod"), FARM.replace("warmth += 0.2", "warmth += 0.3")])
    waits: list[float] = []

    def edited(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 6:
            raise KeyboardInterrupt
        if len(waits) in (2, 4):
            write(farm, next(texts))

    monkeypatch.setattr("hamletc.cli.screen.sleep", edited)
    written = StringIO()
    console = Console(file=written, force_terminal=True, width=100, height=50, color_system="standard")
    watched = Watched(farm, make, ())
    show_live(watched.first(), None, 1e9, console, watched)
    shown = written.getvalue()
    whole = [
        "farm.hamlet: save it, and this world changes",
        "farm.hamlet cannot be read like this; the world goes on as it was",
        "there is no `fod`",
        "farm.hamlet read again: the world goes on",
    ]
    assert [text for text in whole if text not in shown] == []
    assert [shown.index(text) for text in whole] == sorted(shown.index(text) for text in whole)
    assert all(f"tick {tick} " in shown for tick in range(7)), "it never stopped"
