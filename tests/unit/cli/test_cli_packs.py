"""`hamletc check`, `compile` and `import` of packs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hamlet.package.module import load
from hamlet_townlet.adapter import description
from processes import Command
from samples import SHIPPED
from samples.packs import PACK_CODES, edited

PACKS = SHIPPED / "packs"


def test_check(hamletc_here: Command) -> None:
    done = hamletc_here("check", PACKS / "tower")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{PACKS / 'tower'}: no problems\n", "")


def test_errors_point_into_files(hamletc_here: Command, tmp_path: Path) -> None:
    edited(tmp_path, {"cascades": [("source: mood", "source: moood")], "bars": [("initial: 0.8", "initial: 1.8")]})
    done = hamletc_here("check", "pack")
    assert done.returncode == 1
    assert "error[H110]: `initial` is 1.8\n  --> pack/bars.yaml:17:14\n" in done.stdout
    assert done.stdout.endswith("pack: 1 error\n")  # what refers to meters is not looked into
    for verb in ("compile", "import"):
        done = hamletc_here(verb, "pack")
        assert (done.returncode, done.stdout) == (1, "")
        assert "pack/bars.yaml:17:14" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["pack"]


def test_errors_of_the_universe_point_into_files(hamletc_here: Command, tmp_path: Path) -> None:
    """Of what can be read, the checker of the text language refuses what it refuses in texts."""
    edited(tmp_path, {"bars": [("base_depletion: 0.01", "base_depletion: 3e38")]})
    done = hamletc_here("compile", "pack")
    assert done.returncode == 1
    assert "error[H051]" in done.stderr
    assert " --> pack/bars.yaml:6:21" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["pack"]


def test_json(hamletc_here: Command, tmp_path: Path) -> None:
    edited(tmp_path, {"bars": [("index: 1", "index: 0")], "training": [("num_agents", "agents")]})
    done = hamletc_here("check", "pack", "--format", "json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["file"], found["errors"], found["warnings"]) == ("pack", 2, 0)
    first, second = found["diagnostics"]
    assert (first["file"], first["code"]) == (str(Path("pack") / "bars.yaml"), "H114")
    assert (second["file"], second["code"], second["primary"]["line"]) == ("pack/training.yaml", "H107", 8)


def test_compile(hamletc_here: Command, tmp_path: Path) -> None:
    shutil.copytree(PACKS, tmp_path / "packs")
    (tmp_path / "packs" / "office").rename(tmp_path / "packs" / "9 to 5")
    done = hamletc_here("compile", "packs/9 to 5")
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote generated/pack_9_to_5\n", "")
    module = load(tmp_path / "generated" / "pack_9_to_5")
    described = description.from_json(module.sources[description.FILENAME].decode())
    assert described.pack == "9 to 5"
    assert described.vocabulary == ("Desk", "Canteen")
    assert module.universe.sources[:2] == ("bars.yaml", "cascades.yaml")
    kernels = module.sources["c_kernels.c"].decode()
    assert "bars.yaml:" in kernels
    assert hamletc_here("compile", "packs/9 to 5").stdout == "generated/pack_9_to_5 is up to date\n"


def test_warnings_stand_in_a_line_each(hamletc_here: Command, tmp_path: Path) -> None:
    edited(tmp_path, {"bars": [("index: 0", "index: 0\n    tier: x")]})
    done = hamletc_here("compile", "pack")
    assert done.returncode == 0
    assert "pack/bars.yaml:5:5: warning[H130]: `tier` has no effect in HAMLET either\n" in done.stderr


@pytest.mark.parametrize("what", ["syntax", "universe", "ir", "c"])
def test_emit(hamletc_here: Command, what: str) -> None:
    done = hamletc_here("compile", PACKS / "railway", "--emit", what)
    assert done.returncode == 0
    assert "Depot" in done.stdout


def test_import(hamletc_here: Command, tmp_path: Path) -> None:
    done = hamletc_here("import", PACKS / "greenhouse")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("# From the pack greenhouse, by hamletc import.\nuniverse greenhouse\n")
    assert "affordance `Potting Bench` at random" in done.stdout
    (tmp_path / "greenhouse.hamlet").write_text(done.stdout)
    assert hamletc_here("fmt", "--check", "greenhouse.hamlet").returncode == 0
    assert hamletc_here("compile", "greenhouse.hamlet").returncode == 0


def test_run_takes_packs(hamletc_here: Command, tmp_path: Path) -> None:
    done = hamletc_here("run", PACKS / "railway", "--worlds", "4", "--ticks", "20", "--backend", "interpreter")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "generated" / "railway" / "townlet.json").exists()


@pytest.mark.parametrize("verb", ["check", "compile", "import", "run", "verify"])
def test_broken_packs(hamletc_here: Command, verb: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "bars.yaml").write_text("bars: []\n")
    for folder in ("empty", "half", "nowhere"):
        done = hamletc_here(verb, folder)
        assert done.returncode == 1, folder
        assert len(done.stderr + done.stdout) > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "half"]


def test_every_code_of_packs_is_known() -> None:
    assert {"H132", "H133"} <= set(PACK_CODES)
