"""Worlds in a window: drivers of SDL that have no screen."""

from __future__ import annotations

import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import hamlet
from hamlet.errors import EnvError
from hamlet_gym import Env, VectorEnv
from hamlet_pettingzoo import ParallelEnv

MEAL = hamlet.load(Path(__file__).parents[2] / "generated" / "first_meal")


@pytest.fixture
def screenless(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("hamlet_gym.arguments.PER_SECOND", 0)


@pytest.mark.usefixtures("screenless")
def test_a_window_shows_what_pictures_show() -> None:
    import pygame

    env, other = Env(MEAL, render_mode="human", seed=1), Env(MEAL, render_mode="rgb_array", seed=1)
    assert not pygame.display.get_init()
    for step in (lambda env: env.reset(), lambda env: env.step(1), lambda env: env.step(4)):
        for each in (env, other):
            step(each)
        surface = pygame.display.get_surface()
        assert surface is not None
        shown = pygame.surfarray.array3d(surface).swapaxes(0, 1)
        assert np.array_equal(shown, other.render())
        assert env.render() is None
    assert pygame.display.get_caption()[0] == "first_meal"
    env.close()
    assert not pygame.display.get_init()
    env.close()


@pytest.mark.usefixtures("screenless")
def test_checkers_of_others_take_it() -> None:
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import render_test
    from pettingzoo.utils.conversions import parallel_to_aec

    check_env(gymnasium.make("hamlet/first_meal-v0", render_mode="human").unwrapped)
    render_test(lambda render_mode: parallel_to_aec(ParallelEnv(MEAL, render_mode=render_mode)))


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EnvError, match="render_mode is None, ansi or rgb_array, not 'human'"):
        VectorEnv(2, MEAL, render_mode="human", backend="interpreter")
    with pytest.raises(EnvError, match="render_mode is None, human, ansi or rgb_array, not 'film'"):
        Env(MEAL, render_mode="film")
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(EnvError, match="needs pygame"):
        Env(MEAL, render_mode="human")


@pytest.mark.usefixtures("screenless")
def test_without_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "x11")
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(EnvError, match="no screen"):
        Env(MEAL, render_mode="human").reset()
