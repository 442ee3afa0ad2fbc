"""`hamletc rewind`: any tick of a run, whose history is that of `Env.at` (tests/unit/env/test_env_history.py)."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from hamletc.cli.main import hamletc

UNIVERSES = Path(__file__).parents[3] / "universes"


def test_the_verb() -> None:
    meal = f"{UNIVERSES / 'first_meal.hamlet'}@interpreter"
    done = CliRunner().invoke(hamletc, ["rewind", meal, "9", "4", "--world", "3", "--trace", "1"])
    assert done.exit_code == 0, done.output
    assert "after 9 of 9 ticks" in done.output
    assert "after 4 of 9 ticks" in done.output
    assert "ticks 4 .. 4" in done.output
    told = json.loads(CliRunner().invoke(hamletc, ["rewind", meal, "9", "4", "--world", "3", "--json"]).output)
    assert [each["tick"] for each in told] == [9, 4]
    assert told[1]["state"]["age"].startswith("4 ")
    done = CliRunner().invoke(hamletc, ["rewind", meal, "9", "--agent", "1"])
    assert done.exit_code == 1
    assert "there is no agent 1: world 0 has agent 0 alone" in done.output
