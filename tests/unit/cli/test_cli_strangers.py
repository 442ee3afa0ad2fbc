"""Files of strangers at the command line: one line that no terminal obeys, and nothing is waited for."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from processes import Command
from samples.shop import SHOP

ESCAPE = "\x1b]0;owned\x07\x1b[31m"
MARKED = """universe marked
space grid 4 x 4
lifespan 20 ticks
meter `[/x]` = 0.5 { decay 0.001 }
param `[/p]` = 0.5 in 0 .. 1
dies when `[/x]` <= `[/p]` * 0.1
affordance `[/bed]` at random { instantly { `[/x]` += 0.1 } }
reward `[/x]`
observe { meters  grid  params }
"""


@pytest.fixture
def shop(hamletc_here: Command, tmp_path: Path) -> Path:
    """A universe, a run and an episode of it."""
    path = tmp_path / "shop.hamlet"
    path.write_text(SHOP)
    for arguments in (("-o", "a.npz", "--worlds", "2", "--ticks", "4"), ("--world", "1", "-o", "a.episode")):
        assert hamletc_here("record", "shop.hamlet@interpreter", *arguments).returncode == 0
    return path


def quiet(done: Any) -> str:
    """What was said, which no terminal obeys."""
    said: str = done.stdout + done.stderr
    assert "Traceback" not in said
    assert not set(said) & {chr(point) for point in (*range(0x20), 0x7F, *range(0x80, 0xA0), 0x202E)} - {"\n"}
    return said


def episode(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    about = json.loads(path.read_text())
    change(about)
    path.write_text(json.dumps(about))


def run(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    with np.load(path) as opened:
        arrays = dict(opened)
    about = json.loads(str(arrays["about"]))
    change(about)
    out = io.BytesIO()
    np.savez_compressed(out, **(arrays | {"about": np.array(json.dumps(about))}))
    path.write_bytes(out.getvalue())


@pytest.mark.usefixtures("shop")
def test_no_text_of_a_recording_is_obeyed(hamletc_here: Command, tmp_path: Path) -> None:
    run(tmp_path / "a.npz", lambda about: about.update(label=f"shop{ESCAPE}\n"))
    done = hamletc_here("replay", "shop.hamlet", "a.npz")
    assert done.returncode == 0
    assert "shop␛]0;owned␇␛[31m␊" in quiet(done)
    episode(tmp_path / "a.episode", lambda about: about.update(hamletc=ESCAPE, checks=about["checks"]))
    assert hamletc_here("replay", "a.episode").returncode == 0
    for change in (
        lambda about: about.update(format=ESCAPE),
        lambda about: about.update(format=10**400),
        lambda about: about.update(format=[]),
        lambda about: about.update(agents=10**30),
        lambda about: about.update(seed="3"),
    ):
        for name, edit in (("a.episode", episode), ("a.npz", run)):
            whole = (tmp_path / name).read_bytes()
            edit(tmp_path / name, change)
            done = hamletc_here("replay", "shop.hamlet", name)
            if name == "a.episode" or done.returncode:
                assert (done.returncode, quiet(done).count("\n")) == (2, 1), (name, done)
            (tmp_path / name).write_bytes(whole)


def test_texts_that_look_like_markup_are_printed_as_they_are(hamletc_here: Command, tmp_path: Path) -> None:
    (tmp_path / "marked.hamlet").write_text(MARKED)
    done = hamletc_here("run", "marked.hamlet", "--worlds", "4", "--ticks", "25", "--backend", "interpreter")
    assert done.returncode == 0
    assert "[/bed]" in done.stdout
    assert "`[/x]` <= " in done.stdout
    done = hamletc_here(
        *("sweep", "marked.hamlet", "--param", "[/p]=0,1", "--worlds", "2", "--ticks", "25"),
        *("--backend", "interpreter"),
    )
    assert (done.returncode, "[/p]" in done.stdout) == (0, True), done


@pytest.mark.usefixtures("shop")
def test_policies_that_nest_or_say_a_thing_twice_are_refused(hamletc_here: Command, tmp_path: Path) -> None:
    policy = tmp_path / "policy.json"
    for text, said in (
        ("[" * 100_000, "nested too deeply"),
        ('{"features": [], "table": 5, "table": 1}', "the key 'table' occurs twice"),
        ('{"features": [], "table": NaN}', "NaN is no number"),
    ):
        policy.write_text(text)
        done = hamletc_here("record", "shop.hamlet", "--world", "1", "-o", "b.episode", "--policy", policy)
        assert (done.returncode, said in quiet(done)) == (1, True), done


@pytest.mark.usefixtures("shop")
def test_pipes_are_not_waited_for(hamletc_here: Command, tmp_path: Path) -> None:
    for name in ("b.npz", "b.episode", "folder/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        os.mkfifo(tmp_path / name)
    for arguments in (("replay", "shop.hamlet", "b.npz"), ("replay", "b.episode"), ("run", "folder")):
        done = hamletc_here(*arguments)
        assert done.returncode in (1, 2)
        assert quiet(done)
