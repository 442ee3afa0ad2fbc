"""`hamletc lint`: what may be wrong with a universe, found by its text and by running it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import rich_click as click

from hamlet.terminal import visible_lines
from hamletc.kinds import expect


@contextmanager
def _one_thread() -> Iterator[None]:
    """Torch computes in one thread: players move a thousand lanes, which are too few to share, and threads that find no
    CPU free wait for each other at every operation."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@click.command()
@click.argument("universe")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--allow", multiple=True, metavar="CODE", help="Do not report this code. Repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def lint(ctx: click.Context, universe: str, seed: int, allow: tuple[str, ...], as_json: bool) -> None:
    """Play UNIVERSE by simple policies, and say what may be wrong with it: each with its evidence, how sure that is,
    and a command that shows it.

    H357 meters that fall to their floor whatever one does, H358 affordances that are never worth their price, H359
    rules that do not fire, H348 rewards that can be farmed, H349 universes in which no simple policy survives.

    UNIVERSE is a file, a pack or a generated package, with @BACKEND behind it, as `hamletc diff` takes it. Exit code 0
    if there is no finding, 1 otherwise.
    """
    from rich.console import Console

    from hamlet_lab.cli.trace import usual
    from hamlet_lab.diff.open import beside, opened, spec
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
        _one_thread(),
        tempfile.TemporaryDirectory(prefix="hamletc-") as folder,
        Console(stderr=True).status("compiling") as status,
    ):
        source, backend = opened(named.path, Path(folder) / "package"), named.backend or usual()
        side, program = source.side(backend), lowered(source.universe).program
        judged = Lint(
            side, program, str(named.path), lambda variant: beside(variant, backend, Path(folder) / "variant"), seed
        )
        findings = [each for each in judged.findings(status.update) if each.code not in allow]
    if as_json:
        told = [asdict(each) | {"title": TITLES[each.code]} for each in findings]
        click.echo(json.dumps(told, indent=1, ensure_ascii=False))
    else:
        for each in findings:
            click.echo(visible_lines("\n".join(each.lines())) + "\n")
        plural = "s" if len(findings) > 1 else ""
        click.echo(f"{side.label}: " + (f"{len(findings)} finding{plural}" if findings else "no findings"))
    if findings:
        ctx.exit(1)
