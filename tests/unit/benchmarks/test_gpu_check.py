"""The GPU check goes its whole way on a machine without a GPU, and says so where something is wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from processes import Run

ROOT = Path(__file__).parents[3]

# The machine of the check has no compiler and none of its packages.
WITHOUT_COMPILER = """
import runpy, sys
sys.modules |= dict.fromkeys(("hamletc", "lark", "rich_click", "matplotlib"))
sys.argv = sys.argv[1:]
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def gpu_check(run_program: Run, folder: Path, packages: Path) -> tuple[subprocess.CompletedProcess[str], Any]:
    """Run the script in a process of its own; with its JSON."""
    script, result = ROOT / "benchmarks" / "gpu_check.py", folder / "gpu.json"
    options = ["--dry-run", "--commit", "c0ffee", "--packages", packages, "--json", result]
    done = run_program(WITHOUT_COMPILER, script, *options, cwd=folder, anew=True)
    return done, json.loads(result.read_text())


@pytest.mark.long  # `make rehearsal` runs this script, too.
def test_a_dry_run_fills_every_table_though_a_part_fails(tmp_path: Path, run_program: Run) -> None:
    packages = tmp_path / "packages"
    for name in ("broken", "first_meal"):
        shutil.copytree(ROOT / "generated" / "first_meal", packages / name)
    with (packages / "broken" / "c_kernels.c").open("a") as kernels:
        kernels.write("# changed\n")
    done, found = gpu_check(run_program, tmp_path, packages)
    assert done.returncode == 1, done.stderr
    assert [(failure["part"], "was changed" in failure["error"]) for failure in found["failures"]] == [
        ("load broken", True)
    ], found["failures"]
    assert found["facts"]["commit"] == "c0ffee"
    assert [(row["universe"], row["backends"], row["equal"]) for row in found["verified"]] == [
        ("first_meal", "c on cpu", True),
        ("first_meal", "c on cpu", True),
    ]
    assert found["verified"][0]["values compared"] > 0
    assert [(row["kernel"], row["for"], row["local bytes"]) for row in found["kernels"]] == [("step", "sm_90", 0)]
    assert [(row["universe"], row["equal"]) for row in found["other_steps"]] == [("first_meal", True)]
    assert [row["form"] for row in found["timed"]] == [
        "rollout",
        "rollout, statistics",
        "rollout, table",
        "rollout, all interact",
        "rollout, all interact, statistics",
        "step, float32",
        "rollout, float32",
        "step, uint8",
        "rollout, uint8",
    ]
    assert all(row["median_ms"] > 0 and row["agent_ticks_per_s"] > 0 for row in found["timed"])
    assert found["copy_bandwidth"] > 0
    assert [(row["for"], row["kernels"] > 0, row["compile_s"] > 0) for row in found["ahead"]] == [("sm_90", True, True)]
    assert [row["agents"] for row in found["chosen"]] == [64, 1_024]
    assert found["left_out"] == [{"part": "counters of first_meal", "reason": "there is no GPU to count"}]
    assert found["parts"][-1]["seconds"] > 0
    table = (tmp_path / "gpu.md").read_text()
    assert "agent-ticks/s" in table
    assert "FAILED" in table


def test_no_packages_is_a_failure(tmp_path: Path, run_program: Run) -> None:
    done, found = gpu_check(run_program, tmp_path, tmp_path)
    assert done.returncode == 1
    assert "nothing was checked" in found["failures"][0]["error"]


def test_a_machine_without_cuda_is_told_what_to_do(tmp_path: Path, run_program: Run) -> None:
    done = run_program(ROOT / "benchmarks" / "gpu_check.py", cwd=tmp_path, CUDA_VISIBLE_DEVICES="")
    assert done.returncode == 2
    assert "--dry-run" in done.stderr
    assert list(tmp_path.iterdir()) == []


# --- counters --------------------------------------------------------------------------------------------------------

NCU = """#!/bin/sh
echo "$@" >> {calls}
case "$*" in *--metrics*) [ {known} = yes ] || {{ echo '==ERROR== Failed to find metric'; exit 1; }} ;; esac
[ {allowed} = yes ] || {{ echo '==ERROR== ERR_NVGPUCTRPERM'; exit 1; }}
cat <<'CSV'
==PROF== Profiling
"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"
"0","7","step","Command line profiler metrics","smsp__inst_executed.sum","inst","1,024"
"2","7","rollout","GPU Speed Of Light Throughput","DRAM Throughput","%","3.5"
CSV
"""


@pytest.mark.parametrize(("known", "allowed"), [("yes", "yes"), ("no", "yes"), ("yes", "no")])
def test_counters(known: str, allowed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from gpu_counters import counted
    from gpu_parts import MissingError

    ncu, calls = tmp_path / "ncu", tmp_path / "calls"
    ncu.write_text(NCU.format(calls=calls, known=known, allowed=allowed))
    ncu.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    module = SimpleNamespace(name="first_meal", path=ROOT / "generated" / "first_meal")
    plan = SimpleNamespace(device=torch.device("cuda"), lanes=(64, 32))
    if allowed == "no":
        with pytest.raises(MissingError, match="ERR_NVGPUCTRPERM"):
            counted(module, plan)
        return
    assert [(row["launch"], row["counter"], row["value"]) for row in counted(module, plan)] == [
        ("step, float32", "instructions of warps", "1,024"),
        ("rollout", "DRAM Throughput", "3.5"),
    ]
    *_, last = calls.read_text().splitlines()
    assert last.endswith("generated/first_meal 64 cuda")
    assert ("--metrics" in last) == (known == "yes")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingError, match="no ncu"):
        counted(module, plan)
