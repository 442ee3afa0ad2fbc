"""`hamletc lint`: what may be wrong with a universe, found by running it."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

import rich_click as click

from hamlet.terminal import visible_lines
from hamletc.kinds import expect


@click.command()
@click.argument("universe")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--allow", multiple=True, metavar="CODE", help="Do not report this code. Repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def lint(ctx: click.Context, universe: str, seed: int, allow: tuple[str, ...], as_json: bool) -> None:
    """Play UNIVERSE by simple policies, and say what may be wrong with it: each with its evidence, and a command that
    shows it.

    Meters that fall to their floor whatever one does, affordances that nobody gains from, rules that do not fire,
    rewards that can be farmed, and universes in which no simple policy survives.

    Exit code 0 if nothing is found, 1 otherwise.
    """
    from rich.console import Console

    from hamlet_lab.cli.trace import usual
    from hamlet_lab.diff.open import opened, spec
    from hamlet_lab.divergence.compiled import lowered
    from hamlet_lab.lint.findings import TITLES, Lint

    named = spec(universe)
    if named.path is None:
        raise click.BadParameter(f"{universe} names no universe.", param_hint="UNIVERSE")
    for code in allow:
        if code not in TITLES:
            raise click.BadParameter(f"there is no {code!r}: {', '.join(TITLES)}.", param_hint="--allow")
    expect(named.path, "text", "sources", "package", "nothing")
    with (
        tempfile.TemporaryDirectory(prefix="hamletc-") as folder,
        Console(stderr=True).status("compiling") as status,
    ):
        source = opened(named.path, Path(folder) / "package")
        side = source.side(named.backend or usual())
        judged = Lint(side, lowered(source.universe).program, str(named.path), seed)
        found = [each for each in judged.findings(status.update) if each.code not in allow]
    if as_json:
        click.echo(json.dumps([asdict(each) | {"title": TITLES[each.code]} for each in found], indent=1))
    else:
        for each in found:
            click.echo(visible_lines("\n".join(each.lines())) + "\n")
        count = "nothing found" if not found else f"{len(found)} finding{'s' if len(found) > 1 else ''}"
        click.echo(f"{side.label}: {count}")
    if found:
        ctx.exit(1)
