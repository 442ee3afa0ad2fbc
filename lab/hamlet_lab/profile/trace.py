"""A trace of steps and rollouts for Perfetto (ui.perfetto.dev) or chrome://tracing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, record_function

import hamlet
from hamlet.errors import EnvError
from hamlet.native.drafts import without_drafts
from hamlet.package.module import Module
from hamlet_lab.bench import some_controls

CALLS = 5
"""Steps, and rollouts; before them one of each, outside the trace, compiles."""
SEED = 7


@without_drafts()
def write_trace(
    module: Module, backend: str, device: str | None, worlds: int, agents: int, ticks: int, path: Path
) -> None:
    """Write the JSON of torch.profiler: `CALLS` steps with f32 observations and as many rollouts of `ticks` ticks, each
    in a range with a name; on a GPU with the kernels.

    Raises:
        EnvError: the file cannot be written.
    """
    env = hamlet.make(
        module,
        worlds=worlds,
        agents=agents,
        device=device,
        backend=backend,
        seed=SEED,
        validate=False,
        quiet=True,
        launch="step",
    )
    generator = torch.Generator().manual_seed(SEED)
    actions = torch.randint(env.num_actions, (env.num_lanes,), generator=generator, dtype=torch.int32).to(env.device)
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (env.device.type == "cuda")
    controls = some_controls(env, generator)
    env.reset()
    env.step(actions, controls)
    env.rollout(ticks)
    env.synchronize()
    with profile(activities=activities) as profiler:
        for number in range(CALLS):
            with record_function(f"hamlet: step {number}"):
                env.step(actions, controls)
        for number in range(CALLS):
            with record_function(f"hamlet: rollout {number}, {ticks} ticks"):
                env.rollout(ticks)
        with record_function("hamlet: wait"):
            env.synchronize()
    try:
        # The profiler itself keeps silent about a file that it cannot write.
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".trace.") as folder:
            whole = Path(folder) / "trace.json"
            profiler.export_chrome_trace(str(whole))
            whole.replace(path)
    except OSError as error:
        raise EnvError(f"cannot write {path}: {error.strerror}") from error
