"""Machine code is unloaded when nothing refers to it any more, and never sooner."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.launch.cpu import kernels
from hamlet.native import library
from hamlet.native.library import machine_code, opened
from hamlet.package.module import Module

TEXT = '#include "hamlet.h"\nHAMLET_EXPORT i32 number(void);\nHAMLET_EXPORT i32 number(void) {{ return {}; }}\n'
UNIVERSE = """
universe unloaded
space none
meter energy = 1 { decay 0.01 }
action REST { energy += 0.1 }
dies when energy <= 0
reward energy
"""
MAPS = Path("/proc/self/maps")

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="this machine has no compiler of C"),
    pytest.mark.skipif(not MAPS.exists(), reason="this system does not list what is loaded"),
]


@pytest.fixture(autouse=True, scope="module")
def _settled() -> None:
    """What other tests left is not looked at again each time that garbage is collected here."""
    gc.collect()
    gc.freeze()


def loaded() -> set[str]:
    """The libraries that lie in the memory of this process, by the numbers of their files."""
    gc.collect()
    lines = MAPS.read_text(encoding="utf-8").splitlines()
    return {line.split()[4] for line in lines if "memfd:hamlet" in line}


def test_a_function_keeps_its_library() -> None:
    before = loaded()
    first, second = (opened(machine_code(TEXT.format(value), {}, "native")) for value in (1, 2))
    function = second["number"]
    assert len(loaded() - before) == 2
    del first, second
    assert len(loaded() - before) == 1
    assert function() == 2
    del function
    assert loaded() <= before


def test_the_latest_ones_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that compiles one universe after the other has so many loaded, and finds them again at once."""
    monkeypatch.setattr(library, "_made", lambda text, *_: machine_code(text, {}, "native"))
    library._library.cache_clear()
    before = loaded()
    texts = [TEXT.format(value) for value in range(4)]
    recent = library._library.cache_parameters()["maxsize"]
    assert recent == library.RECENT
    for text in texts:
        assert library.library(text)["number"]() == texts.index(text)
    assert len(loaded() - before) == len(texts)
    assert library.library(texts[0]) is library.library(texts[0])
    library._library.cache_clear()
    assert loaded() <= before


def test_worlds_keep_their_kernels_and_no_others(
    compiled: Callable[[str], Module], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps, a team of threads, rollouts and ticks of one lane have addresses in a library: it stays until they go."""
    monkeypatch.setenv("HAMLET_THREADS", "2")
    # A draft is made by another way, and keeps its library.
    monkeypatch.setenv("HAMLET_DRAFTS", "0")
    own: list[str] = []

    def apart(text: str, defines: dict[str, str]) -> object:
        before = loaded()
        found = opened(machine_code(text, defines, "native"))
        own.extend(loaded() - before)
        return found

    monkeypatch.setattr(kernels, "library", apart)
    module = compiled(UNIVERSE)
    env = hamlet.make(module, worlds=4096, backend="c", quiet=True)
    env.reset(seed=1)
    actions = torch.zeros(4096, dtype=torch.int32)
    env.step(actions)
    steps, team, backend = env._backend._steps, env._backend._team, env._backend  # type: ignore[attr-defined]
    alone = hamlet.make(module, worlds=1, backend="c", quiet=True)
    alone.reset(seed=1)
    single, clock = alone._backend.single(alone._buffers), alone._now  # type: ignore[attr-defined]
    assert len(own) == 2
    del env, backend
    assert set(own) <= loaded()
    del team
    assert set(own) <= loaded(), "steps have the address of a kernel"
    del steps
    assert own[0] not in loaded()
    del alone
    assert own[1] in loaded(), "ticks of a lane have the address of a kernel"
    single.begin(1)
    single.step(clock, 0, ())
    del single
    assert not set(own) & loaded()
