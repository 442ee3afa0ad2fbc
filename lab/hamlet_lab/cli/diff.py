"""`hamletc diff`: where do two runs part?"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

import rich_click as click

from hamlet.terminal import visible_lines

PICTURES = (".svg", ".png")
LIVES, QUICK_LIVES = (256, 500), (64, 100)
"""Worlds and ticks in which two universes are played side by side."""


@click.command()
@click.argument("left")
@click.argument("right")
@click.option("--worlds", type=click.IntRange(min=1), help="How many worlds; the default is odd on purpose.")
@click.option("--ticks", type=click.IntRange(1, 2**20), help="Ticks of each kind of play.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--quick", is_flag=True, help="Compare less.")
@click.option("--common", is_flag=True, help="Where one side has more than the other, compare what both have.")
@click.option("--picture", type=click.Path(path_type=Path), help="Draw two universes, into NAME.svg or NAME.png.")
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
    picture: Path | None,
    as_json: bool,
) -> None:
    """Find the first value in which LEFT and RIGHT differ: the operation, its inputs, the rule and its source line.

    A side is a universe (a file, a pack, or a generated package), with @BACKEND behind it: interpreter, ir (its
    program, by the definition of each operation), c, triton, or sm_80, sm_90, sm_100 (compiled PTX, executed on
    the CPU). By default it is the interpreter, of a package its kernels in C. @BACKEND alone is the universe of the
    other side.

    What stands on one side only (meters, actions, params, observations, reports, ...) or in another order is listed,
    and is a difference; with --common it is listed, and what both have is compared.

    Of two universes that say different things it is also said which parts are new, gone or changed, and what that does
    to lives, returns, uses and ends, with the same random numbers on both sides.

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
    if picture is not None and picture.suffix not in PICTURES:
        raise click.BadParameter(f"{picture} ends in neither .svg nor .png.", param_hint="--picture")
    paths = [side.path for side in sides.values() if side.path is not None]
    if not paths:
        raise click.BadParameter("one of both sides has to name a universe.", param_hint="LEFT")

    from hamlet_lab.diff.behaviour import behaviour
    from hamlet_lab.diff.diff import diff as compare
    from hamlet_lab.diff.meaning import meaning
    from hamlet_lab.verify import QUICK, THOROUGH

    effort = QUICK if quick else THOROUGH
    effort = replace(effort, worlds=worlds or effort.worlds, ticks=ticks or effort.ticks)
    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder, Console(stderr=True).status("comparing"):
        ours, theirs = open_sides(list(sides.values()), Path(folder))
        report = compare(ours, theirs, effort, seed, common)
        parts = meaning(ours, theirs)
        few, short = QUICK_LIVES if quick else LIVES
        played = behaviour(ours, theirs, worlds or few, ticks or short, seed) if parts or picture is not None else None
    if as_json:
        told = json.loads(report.to_json()) | {"meaning": [asdict(part) for part in parts]}
        told["behaviour"] = None if played is None else asdict(played)
        click.echo(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        click.echo(visible_lines(report.render()))
        if parts:
            click.echo(visible_lines("\n".join(["meaning:", *(line for part in parts for line in part.lines())])))
        if played is not None:
            click.echo(visible_lines("\n".join(played.lines())))
    if picture is not None and played is not None:
        from hamlet_lab.diff.picture import draw

        draw((ours.label, theirs.label), played, picture)
        click.echo(f"picture  {picture}", err=as_json)
    if not report.ok:
        ctx.exit(1)
