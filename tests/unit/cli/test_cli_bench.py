"""`hamletc bench`: what it prints and writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hamlet import schema
from hamlet.backend.buffers import OBS_DTYPES, Shape
from hamlet.env.make import buffer_bytes
from hamlet_lab.bench import Case, bytes_per_agent_tick, cases, observable
from processes import Command
from samples import SHIPPED, sample, universe_of

MEAL = SHIPPED / "first_meal.hamlet"
SMALL = ("--worlds", "8", "--worlds", "32", "--samples", "2", "--ticks", "4")


def test_bench_reports_and_writes(hamletc: Command, tmp_path: Path) -> None:
    done = hamletc("bench", MEAL, *SMALL, "--backend", "interpreter", "--json", "rates.json", "--plot", "rates.png")
    assert done.returncode == 0
    assert "a copy moves" in done.stdout
    assert done.stdout.endswith("numbers  rates.json\nplot     rates.png\n")
    report = json.loads((tmp_path / "rates.json").read_text())
    found = [(each["case"]["launch"], each["case"]["observed"], each["case"]["worlds"]) for each in report["cases"]]
    observed = ("none", "uint8", "bfloat16", "float32")
    assert found == [(launch, seen, w) for launch in ("rollout", "step") for seen in observed for w in (8, 32)]
    for each in report["cases"]:
        assert 0 < each["slowest"] <= each["median"] <= each["fastest"]
        assert each["roofline"] == pytest.approx(each["bytes"] * each["median"] / report["copy"])
        dtype = OBS_DTYPES.get(each["case"]["observed"])
        assert each["memory"] == buffer_bytes(sample("first_meal"), Shape(each["case"]["worlds"], 1), dtype)
        assert each["peak"] is None, "nobody counts it on a CPU"
    heading, first = done.stdout.splitlines()[1:3]
    assert heading.endswith("memory")
    assert first.endswith(" MiB")
    assert (tmp_path / "rates.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--backend", "fast"], "there is no backend 'fast'"),
        (["--backend", "interpreter", *SMALL, "--observe", "none", "--json", "absent/it"], "cannot write absent/it"),
    ],
)
def test_what_cannot_be_done_is_one_line(hamletc_here: Command, arguments: list[str], message: str) -> None:
    done = hamletc_here("bench", MEAL, *arguments)
    assert done.returncode == 1
    assert message in done.stderr


def test_bytes_are_observed_where_they_can_be() -> None:
    thin = "universe thin\nspace none\nlifespan 9 ticks\nmeter thin = 0 in 0 .. 1e-38 { decay -1e-39 }\n"
    thin += "reward thin\nobserve { meters }\n"
    assert observable(universe_of(thin)) == ("none", "bfloat16", "float32")
    assert "uint8" in observable(sample("town"))


def test_the_interpreter_is_spared_large_cases() -> None:
    planned = cases(("c", "interpreter"), (64, 65536), 2, ("none",), 8)
    assert [(c.backend, c.launch, c.worlds) for c in planned] == [
        ("c", "rollout", 64), ("c", "rollout", 65536), ("c", "step", 64), ("c", "step", 65536),
        ("interpreter", "rollout", 64), ("interpreter", "step", 64),
    ]  # fmt: skip


def test_bytes_are_those_of_state_observations_and_masks() -> None:
    universe = sample("first_meal")
    sizes = {"f32": 4, "i32": 4, "bool": 1}
    state = sum(len(field.rows or ("",)) * sizes[field.dtype] for field in schema.state_fields(universe))
    outcome, masks = 4 + 1 + 1 + 4 + 4, len(schema.action_names(universe))
    step = bytes_per_agent_tick(universe, Case("c", 10, 1, "step", 1, "none"))
    assert step == 2 * state + outcome + masks + 4
    rollout = bytes_per_agent_tick(universe, Case("c", 10, 1, "rollout", 8, "none"))
    assert rollout == (2 * state + outcome + masks) / 8
