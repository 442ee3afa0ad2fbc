"""The parts of the GPU check: what the machine is, what was compiled, and whether the backends agree."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import time
from importlib import metadata
from pathlib import Path

import torch
from facts import compiler_of_c
from gpu_times import Plan, Row, make

from hamlet.backend.protocol import Backend
from hamlet.errors import EnvError
from hamlet.interpreter import Interpreter
from hamlet.native.compilers import compiler
from hamlet.package.module import Module
from hamlet_lab.verify import Candidate, Effort, verify

ROOT = Path(__file__).resolve().parent.parent


class MissingError(Exception):
    """This machine lacks what a part needs."""


def output_of(*command: str) -> str | None:
    """The output of a command, or `None` where it does not exist or fails."""
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=30).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None


def version(package: str) -> str | None:
    """The version of an installed package."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def facts(device: torch.device, commit: str | None) -> Row:
    """The machine, the versions, and the commit."""
    found: Row = {
        "commit": commit or output_of("git", "rev-parse", "HEAD"),
        "changed": None if commit else bool(output_of("git", "status", "--porcelain", "--untracked-files=no")),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {len(os.sched_getaffinity(0))} CPUs",
        "threads of torch": torch.get_num_threads(),
        **{name: version(name) for name in ("torch", "triton", "numpy")},
        "compiler of C": compiler_of_c(),
        "device": str(device),
    }
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        found |= {
            "device": properties.name,
            "capability": f"sm_{properties.major}{properties.minor}",
            "processors": properties.multi_processor_count,
            "memory_gib": round(properties.total_memory / 2**30, 1),
            "cuda": torch.version.cuda,
            "driver": output_of("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"),
        }
    return found


def first_launch(module: Module, plan: Plan) -> Row:
    """Seconds to make worlds, to the end of the first step, and of the first rollout: compilation, mostly."""

    def elapsed() -> float:
        if plan.device.type == "cuda":
            torch.cuda.synchronize(plan.device)
        return time.perf_counter() - started

    started = time.perf_counter()
    env = make(module, 1_024, plan, "float32")
    made = elapsed()
    env.step(torch.zeros(env.num_lanes, dtype=torch.int32, device=plan.device))
    stepped = elapsed()
    env.rollout(2)
    return {
        "universe": module.name,
        "backend": plan.backend,
        "make_s": made,
        "step_s": stepped - made,
        "rollout_s": elapsed() - stepped,
    }


def compiled_kernels(module: Module, plan: Plan) -> list[Row]:
    """What Triton makes of the kernels for this GPU: registers and bytes of local memory (spills) per thread, machine
    instructions in all and in the largest loop, which in a rollout is the one over ticks."""
    from hamlet_lab.machine_code.kernels import compile_kernels

    rows = []
    for form, kernel in compile_kernels(
        module.kernels("triton"), module.universe, plan.capability, plan.kernels
    ).items():
        rows.append(
            {
                "universe": module.name,
                "kernel": form,
                "for": f"sm_{kernel.capability}",
                "registers": kernel.registers,
                "local bytes": kernel.stack + kernel.local,
                "instructions": kernel.instructions,
                "in the loop": None if kernel.loop is None else kernel.loop.every,
            }
        )
    return rows


def other_steps(module: Module, plan: Plan) -> tuple[Row, str]:
    """Steps as a CUDA graph and inside `torch.compile` against plain ones; a row, and what differs."""
    lanes, ticks = plan.effort.worlds, plan.effort.ticks
    plain, compiled = (make(module, lanes, plan, "float32") for _ in range(2))
    others = {"torch.compile": (compiled, torch.compile(compiled.step, fullgraph=True, backend="aot_eager"))}
    if plan.device.type == "cuda":
        recorded = make(module, lanes, plan, "float32")
        others["graph"] = recorded, recorded.graphed().step
    generator = torch.Generator(device=plan.device).manual_seed(2)
    for _ in range(ticks):
        actions = torch.randint(plain.num_actions, (lanes,), dtype=torch.int32, device=plan.device, generator=generator)
        for step in (plain.step, *(step for _, step in others.values())):
            step(actions)
    differing = [
        f"{name}: {field}"
        for name, (env, _) in others.items()
        for field, values in (plain.state | plain.outcome | {"observation": plain.observation}).items()
        if not torch.equal(values, (env.state | env.outcome | {"observation": env.observation})[field])
    ]
    row = {"universe": module.name, "steps": ", ".join(others), "lanes": lanes, "ticks": ticks, "equal": not differing}
    return row, ", ".join(differing)


def backend_of(module: Module, name: str, device: torch.device) -> Backend:
    """A backend by name. Only the one wanted is imported, so that a broken one spoils no other."""
    match name:
        case "triton":
            from hamlet.launch.gpu.launch import TritonBackend

            return TritonBackend(module.universe, module.kernels("triton"), device)
        case "c":
            from hamlet.launch.cpu.kernels import just_in_time
            from hamlet.launch.cpu.launch import CpuBackend

            return CpuBackend(module.universe, just_in_time(module))
        case _:
            return Interpreter(module.universe, device)


def find_compiler() -> str:
    """The command of the compiler of C. Raises `MissingError` where there is none."""
    try:
        return shlex.join(compiler().command)
    except EnvError as error:
        raise MissingError(str(error)) from error


def verify_quickly(module: Module, plan: Plan) -> tuple[Row, str]:
    """Compare the kernels with the interpreter on the CPU."""
    return _verified(module, [(plan.backend, plan.device)], plan.quick)


def verify_all(module: Module, plan: Plan) -> tuple[Row, str]:
    """Compare the kernels, and the interpreter on CUDA, with the interpreter on the CPU, which runs once for all."""
    on_cuda = [("interpreter", plan.device)] if plan.device.type == "cuda" else []
    return _verified(module, [(plan.backend, plan.device), *on_cuda], plan.effort)


def verify_in_c(module: Module, plan: Plan) -> tuple[Row, str]:
    """Compare kernels in C with the interpreter; little, since CI compares them without a GPU."""
    return _verified(module, [("c", torch.device("cpu"))], plan.quick)


def _verified(module: Module, names: list[tuple[str, torch.device]], effort: Effort) -> tuple[Row, str]:
    """A row, and the complaint where something differs or never fired."""
    started = time.perf_counter()
    candidates = [Candidate(backend_of(module, name, device), device) for name, device in names]
    report = verify(module.universe, candidates, effort)
    row = {
        "universe": module.name,
        "backends": ", ".join(f"{name} on {device}" for name, device in names),
        "values compared": report.compared,
        "agent-ticks": report.ticks,
        "fired": f"{len(report.coverage) - len(report.never_fired)} of {len(report.coverage)}",
        "equal": report.equal,
        "seconds": time.perf_counter() - started,
    }
    return row, "" if report.ok else report.render()
