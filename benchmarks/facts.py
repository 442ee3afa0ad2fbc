"""Where and from what a result comes: stands in every JSON of results/."""

from __future__ import annotations

import os
import platform
import re
import shlex
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch

from hamlet.errors import EnvError
from hamlet.native.compilers import compiler

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("torch", "triton", "numpy")
# What is measured is what goes on, not what runs while a compiler makes it.
os.environ["HAMLET_DRAFTS"] = "0"

BUSY = 0.5
"""A load above this before the start means that other processes took part of the machine."""
LOAD = os.getloadavg()[0]
"""When this was imported: before anything is measured."""


def facts(script: str, backend: str) -> dict[str, str]:
    """Machine, versions, commit, command, load.

    Args:
        script: its path in the repository.
        backend: `triton` adds the GPU.
    """
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.split(":")[1].strip() for line in lines if "model name" in line), platform.machine())
    machine = f"{model}, {len(os.sched_getaffinity(0))} CPUs"
    if backend == "triton":
        machine = f"{torch.cuda.get_device_name()}; {machine}"
    changed = _git("status", "--porcelain", "--", "runtime", "compiler", "universes")
    return {
        "machine": machine,
        "versions": ", ".join([f"python {platform.python_version()}", *filter(None, map(_version, PACKAGES))])
        + f", {compiler_of_c()}",
        "commit": (_git("rev-parse", "HEAD") or "unknown") + (" with changes" if changed else ""),
        "command": shlex.join(["python", script, *map(without_folders, sys.argv[1:])]),
        "load": f"{LOAD:.1f} processes wanted a CPU in the minute before"
        + ("; others took part of the machine: rates by the clock are too low" if LOAD > BUSY else ""),
    }


def without_folders(word: str) -> str:
    """A word of a command whose absolute paths are names alone: where they are is of no use to others."""
    return re.sub(r"(?<![\w./])/(?:[^\s/]+/)+", "", word)


def compiler_of_c() -> str:
    """What the compiler of kernels for CPUs says it is, in one line; or that there is none."""
    try:
        command = compiler().command
    except EnvError:
        return "no compiler of C"
    said = subprocess.run([*command, "--version"], capture_output=True, text=True).stdout.splitlines()
    return said[0] if said else shlex.join(command)


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return ""


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
