"""The tables of docs/performance.md and README.md, from the reports in results/."""

from __future__ import annotations

from collections.abc import Sequence

from counted import counted_kernels, kernels, model, phases, pipes
from reports import Report, Reports, Table, markdown, millions, missing, percent, source, spread

ON_CPUS = ("c", "numba")
"""Backends for CPUs, the present one first: results are kept from a time when kernels were compiled by numba."""
KERNELS = tuple(f"{name}:" for name in ON_CPUS)
"""How names of rows of kernels for CPUs begin."""


def _between(before: float, after: float) -> str:
    return f"{before:.1f} processes wanted a CPU before, {after:.1f} after"


def rollout(reports: Reports) -> str:
    """Rates of kernels in C and the interpreter; those of kernels for CPUs with AVX2, too."""
    if (report := reports.get("cpu_rollout")) is None:
        return missing("python benchmarks/cpu_rollout.py")
    parts = _rollout(report["rates"], report["machine"])
    if (report := reports.get("cpu_avx2")) is not None:
        parts.append("The same machine with kernels for CPUs that have AVX2, like most laptops:")
        parts += _rollout([row for row in report["rates"] if row["what"].startswith(KERNELS)], report["machine"])
    if (report := reports.get("cpu_intel")) is not None:
        parts.append("Another machine, whose cores have half the clock and are shared with others:")
        parts += _rollout(report["rates"], report["machine"])
    return "\n\n".join(parts)


def _rollout(rates: Sequence[Report], machine: Report) -> list[str]:
    """A table of rates, and where they come from."""
    rows = [
        [row["what"], str(row["threads"]), spread(row | {"median": row["agent_ticks_per_s"]}),
         millions(row["per_core_and_cpu_s"])]
        for row in rates
    ]  # fmt: skip
    headings = ("what", "threads", "millions per second", "per core, by CPU time")
    return [markdown("lrrr", headings, rows), *_steps(rates), source(machine, "cpu")]


def _steps(rates: Sequence[Report]) -> list[str]:
    """The same steps in microseconds."""
    rows = [
        [row["what"], f"{us['median']:,.0f} ({us['fastest']:,.0f} to {us['slowest']:,.0f})"]
        for row in rates
        if (us := row.get("us_per_step")) is not None
    ]
    said = (
        "Steps, in microseconds each. A *cold* step is taken alone, after work that has filled the caches with other "
        "things; a *hot* one in a loop of steps, as training takes them."
    )
    return [said, markdown("lr", ("what", "microseconds"), rows)] if rows else ["Steps in this table are cold ones."]


def headline(reports: Reports) -> str:
    """The few numbers of the README."""
    if (report := reports.get("cpu_rollout")) is None:
        return missing("python benchmarks/cpu_rollout.py")
    most = max(row["threads"] for row in report["rates"])
    left_out = ("statistics", "step", "bfloat16", "uint8")
    rows = [
        [row["what"], spread(row | {"median": row["agent_ticks_per_s"]})]
        for row in report["rates"]
        if row["threads"] == most and not any(word in row["what"] for word in left_out)
    ]
    parts = [markdown("lr", (f"{report['agents']:,} agents, {report['machine']['cpu']}", ""), rows)]
    if (startup := reports.get("startup")) is not None:
        check, compiled = (startup["times"][f"hamletc {verb}"]["median_s"] for verb in ("check", "compile"))
        parts.append(
            f"`hamletc check` of the town takes {check:.2f} s and `hamletc compile` {compiled:.2f} s, as processes."
        )
    for row in counted_kernels(reports):
        if (row["universe"], row["kernel"]) == ("town", "rollout"):
            parts.append(
                f"The town's rollout kernel for sm_90 (H100) has {row['registers']} registers, {row['spilled']} bytes "
                f"spilled, and executes {row['executed']:.0f} machine instructions per agent-tick, of which the "
                f"ALU pipe, which takes two clocks for one, does {row['pipes']['alu']:.0f}."
            )
    return "\n\n".join(parts)


