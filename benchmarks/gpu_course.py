"""The course of the GPU check: part after part, whatever fails."""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from gpu_launch import chosen, first_step_ahead, tuned
from gpu_parts import candidates, compiled_kernels, facts, first_launch, other_steps, verify_one
from gpu_tables import Report
from gpu_times import Plan, copy_bandwidth, time_forms

import hamlet

T = TypeVar("T")


class Check:
    """Runs the parts one after the other. What fails is recorded, and the report is written before each part."""

    def __init__(self, report: Report, path: Path, deadline: float) -> None:
        self.report = report
        self._path = path
        self._started = time.perf_counter()
        self._deadline = deadline

    def save(self) -> None:
        """Write what is known so far."""
        self.report.seconds = time.perf_counter() - self._started
        self._path.write_text(json.dumps(asdict(self.report), indent=2) + "\n")

    def fail(self, part: str, error: str, details: str = "") -> None:
        """Record a failure and go on."""
        self.report.failures.append({"part": part, "error": error, "details": details})
        print(f"          FAILED: {error}", file=sys.stderr, flush=True)

    def part(self, name: str, work: Callable[..., T], *arguments: object) -> list[T]:
        """The result of a part, as a list that is empty where it failed or time was up."""
        self.save()
        print(f"{self.report.seconds:6.1f} s  {name}", file=sys.stderr, flush=True)
        if self.report.seconds > self._deadline:
            self.fail(name, f"left out: {self._deadline:.0f} s were over")
            return []
        try:
            return [work(*arguments)]
        except Exception as error:
            # Whatever it was, the other parts still have something to say.
            self.fail(name, f"{type(error).__name__}: {error}".splitlines()[0][:300], traceback.format_exc())
            return []


def run(plan: Plan, folders: list[Path], check: Check, commit: str | None) -> None:
    """All parts: facts, packages and their first launches, verification, other ways to step, then times."""
    report = check.report
    for found in check.part("facts", facts, plan.device, commit):
        report.facts |= found
    modules = [module for folder in folders for module in check.part(f"load {folder.name}", hamlet.load, folder)]
    for module in modules:
        report.first_launch += check.part(f"first launch of {module.name}", first_launch, module, plan)
    for module in modules:
        for rows in check.part(f"kernels of {module.name}", compiled_kernels, module, plan):
            report.kernels += rows
            for row in rows:
                if row["local bytes"]:
                    check.fail(f"kernels of {module.name}", f"{row['kernel']} spills {row['local bytes']} bytes")
    for module in modules:
        for backend, device in candidates(plan):
            name = f"verify {module.name}: {backend} on {device}"
            for row, complaint in check.part(name, verify_one, module, backend, device, plan):
                report.verified.append(row)
                if complaint:
                    check.fail(name, "; ".join(line.strip() for line in complaint.splitlines()), complaint)
    for module in modules:
        name = f"other steps of {module.name}"
        for row, complaint in check.part(name, other_steps, module, plan):
            report.other_steps.append(row)
            if complaint:
                check.fail(name, complaint)
    for bandwidth in check.part("copy bandwidth", copy_bandwidth, plan):
        report.copy_bandwidth = bandwidth
    for lanes in plan.lanes:
        for module in modules:
            name = f"time {module.name}, {lanes:,} lanes"
            for rows in check.part(name, time_forms, module, lanes, plan, report.copy_bandwidth):
                report.timed += rows
    for module in modules:
        report.ahead += check.part(f"machine code of {module.name}", first_step_ahead, module, plan)
        for rows in check.part(f"blocks of {module.name}", tuned, module, plan):
            report.tuned += rows
        for rows in check.part(f"auto of {module.name}", chosen, module, plan):
            report.chosen += rows
    if not folders:
        check.fail("packages", "there are no generated packages: nothing was checked")
    check.save()
