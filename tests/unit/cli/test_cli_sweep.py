"""`hamletc sweep`: tables, pictures, and what it refuses."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path

import pytest

from processes import Command
from samples.shop import SHOP

PNG = b"\x89PNG\r\n\x1a\n"
FAST = ("--ticks", "100", "--worlds", "20", "--backend", "c")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.hamlet"
    path.write_text(SHOP, encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_tables_and_pictures(hamletc_here: Command, shop: Path, tmp_path: Path) -> None:
    grid = ("--param", "hunger=0.5:4:3", "--param", "wage=0.1,0.3")
    done = hamletc_here("sweep", shop, *grid, *FAST, "--out", "a/table.csv", "--plot", "map.png")
    assert done.returncode == 0, done.stderr
    first, time, *files = done.stdout.splitlines()
    assert first == "shop: 6 variants, 12,000 agent-ticks"
    assert re.fullmatch(r"time   \d+\.\d s", time)
    assert files == ["table  a/table.csv", "plot   map.png"]
    assert "shop: 6 variants" in done.stderr
    found = rows(tmp_path / "a" / "table.csv")
    assert [(row["hunger"], row["wage"]) for row in found] == [
        (hunger, wage) for hunger in ("0.5", "2.25", "4.0") for wage in ("0.1", "0.3")
    ]
    for row in found:
        assert int(row["episodes"]) > 20
        assert math.isclose(float(row["use of Stall"]) + float(row["use of Bench"]), 1)
        assert math.isclose(float(row["end by food <= 0"]) + float(row["end by lifespan"]), 1)
        quartiles = [float(row[f"{which} life"]) for which in ("lower quartile", "median", "upper quartile")]
        assert quartiles == sorted(quartiles)
    lives = [float(row["median life"]) for row in found]
    assert lives[0] > lives[2] > lives[4], "the hungry live shorter"
    # The same table, in another format and from the package.
    parquet = pytest.importorskip("pyarrow.parquet")
    again = hamletc_here("sweep", "generated/shop", *grid, *FAST, "--out", "table.parquet")
    assert again.returncode == 0, again.stderr
    table = parquet.read_table(tmp_path / "table.parquet").to_pylist()
    assert [{name: str(value) for name, value in row.items()} for row in table] == found
    assert (tmp_path / "map.png").read_bytes().startswith(PNG)
    assert not list(tmp_path.rglob("*.part"))


def test_one_param_is_printed_and_drawn_as_lines(hamletc_here: Command, shop: Path, tmp_path: Path) -> None:
    done = hamletc_here("sweep", shop, "--param", "wage=0:0.5:45", *FAST, "--plot", "lines.png")
    assert done.returncode == 0, done.stderr
    heading, *lines = done.stdout.splitlines()
    assert re.sub(" +", " ", heading.strip()) == "wage episodes return quartiles life quartiles most used most ends by"
    assert lines[0].split()[0] == "0"
    assert "food <= 0" in lines[0]
    assert lines[40] == "... and 5 more: --out writes all of them"
    assert (tmp_path / "lines.png").read_bytes().startswith(PNG)


def test_a_row_does_not_depend_on_the_others(hamletc_here: Command, shop: Path, tmp_path: Path) -> None:
    run = ("sweep", shop, "--ticks", "80", "--worlds", "5", "--backend", "interpreter")
    for values, name, more in (
        ("0.2", "alone", ()),
        ("0,0.1,0.2", "third", ()),
        ("0,0.1,0.2", "other", ("--independent",)),
    ):
        done = hamletc_here(*run, "--param", f"wage={values}", "--out", f"{name}.csv", *more)
        assert done.returncode == 0, done.stderr
    alone, third, other = (rows(tmp_path / f"{name}.csv")[-1] for name in ("alone", "third", "other"))
    assert alone == third
    assert other != third


def test_what_did_not_happen(hamletc_here: Command, shop: Path, tmp_path: Path) -> None:
    done = hamletc_here(
        "sweep", shop, "--param", "hunger=0.5", "--ticks", "5", "--backend", "interpreter", "--out", "t.csv"
    )
    assert done.returncode == 0, done.stderr
    (row,) = rows(tmp_path / "t.csv")
    assert (row["episodes"], row["median return"], row["median life"], row["mean life"]) == ("0", "", "inf", "5.0")
    assert row["end by lifespan"] == ""


def test_a_policy(hamletc_here: Command, shop: Path, tmp_path: Path) -> None:
    """Who stands on an affordance uses it; who stands elsewhere goes up."""
    policy = {"features": ["here"], "table": [0, 4, 4]}
    (tmp_path / "policy.json").write_text(json.dumps(policy), encoding="utf-8")
    options = ("--param", "wage=0.5", "--ticks", "100", "--worlds", "300", "--backend", "c")
    done = hamletc_here("sweep", shop, *options, "--policy", "policy.json", "--out", "t.csv")
    assert done.returncode == 0, done.stderr
    (row,) = rows(tmp_path / "t.csv")
    at_random = hamletc_here("sweep", shop, *options, "--out", "r.csv")
    assert at_random.returncode == 0
    assert int(row["uses"]) > int(rows(tmp_path / "r.csv")[0]["uses"])
    (tmp_path / "policy.json").write_text(json.dumps(policy | {"table": [7]}), encoding="utf-8")
    done = hamletc_here("sweep", shop, *options, "--policy", "policy.json")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        1,
        "error: the policy does not fit shop: a table of actions by these features has the shape [3], not [1]",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--param", "wage=0.1", "--out", "t.xlsx"], "t.xlsx: a table is a file .csv or .parquet, not .xlsx"),
        (["--param", "wage=0.1", "--out", "t"], "t: a table is a file .csv or .parquet, not without suffix"),
        (
            ["--param", "wage=0.1", "--plot", "p.png"],
            "--plot: a picture is of one or two params that vary; here none vary",
        ),
        (["--param", "wage=9"], "--param wage: 9 is outside of its bounds, 0 .. 0.5"),
        (
            ["--param", "wage=0:0.5:100000", "--param", "hunger=1:4:100000"],
            "a table of 10,000,000,000 variants takes ",
        ),
        (
            ["--param", "wage=0:0.5:1000", "--worlds", "3000000", "--independent"],
            "1,000 variants of 3,000,000 worlds of 1 agents are too many: fewer than 2**31 agents fit",
        ),
        (["--param", "wage=0.1", "--policy", "no.json"], "cannot read no.json: No such file or directory"),
        (["--param", "wage=0.1", "--policy", "shop.hamlet"], "shop.hamlet is no JSON: "),
        (["--param", "wage=0.1", "--backend", "cuda"], "there is no backend 'cuda'"),
        (["--param", "wage=0.1", "--agents", "9"], "9 agents and 1 affordances at random places need as many"),
        (["--param", "wage=0.1", "--out", "shop.hamlet/t.csv"], "cannot write shop.hamlet/t.csv: "),
    ],
)
def test_what_is_refused(arguments: list[str], message: str, hamletc_here: Command, shop: Path, tmp_path: Path) -> None:
    done = hamletc_here("sweep", shop, "--ticks", "20", "--backend", "interpreter", *arguments)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"error: {message}")
    assert sorted(path.name for path in tmp_path.iterdir()) in ([shop.name], ["generated", shop.name])