def first_step(reports: Reports) -> str:
    """Whole processes, and the first step."""
    if (report := reports.get("startup")) is None:
        return missing("python benchmarks/startup.py")
    tables = [markdown("lr", ("what", "seconds"), _seconds(report))]
    if (cpu := reports.get("startup_cpu")) is not None:
        of_cpu = markdown("lr", ("whole process, with `import torch`", "CPU seconds"), _seconds(cpu))
        note = (
            f"`python benchmarks/startup.py --cpu`, while {cpu['load']:.0f} processes wanted "
            f"{cpu['machine'].split()[-2]} CPUs, which adds up to half to CPU seconds too."
        )
        tables += [of_cpu, note]
    return "\n\n".join(tables)


def _seconds(report: Report) -> list[list[str]]:
    return [
        [name, f"{row['median_s']:.2f} ({row['fastest_s']:.2f} to {row['slowest_s']:.2f})"]
        for name, row in report["times"].items()
    ]


def sizes(reports: Reports) -> str:
    """Seconds and memory of universes of many things."""
    if (report := reports.get("sizes")) is None:
        return missing("python benchmarks/sizes.py")
    measured = {name for case in report["cases"] for name in case["stages"]}
    kernels = next((name for name in ON_CPUS if name in measured), ON_CPUS[0])
    stages = ("check", "build", kernels, "interpreter")
    rows = [
        [case["what"], f"{case['size']:,}", *(_stage(case["stages"].get(name)) for name in stages)]
        for case in report["cases"]
    ]
    headings = ("of", "so many", "check", "compile", f"first step, {kernels}", "first step, interpreter")
    return f"{markdown('lrrrrr', headings, rows)}\n\n{source(report['machine'])}"


def _stage(row: Report | None) -> str:
    if row is None:
        return ""
    if "failed" in row:
        return str(row["failed"])
    return f"{row['s']:.1f} s, {row['mb']:,} MB"


def texts(reports: Reports) -> str:
    """CPU seconds of checking and formatting long texts."""
    if (report := reports.get("texts")) is None:
        return missing("python benchmarks/texts.py")
    rows = [[row["kind"], f"{row['lines']:,}", f"{row['check']:.1f}", f"{row['fmt']:.1f}"] for row in report["rows"]]
    table = markdown("lrrr", ("lines of", "lines", "`hamletc check`: CPU seconds", "`hamletc fmt`: CPU seconds"), rows)
    town = report["town"]
    note = (
        f"{report['machine']}; python {report['python']}; commit {report['commit'][:12]}; "
        f"`{report['command']}`. "
        f"In the meantime `hamletc check` of the town took {town['median_s']:.2f} ({town['fastest_s']:.2f} to "
        f"{town['slowest_s']:.2f}) CPU seconds, while {report['load']:.0f} processes wanted a CPU."
    )
    return f"{table}\n\n{note}"


def peers(reports: Reports) -> str:
    """Other ways to run the same town, one table for each kind of work."""
    if (report := reports.get("peers")) is None:
        return missing("python benchmarks/peers/run.py")
    kinds: dict[str, list[list[str]]] = {}
    for row in report["rates"]:
        seen = "f32 observations every tick" if row["observations"] else "no observations"
        kind = f"{row['ticks']:,} ticks, {seen}"
        ratio, rate = row["ours_over_it"], row["agent_ticks_per_s"]
        ours = row["what"].startswith("ours")
        kinds.setdefault(kind, []).append(
            [
                row["what"],
                spread(rate),
                "" if ours else f"{ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['most']:.2f})",
                row["leaves_out"],
            ]
        )
    parts = []
    for kind, rows in kinds.items():
        headings = ["what", "millions per second", "ours / it", "leaves out"]
        parts.append(f"**{kind}**\n\n" + markdown("lrrl", headings, rows))
    facts = report["machine"] | {"load": _between(*report["load"])}
    return "\n\n".join([*parts, source(facts, "cpu")])


def strategies(reports: Reports) -> str:
    """The answer to "code generation is worth 1.01x"."""
    if (report := reports.get("strategies")) is None:
        return missing("python benchmarks/strategies/run.py")
    rows = []
    for row in report["strategies"]:
        start = [row["letter"], row["title"]]
        if "reason" in row:
            rows.append([*start, f"not available: {row['reason']}", "", ""])
        else:
            rows.append([*start, spread(row), f"{row['ratio']:.3g}", row["verdict"]["text"]])
    headings = ("", "strategy", "million agent-ticks per second", "ratio to b", "equal to the interpreter")
    facts = report["machine"] | {"load": _between(*report["load"])}
    return f"{markdown('llrrl', headings, rows)}\n\n{source(facts)}"


