"""`hamletc record --minari` writes a data set, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from samples import SHIPPED

minari = pytest.importorskip("minari", reason="hamletc[minari] is not installed")
pytest.importorskip("h5py", reason="hamletc[minari] is not installed")

TAG = SHIPPED / "gallery" / "tag.hamlet"
STALL = """
universe stall
space grid 3 x 3
meter food = uniform(0.5, 1.0) { decay 0.1 }
affordance Stall at random { instantly { food += 0.3 } }
dies when food <= 0
reward food
observe { grid  meters }
"""


def test_the_command_writes_one_and_no_second_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hamletc_here: Callable[..., CompletedProcess[str]]
) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "sets"))
    path = tmp_path / "stall.hamlet"
    path.write_text(STALL)
    command = ("record", f"{path}@interpreter", "--minari", "stall/random-v0", "--worlds", "4", "--ticks", "3")
    done = hamletc_here(*command)
    assert done.returncode == 0
    assert done.stdout.startswith("stall/random-v0: 4 episodes, ")
    assert "of which go on after 3 ticks" in done.stdout
    assert len(minari.load_dataset("stall/random-v0")) == 4
    again = hamletc_here(*command)
    assert (again.returncode, again.stdout) == (1, "")
    assert "there is a data set stall/random-v0" in again.stderr
    elsewhere = hamletc_here(*command, "-o", str(tmp_path / "mine"))
    assert elsewhere.returncode == 0
    assert (tmp_path / "mine" / "stall" / "random-v0" / "data" / "metadata.json").is_file()
    tag = hamletc_here("record", str(TAG), "--minari", "tag/it-v0")
    assert "each role has its own: say whose episodes, of it, runner" in tag.stderr
    for options, said in (
        (("--minari", "some-v0", "--world", "3"), "A data set has many worlds"),
        (("--role", "it"), "give --minari"),
        ((), "Missing option --output"),
    ):
        refused = hamletc_here("record", str(path), *options)
        assert refused.returncode == 2
        assert said in refused.stderr
