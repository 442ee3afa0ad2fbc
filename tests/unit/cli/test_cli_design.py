"""`hamletc design`: what it prints and writes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from test_cli_sweep import SHOP

from hamlet_lab.design import search as searching
from processes import Command

FAST = ("--ticks", "200", "--worlds", "8", "--backend", "c")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.hamlet"
    path.write_text(SHOP, encoding="utf-8")
    return path


def test_what_was_found(hamletc_here: Command, shop: Path, tmp_path: Path) -> None:
    wishes = ["median life 20 .. 30 ticks", "no affordance above 70 % of uses", "end by lifespan below 50 %"]
    given = ("--param", "hunger=0.5:4", "--param", "wage=0:0.4")
    wanted = [word for wish in wishes for word in ("--want", wish)]
    done = hamletc_here("design", shop, *given, *wanted, *FAST, "--json", "found.json")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"[\d,]+ candidates in \d+ rounds?; the best one, in 128 worlds:", lines[0])
    for wish, line in zip(wishes, lines[1:4], strict=True):
        assert line.startswith(f"  {wish}: ")
        assert line.endswith(" (holds)")
    assert lines[4] == "all wishes hold with"
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert (found["universe"], found["met"], found["worlds"]) == ("shop", True, 128)
    assert [each["want"] for each in found["wishes"]] == wishes
    # What is printed can be given to the other verbs.
    printed = dict(word.split("=") for word in lines[5].split() if word != "--param")
    assert {name: float(value) for name, value in printed.items()} == found["params"]
    ran = hamletc_here("run", shop, *lines[5].split(), "--worlds", "500", "--ticks", "200", "--backend", "c")
    assert ran.returncode == 0, ran.stderr
    again = hamletc_here("design", shop, *given, *wanted, *FAST)
    assert again.stdout == done.stdout


def test_how_near_it_came(hamletc_here: Command, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "ROUNDS", 2)
    wanted = ("--want", "median life above 50", "--want", "end by lifespan below 1 %")
    done = hamletc_here(
        "design", shop, "--param", "hunger=1:4", "--param", "wage=0.1", *wanted, *FAST, "--json", "f.json"
    )
    assert done.returncode == 1
    *_, first, second, verdict, params = done.stdout.splitlines()
    assert re.fullmatch(r"  median life above 50: \S+ \((misses by \S+%|holds)\)", first)
    assert re.fullmatch(r"  end by lifespan below 1 %: \S+ % \((misses by \S+%|holds)\)", second)
    assert "misses by" in first + second
    assert verdict == "not all wishes hold; the nearest is"
    assert re.fullmatch(r"  --param hunger=\S+ --param wage=0\.1", params)
    assert json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))["met"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--param", "wage=0:0.5"], 'say what you want: --want "median life 200 .. 300 ticks"'),
        (["--want", "median life above 3"], "nothing can be searched: give a --param NAME=FROM:TO"),
        (["--want", "median life above 3", "--param", "wage=0.1"], "nothing can be searched: give a --param"),
        (["--want", "median life above 3", "--param", "wage=0.2:0.1"], "--param wage=0.2:0.1: begin with the lower"),
        (["--want", "median life above 3", "--param", "wage=0:0.1:4"], "--param wage=0:0.1:4: write NAME=FROM:TO or"),
        (
            ["--want", "median life above 3", "--param", "wage=0:9"],
            "--param wage: 9 is outside of its bounds, 0 .. 0.5",
        ),
        (["--want", "life above 3", "--param", "wage=0:0.1"], '--want "life above 3": life begins no wish; a wish is'),
    ],
)
def test_what_is_refused(arguments: list[str], message: str, hamletc_here: Command, shop: Path) -> None:
    done = hamletc_here("design", shop, *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {message}")
    assert done.stdout == ""