def _backends(kind: str, reports: Reports) -> tuple[str, str]:
    """The backends of a table: for CPUs that which was measured last, or `c`."""
    return next((name for name in ON_CPUS if f"{kind}_{name}" in reports), ON_CPUS[0]), "triton"


def exactness(reports: Reports) -> str:
    """Times of kernels that are not exact, and their machine code."""
    parts = []
    for backend in _backends("exactness", reports):
        name = f"exactness_{backend}"
        if (report := reports.get(name)) is None:
            parts.append(
                missing(f"python benchmarks/exactness_price.py --backend {backend}", f"{backend}: not measured yet")
            )
            continue
        rows = [
            [row["name"], "none" if row["observed"] == "none" else "f32 every tick", spread(row),
             percent(row) if "percent" in row else "", f"{row['lanes_with_other_bits']:.1%}"]
            for row in report["rows"]
        ]  # fmt: skip
        headings = ("kernel", "observations", "millions per second", "exact takes more time", "agents with other bits")
        parts.append(f"**{backend}**\n\n{markdown('llrrr', headings, rows)}\n\n{source(report['facts'])}")
    names = [f"exactness_{backend}" for backend in ("triton", *ON_CPUS)]
    code = next((reports[name]["code"] for name in names if name in reports), {})
    if code:
        first = next(iter(code.values()))["rollout"]["every_tick"]
        rows = [
            [name, str(found["rollout"]["every_tick"]), f"{100 * (first / found['rollout']['every_tick'] - 1):+.1f}%",
             f"{found['rollout']['instructions']:,}", f"{found['step']['instructions']:,}"]
            for name, found in code.items()
        ]  # fmt: skip
        headings = ("sm_90, counted", "rollout: every tick", "exact has more", "rollout: in all", "step: in all")
        parts.append(markdown("lrrrr", headings, rows))
    return "\n\n".join(parts)


def telemetry(reports: Reports) -> str:
    """What statistics cost."""
    parts = []
    for backend in _backends("telemetry", reports):
        if (report := reports.get(f"telemetry_{backend}")) is None:
            command = f"python benchmarks/telemetry_cost.py --backend {backend}"
            parts.append(missing(command, f"{backend}: not measured yet"))
            continue
        rows = [
            [f"{row['ticks']:,}", row["name"], spread(row), percent(row) if "percent" in row else ""]
            for row in report["rows"]
        ]
        headings = ("ticks", "rollout", "millions per second", "more time")
        parts.append(f"**{backend}**\n\n{markdown('rlrr', headings, rows)}\n\n{source(report['facts'])}")
    return "\n\n".join(parts)


def scaling(reports: Reports) -> str:
    """The plots, and what the model was given."""
    parts = []
    for backend in _backends("scaling", reports):
        if (report := reports.get(f"scaling_{backend}")) is None:
            parts.append(
                missing(f"python benchmarks/scaling/run.py --backend {backend}", f"{backend}: not measured yet")
            )
            continue
        parts += [
            f"![{backend}: agent-ticks per second against {sweep}](performance/{backend}_{sweep}.png)"
            for sweep in report["sweeps"]
        ]
        machine = report["machine"]
        parts.append(
            f"The model of {backend} was given {machine['peak'] / 1e9:.0f} billion operations per second, "
            f"{machine['bandwidth'] / 1e9:.1f} GB/s, {1e6 * machine['launch']:.0f} us for a launch, and "
            f"{machine['width']:,} lanes at a time, all measured in the same run. {source(report['facts'])}"
        )
    return "\n\n".join(parts)


TABLES: dict[str, Table] = {
    table.__name__: table
    for table in (
        rollout, headline, first_step, sizes, texts, peers, strategies, kernels, pipes, phases, model, exactness,
        telemetry, scaling,
    )
}  # fmt: skip
