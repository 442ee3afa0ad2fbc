"""Parts of the GPU check: the first step with machine code in the package, tuned blocks, and what `auto` chooses."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import torch
from gpu_times import Plan, Row, make

import hamlet
from hamlet.launch.gpu.compile_ahead import compile_ahead
from hamlet.package import cache
from hamlet.package.module import Module


def first_step_ahead(module: Module, plan: Plan) -> Row:
    """Machine code for this GPU, how long it takes to make, and seconds to the end of the first step with it. Without
    CUDA it is only made."""
    started = time.perf_counter()
    files = compile_ahead(module, plan.capability, names=plan.ahead)
    row: Row = {
        "universe": module.name,
        "for": f"sm_{plan.capability}",
        "kernels": sum(name.endswith(".cubin") for name in files),
        "kilobytes": round(sum(map(len, files.values())) / 1000),
        "compile_s": time.perf_counter() - started,
    }
    if plan.device.type != "cuda":
        return row
    with_code = replace(module, sources=module.sources | files)
    started = time.perf_counter()
    env = make(with_code, 1_024, plan, "float32")
    torch.cuda.synchronize(plan.device)
    made = time.perf_counter()
    env.step(torch.zeros(env.num_lanes, dtype=torch.int32, device=plan.device))
    torch.cuda.synchronize(plan.device)
    stepped = time.perf_counter()
    if "ahead of time" not in env.choice:
        raise RuntimeError(f"machine code was not used: {env.choice}")
    return row | {"make_s": made - started, "step_s": stepped - made, "both_s": stepped - started}


def tuned(module: Module, plan: Plan) -> list[Row]:
    """Seconds by lanes of a block, for `step` and a rollout with the most lanes; and that the bits stay."""
    lanes = max(plan.lanes)
    envs = [
        hamlet.make(
            module,
            worlds=lanes,
            device=plan.device,
            backend=plan.backend,
            seed=1,
            validate=False,
            quiet=True,
            tune=tune,
            launch="step",
        )
        for tune in ("max", "off")
    ]
    actions = torch.zeros(lanes, dtype=torch.int32, device=plan.device)
    for env in envs:
        env.step(actions)
        env.rollout(64)
    for name, value in envs[0].state.items():
        if not torch.equal(value.view(torch.uint8), envs[1].state[name].view(torch.uint8)):
            raise RuntimeError(f"{module.name}: tuning changed {name}")
    rows = []
    for file in sorted((cache.folder() / "tuned").glob("*.json")):
        saved = json.loads(file.read_text())
        seconds = {int(block): float(time) for block, time in saved["answer"]["seconds"].items()}
        untuned = seconds[min(seconds)]
        rows.append(
            {"universe": module.name, "launch": saved["key"]["launch"].split()[0], "lanes": lanes}
            | {f"{block} lanes, ms": time * 1e3 for block, time in sorted(seconds.items())}
            | {"chosen": saved["answer"]["block"], "gain": untuned / seconds[saved["answer"]["block"]]}
        )
        file.unlink()
    return rows


def chosen(module: Module, plan: Plan) -> list[Row]:
    """What `auto` takes, and why, for few agents and many."""
    rows = []
    for lanes in plan.chosen:
        started = time.perf_counter()
        env = hamlet.make(module, worlds=lanes, agents=1, quiet=True)
        taken = time.perf_counter() - started
        rows.append({"universe": module.name, "agents": lanes, "seconds to make": taken, "choice": env.choice})
    return rows
