"""What the GPU itself counts while kernels run, by NVIDIA's Nsight Compute (`ncu`), where it is there.

As a program it runs, once each, the launches that are counted:

    ncu ... python benchmarks/gpu_counters.py FOLDER LANES DEVICE
"""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpu_times import Plan, Row

    from hamlet.package.module import Module

LAUNCHES = ("step, float32", "step, uint8", "rollout", "rollout, statistics", "rollout, float32")
"""What is counted, in this order."""
TICKS = 64
SECTIONS = ("SpeedOfLight", "InstructionStats", "WarpStateStats", "MemoryWorkloadAnalysis")
METRICS = {
    "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active": "the ALU pipe is busy",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": "warps that wait for memory, per issue",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio": "sectors per store",
    "smsp__inst_executed.sum": "instructions of warps",
}
"""What the model in docs/performance.md predicts."""
SECONDS = 60


def counted(module: Module, plan: Plan) -> list[Row]:
    """A row for each launch and counter.

    Raises:
        MissingError: there is no `ncu`, or it may not count here.
    """
    from gpu_parts import MissingError

    if plan.device.type != "cuda":
        raise MissingError("there is no GPU to count")
    ncu = shutil.which("ncu")
    if ncu is None:
        raise MissingError("there is no ncu")
    work = [sys.executable, __file__, str(module.path.resolve()), str(max(plan.lanes)), str(plan.device)]
    said = ""
    # Names of metrics change with the GPU: without those that are named here, there are still the sections.
    for more in (["--metrics", ",".join(METRICS)], []):
        done = subprocess.run([*command(ncu), *more, *work], capture_output=True, text=True, timeout=SECONDS)
        if done.returncode == 0:
            return rows(module.name, done.stdout)
        said = done.stdout + done.stderr
    told = next((line for line in said.splitlines() if "ERR" in line.upper()), said[-300:])
    raise MissingError(f"ncu counts nothing: {told.strip()}")


def command(ncu: str) -> list[str]:
    """Count the launches, at whatever clock the GPU has."""
    sections = [word for section in SECTIONS for word in ("--section", section)]
    names = ["-k", "regex:^(step|rollout)$", "-c", str(len(LAUNCHES))]
    return [ncu, "--csv", "--page", "details", "--clock-control", "none", *names, *sections]


def rows(universe: str, text: str) -> list[Row]:
    """What `ncu --csv` printed, behind whatever else was printed."""
    begin = text.find('"ID"')
    found = []
    for each in csv.DictReader(io.StringIO(text[begin:] if begin >= 0 else "")):
        if not each.get("Metric Name"):
            continue
        launch = LAUNCHES[int(each["ID"])] if int(each["ID"]) < len(LAUNCHES) else each["ID"]
        name = each["Metric Name"]
        unit, value = each["Metric Unit"], each["Metric Value"]
        found.append({"universe": universe, "launch": launch, "counter": METRICS.get(name, name)})
        found[-1] |= {"unit": unit, "value": value}
    if not found:
        raise ValueError(f"ncu said nothing that is understood: {text[-300:]}")
    return found


def run(folder: Path, lanes: int, device: str) -> None:
    """The launches, once each, with nothing of these names before."""
    import torch

    import hamlet

    module = hamlet.load(folder)

    def make(observed: str | None) -> hamlet.Env:
        return hamlet.make(
            module,
            worlds=lanes,
            device=device,
            backend="triton",
            seed=1,
            obs_dtype=observed,
            validate=False,
            quiet=True,
            tune="off",
            launch="step",
        )

    actions = torch.zeros(lanes, dtype=torch.int32, device=device)
    env, encoded, plain = make("float32"), make("uint8"), make(None)
    env.step(actions)
    encoded.step(actions)
    plain.rollout(TICKS, statistics=False)
    plain.rollout(TICKS)
    env.rollout(TICKS, observe=True, statistics=False)
    env.synchronize()


if __name__ == "__main__":
    from installed import as_installed

    with tempfile.TemporaryDirectory() as installed:
        as_installed(Path(installed))
        run(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
