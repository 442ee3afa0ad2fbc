"""The course of the GPU check: part after part, whatever fails, what is worth most first."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from gpu_counters import counted
from gpu_launch import chosen, first_step_ahead, tuned
from gpu_parts import (
    MissingError,
    compiled_kernels,
    facts,
    find_compiler,
    first_launch,
    other_steps,
    verify_all,
    verify_in_c,
    verify_quickly,
)
from gpu_tables import Report, markdown, tables
from gpu_times import Plan, copy_bandwidth, time_forms

import hamlet
from hamlet.package.module import Module

T = TypeVar("T")


class Check:
    """Runs the parts one after the other. What fails is recorded, and all that is known is written after each part."""

    def __init__(self, report: Report, path: Path, deadline: float) -> None:
        self.report = report
        self._path = path
        self._started = time.perf_counter()
        self._deadline = deadline

    def save(self) -> None:
        """Write what is known so far, as JSON and as a table."""
        self.report.seconds = time.perf_counter() - self._started
        self._path.write_text(json.dumps(asdict(self.report), indent=2) + "\n")
        self._path.with_suffix(".md").write_text(markdown(tables(self.report)))

    def fail(self, part: str, error: str, details: str = "") -> None:
        """Record a failure and go on."""
        self.report.failures.append({"part": part, "error": error, "details": details})
        print(f"          FAILED: {error}", file=sys.stderr, flush=True)

    def leave_out(self, part: str, reason: str) -> None:
        """Record that this machine cannot run a part."""
        self.report.left_out.append({"part": part, "reason": reason})
        print(f"          left out: {reason}", file=sys.stderr, flush=True)

    def part(self, name: str, work: Callable[..., T], *arguments: object) -> list[T]:
        """The result of a part, as a list that is empty where it failed, cannot run here, or time was up."""
        self.save()
        began = self.report.seconds
        print(f"{began:6.1f} s  {name}", file=sys.stderr, flush=True)
        if began > self._deadline:
            self.fail(name, f"left out: {self._deadline:.0f} s were over")
            return []
        compiled = _compiled()
        try:
            return [work(*arguments)]
        except MissingError as reason:
            self.leave_out(name, str(reason))
        except Exception as error:
            # Whatever it was, the other parts still have something to say.
            self.fail(name, f"{type(error).__name__}: {error}".splitlines()[0][:300], traceback.format_exc())
        finally:
            taken = time.perf_counter() - self._started - began
            row = {"part": name, "began_s": began, "seconds": taken, "kernels compiled": _compiled() - compiled}
            self.report.parts.append(row)
        return []


def _compiled() -> int:
    """How many kernels Triton has put into its cache."""
    return sum(1 for _ in Path(os.environ["TRITON_CACHE_DIR"]).glob("*/*.cubin"))


def run(plan: Plan, folders: list[Path], check: Check, commit: str | None, only_times: bool = False) -> None:
    """All parts, or how long steps and rollouts take alone."""
    report = check.report
    for found in check.part("facts", facts, plan.device, commit):
        report.facts |= found
    modules = [module for folder in folders for module in check.part(f"load {folder.name}", hamlet.load, folder)]
    if only_times:
        times(plan, modules, check)
        check.save()
        return
    for module in modules:
        report.first_launch += check.part(f"first launch of {module.name}", first_launch, module, plan)
    # Early, since all cores compile there what the parts after it would compile one by one.
    for module in modules:
        report.ahead += check.part(f"machine code of {module.name}", first_step_ahead, module, plan)
    for module in modules:
        for row, complaint in check.part(f"quick verification of {module.name}", verify_quickly, module, plan):
            report.verified.append(row)
            if complaint:
                check.fail(f"quick verification of {module.name}", complaint.splitlines()[0], complaint)
    times(plan, modules, check)
    for module in modules:
        for rows in check.part(f"counters of {module.name}", counted, module, plan):
            report.counters += rows
    for module in modules:
        for rows in check.part(f"kernels of {module.name}", compiled_kernels, module, plan):
            report.kernels += rows
            report.findings += [
                {"part": f"kernels of {module.name}", "finding": f"{row['kernel']} spills {row['local bytes']} bytes"}
                for row in rows
                if row["local bytes"]
            ]
    for module in modules:
        for row, complaint in check.part(f"full verification of {module.name}", verify_all, module, plan):
            report.verified.append(row)
            if complaint:
                check.fail(f"full verification of {module.name}", complaint.splitlines()[0], complaint)
    for module in modules:
        name = f"other steps of {module.name}"
        for row, complaint in check.part(name, other_steps, module, plan):
            report.other_steps.append(row)
            if complaint:
                check.fail(name, complaint)
    for module in modules:
        for rows in check.part(f"blocks of {module.name}", tuned, module, plan):
            report.tuned += rows
    for module in modules:
        for rows in check.part(f"auto of {module.name}", chosen, module, plan):
            report.chosen += rows
    if plan.backend != "c" and check.part("compiler of C", find_compiler):
        for module in modules:
            for row, complaint in check.part(f"kernels in C of {module.name}", verify_in_c, module, plan):
                report.verified.append(row)
                if complaint:
                    check.fail(f"kernels in C of {module.name}", complaint.splitlines()[0], complaint)
    if not folders:
        check.fail("packages", "there are no generated packages: nothing was checked")
    check.save()


def times(plan: Plan, modules: list[Module], check: Check) -> None:
    """The bandwidth of a copy, and the times of steps and rollouts."""
    report = check.report
    for bandwidth in check.part("copy bandwidth", copy_bandwidth, plan):
        report.copy_bandwidth = bandwidth
    for lanes in plan.lanes:
        for module in modules:
            name = f"time {module.name}, {lanes:,} lanes"
            check.part(name, time_forms, module, lanes, plan, report.copy_bandwidth, report.timed)
