"""`hamletc diff`: where do two runs part?"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import rich_click as click

from hamlet.terminal import visible_lines


@click.command()
@click.argument("left")
@click.argument("right")
@click.option("--worlds", type=click.IntRange(min=1), help="How many worlds; the default is odd on purpose.")
@click.option("--ticks", type=click.IntRange(1, 2**20), help="Ticks of each kind of play.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--quick", is_flag=True, help="Compare less.")
@click.option("--common", is_flag=True, help="Where one side has more than the other, compare what both have.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def diff(
    ctx: click.Context,
    left: str,
    right: str,
    worlds: int | None,
    ticks: int | None,
    seed: int,
    quick: bool,
    common: bool,
    as_json: bool,
) -> None:
    """Find the first value in which LEFT and RIGHT differ: the operation, its inputs, the rule and its source line.

    A side is a universe (a file, a pack, or a generated package), with @BACKEND behind it: interpreter, ir (its
    program, by the definition of each operation), c, triton, or sm_80, sm_90, sm_100 (compiled PTX, executed on
    the CPU). By default it is the interpreter, of a package its kernels in C. @BACKEND alone is the universe of the
    other side.

    What stands on one side only (meters, actions, params, observations, reports, ...) or in another order is listed,
    and is a difference; with --common it is listed, and what both have is compared.

    Exit code 0 if everything is equal and something happened, 1 if something differs, 2 for wrong usage.
    """
    from rich.console import Console

    from hamlet_lab.diff.open import open_sides, spec
    from hamlet_lab.runners import RUNNERS

    sides = {"LEFT": spec(left), "RIGHT": spec(right)}
    for name, side in sides.items():
        if side.backend is not None and side.backend not in RUNNERS:
            problem = f"{side.backend!r} is not one of {', '.join(RUNNERS)}."
            raise click.BadParameter(problem, param_hint=name)
    paths = [side.path for side in sides.values() if side.path is not None]
    if not paths:
        raise click.BadParameter("one of both sides has to name a universe.", param_hint="LEFT")

    from hamlet_lab.diff.diff import diff as compare
    from hamlet_lab.verify import QUICK, THOROUGH

    effort = QUICK if quick else THOROUGH
    effort = replace(effort, worlds=worlds or effort.worlds, ticks=ticks or effort.ticks)
    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder, Console(stderr=True).status("comparing"):
        ours, theirs = open_sides(list(sides.values()), Path(folder))
        report = compare(ours, theirs, effort, seed, common)
    click.echo(report.to_json() if as_json else visible_lines(report.render()))
    if not report.ok:
        ctx.exit(1)
