"""The tables of what was measured on GPUs, beside what the model said before, from results/h200*.json."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from counted import counted_kernels, work
from reports import Report, Reports, billions, markdown, missing

from hamlet_lab.profile.model import GPUS, predict

FORMS = {"rollout": "rollout, statistics", "rollout_observing": "rollout, float32", "step": "step, float32"}
"""How the GPU check calls the kernels that are counted."""
NAME = "h200"
"""Of the GPU, as results are called."""


def gpu(reports: Reports) -> str:
    """What a GPU did, and what the model had said; universes; and the town in JAX beside it."""
    if (report := reports.get(NAME)) is None:
        return missing("python benchmarks/gpu_check.py --json benchmarks/results/h200.json", "No GPU has been measured")
    parts = [*_model(report, reports), *_town(report)]
    if universes := reports.get(f"{NAME}_universes"):
        parts += _universes(universes)
    if jax := reports.get(f"{NAME}_jax"):
        parts += _jax(jax)
    return "\n\n".join(parts)


def _model(report: Report, reports: Reports) -> list[str]:
    model, rows = next(each for each in GPUS if each.name == "H200"), []
    most = max(row["lanes"] for row in report["timed"])
    for row in counted_kernels(reports):
        form = FORMS.get(row["kernel"])
        times = [
            each
            for each in report["timed"]
            if (each["universe"], each["form"], each["lanes"], each["registers_at_most"])
            == (row["universe"], form, most, None)
        ]
        if not times:
            continue
        said, seen = predict(work(row), model), max(times, key=lambda each: each["ticks"])
        rate = seen["agent_ticks_per_s"]
        bound = said.busiest if said.bound == "pipe" else said.bound
        share = "" if seen["of_copy_bandwidth"] is None else f"{seen['of_copy_bandwidth']:.0%}"
        spread = f"{rate * seen['median_ms'] / seen['slowest_ms'] / 1e9:.1f} to "
        spread += f"{rate * seen['median_ms'] / seen['fastest_ms'] / 1e9:.1f}"
        rows.append(
            [
                *(row["universe"], row["kernel"], f"{seen['ticks']:,}", bound, billions(said.rate)),
                *(f"**{billions(rate)}** ({spread})", f"{rate / said.rate:.2f}", share),
            ]
        )
    headings = ("universe", "kernel", "ticks", "bound by", "predicted", "measured", "measured / predicted", "of a copy")
    facts = report["facts"]
    return [
        f"Billions of agent-ticks per second of {most:,} agents on an {facts['device']}, beside what the model below "
        "said of it. Rollouts are with statistics; observations are f32; *of a copy*: the bytes that must move, beside "
        "those that a copy of 1 GiB moves in the same time.",
        markdown("llrlrrrr", headings, rows),
        f"{facts['device']}, driver {facts['driver']}, CUDA {facts['cuda']}, Triton {facts['triton']}, torch "
        f"{facts['torch']}; commit {facts['commit']}; `python benchmarks/gpu_check.py`. All that was measured: "
        f"[results/{NAME}.md](../benchmarks/results/{NAME}.md).",
    ]


def _town(report: Report) -> list[str]:
    """All forms of the town with the most agents."""
    most = max(row["lanes"] for row in report["timed"])
    rows = [
        [row["form"], f"{row['ticks']:,}", _rate(row["agent_ticks_per_s"])]
        for row in report["timed"]
        if row["universe"] == "town" and row["lanes"] == most and row["registers_at_most"] is None
    ]
    return [f"The town, {most:,} agents:", markdown("lrr", ("form", "ticks", "agent-ticks/s"), rows)]


def _rate(rate: float) -> str:
    return f"{rate / 1e9:.1f} G" if rate >= 1e9 else f"{rate / 1e6:.0f} M"


def _universes(report: Report) -> list[str]:
    compared = report["compared"]
    equal = [row for row in compared if row["equal"]]
    values = sum(row["values"] for row in equal)
    others = ", ".join(f"{row['universe']} ({row['error']})" for row in compared if not row["equal"])
    text = f"Of {len(compared)} shipped universes {len(equal)} were compared there with the interpreter, in {values:,} "
    text += f"values: all equal. Not so: {others}. [All of them](../benchmarks/results/{NAME}_universes.md)."
    return [text]


def _jax(report: Report) -> list[str]:
    def median(rates: Mapping[str, list[float]], name: str) -> str:
        return f"{statistics.median(rates[name]) / 1e9:.2f}"

    rows = []
    for row in report["rows"]:
        ratios = [a / b for a, b in zip(row["rates"]["hamletc"], row["rates"]["jax"], strict=True)]
        seen = "f32, every tick" if row["observing"] else "no"
        rows.append(
            [
                *(f"{row['lanes']:,}", seen, median(row["rates"], "hamletc"), median(row["rates"], "jax")),
                f"{row['ratio']:.1f} ({min(ratios):.1f} to {max(ratios):.1f})",
            ]
        )
    headings = ("agents", "observations", "hamletc, G/s", "JAX, G/s", "ratio")
    return [
        "The town [in JAX](../benchmarks/peers/jax_town.py), whose bits may differ, in the same run on the same GPU, "
        "64 ticks of random play by the clock of the host, with the wait for the end:",
        markdown("rlrrr", headings, rows),
        f"JAX {report['facts']['jax']}; commit {report['facts']['commit']}; `python benchmarks/gpu_jax.py`.",
    ]
