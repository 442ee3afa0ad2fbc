"""`hamletc record --world` and `hamletc replay`: an episode in a file, and who refuses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hamlet.backend.registry import backend_names
from processes import Command
from samples.shop import SHOP


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.hamlet"
    path.write_text(SHOP, encoding="utf-8")
    return path


def test_an_episode_is_replayed_by_itself_and_beside_its_text(
    hamletc_here: Command, shop: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "wait.json"
    policy.write_text(json.dumps({"features": [], "table": 5}))
    done = hamletc_here("record", f"{shop}@interpreter", "--world", "7", "-o", "a.episode", "--policy", policy)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "a.episode: 17 ticks of world 7 of shop.hamlet@interpreter, ended by food <= 0\n"
    again = hamletc_here("replay", "a.episode")
    assert (again.returncode, again.stdout) == (
        0,
        "world 7 of shop on interpreter is equal to the bit in 17 of 17 recorded ticks\n",
    )
    report = json.loads(hamletc_here("replay", shop, "a.episode", "--steps", "5", "--json").stdout)
    assert (report["ok"], report["ticks"], report["world"]) == (True, 5, 7)


def test_what_is_refused_is_one_line(hamletc_here: Command, shop: Path, tmp_path: Path) -> None:
    assert hamletc_here("record", shop, "--world", "1", "-o", "a.episode", "--ticks", "4").returncode == 0
    (tmp_path / "other.hamlet").write_text(SHOP.replace("0.03", "0.04"))
    (tmp_path / "bad.episode").write_text("{}")
    for arguments, said in (
        (("replay", "other.hamlet", "a.episode"), "was recorded in another universe than shop"),
        (
            ("replay", "a.episode", "--backend", "ir"),
            f"is an episode, which {', '.join(backend_names())} replay, not ir",
        ),
        (("replay", "bad.episode"), "is no episode recorded by hamlet, or a damaged one"),
        (("record", shop, "-o", "b.episode"), "Give --world to record an episode."),
        (("record", shop, "--world", "1", "-o", "b.npz"), "does not end in .episode"),
        (("record", f"{shop}@ir", "--world", "1", "-o", "b.episode"), "an episode is recorded by"),
        (("check", "a.episode"), "is a recorded episode: `hamletc replay` and `trace` take it"),
    ):
        done = hamletc_here(*arguments)
        assert done.returncode != 0, arguments
        assert said in " ".join(done.stderr.replace("\u2502", " ").split()), (arguments, done.stderr)
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "b.episode").exists()
