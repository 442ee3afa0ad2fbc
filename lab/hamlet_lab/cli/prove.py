"""`hamletc prove`: is compiled PTX right in all states?"""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from hamlet.package.module import Module
from hamlet.schema.abi import Kernel
from hamlet.terminal import visible_lines
from hamlet_lab.runners import ARCHITECTURES


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option(
    "--ptx", "architecture", type=click.Choice(ARCHITECTURES), default="sm_90", show_default=True, help="For this GPU."
)
@click.option(
    "--kernel",
    type=click.Choice(("step", "reset", "observe")),
    default="step",
    show_default=True,
    help="Of worlds that step, that begin episodes, or that say what may be done.",
)
@click.option(
    "-o",
    "--certificate",
    type=click.Path(path_type=Path),
    help="Where the certificate goes: beside the package by default, as NAME.proof.json, or NAME.reset.proof.json.",
)
@click.pass_context
def prove(ctx: click.Context, universe: Path, architecture: str, kernel: Kernel, certificate: Path | None) -> None:
    """Prove that the PTX of a kernel of UNIVERSE (a file, or a generated package) does what the tick IR says.

    The kernel is that of worlds of the fewest agents there may be, without observations. For each word of memory that
    it must leave it is shown, for all states within bounds at once, that the PTX leaves it and nothing else. A word
    that is not proven is named, with a state where one shows that it is wrong; that state is written as a recorded run,
    beside where the certificate would be, and `hamletc diff` replays it. Where all are proven, a certificate is
    written, which `hamletc attest` checks. Of every load and store of every thread, also of those that are no agents,
    it is shown that it stays within its array. Exit code 1 if anything of it is not
    proven. It needs bitwuzla: pip install 'hamletc[proof]'.
    """
    from hamlet_lab.proof.attest import beside
    from hamlet_lab.proof.counterexample import counterexample
    from hamlet_lab.proof.of_ir import UnprovenError
    from hamlet_lab.proof.report import prove_package
    from hamlet_lab.verify.recording import write_recording
    from hamletc.cli.package import open_package

    module = open_package(universe)
    try:
        report = prove_package(module, architecture, name=kernel)
    except UnprovenError:
        _echo_memory(module, architecture, kernel)
        raise
    click.echo(visible_lines("\n".join(report.lines())))
    within = _echo_memory(module, architecture, kernel)
    if not report.proof.failed:
        from hamlet_lab.proof.certificate import certificate as certified

        path = certificate or beside(module.path, kernel)
        path.write_text(certified(report), encoding="utf-8")
        click.echo(f"{'written':10}{path}")
        ctx.exit(0 if within else 1)
    if (run := counterexample(report)) is not None:
        path = beside(module.path, kernel)
        path = path.with_name(path.name.removesuffix(".proof.json") + ".counterexample.npz")
        write_recording(run, path)
        click.echo(f"{'written':10}{path}")
        click.echo(f"{'replay':10}hamletc diff {path} {universe}@{architecture}")
    ctx.exit(1)


def _echo_memory(module: Module, architecture: str, kernel: Kernel) -> bool:
    """Say whether all loads and stores stay within their arrays."""
    from hamlet_lab.proof.accesses import proven
    from hamlet_lab.proof.of_ir import UnprovenError

    within = True
    try:
        for each in proven(module.kernels("triton"), module.universe, architecture, kernel):
            click.echo("\n".join(each.lines()))
            within &= not each.failed
    except UnprovenError as error:
        click.echo(f"{'memory':10}not known: {error}")
        return False
    return within
