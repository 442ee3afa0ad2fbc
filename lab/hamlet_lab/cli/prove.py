"""`hamletc prove`: is compiled PTX right in all states?"""

from __future__ import annotations

from pathlib import Path

import rich_click as click

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

    The kernel is that of worlds of one agent, without observations. For each word of memory that it must leave it is
    shown, for all states within bounds at once, that the PTX leaves it and nothing else. A word that is not proven is
    named, with a state where one shows that it is wrong; that state is written as a recorded run, beside where the
    certificate would be, and `hamletc diff` replays it. Exit code 1 if a word is not proven. It needs bitwuzla:
    pip install 'hamletc[proof]'. Where all are proven, a certificate is written, which `hamletc attest` checks.
    """
    from hamlet_lab.proof.attest import beside
    from hamlet_lab.proof.counterexample import counterexample
    from hamlet_lab.proof.report import prove_package
    from hamlet_lab.verify.recording import write_recording
    from hamletc.cli.package import open_package

    module = open_package(universe)
    report = prove_package(module, architecture, name=kernel)
    click.echo(visible_lines("\n".join(report.lines())))
    if not report.proof.failed:
        from hamlet_lab.proof.certificate import certificate as certified

        path = certificate or beside(module.path, kernel)
        path.write_text(certified(report), encoding="utf-8")
        click.echo(f"{'written':10}{path}")
        return
    if (run := counterexample(report)) is not None:
        path = beside(module.path, kernel)
        path = path.with_name(path.name.removesuffix(".proof.json") + ".counterexample.npz")
        write_recording(run, path)
        click.echo(f"{'written':10}{path}")
        click.echo(f"{'replay':10}hamletc diff {path} {universe}@{architecture}")
    ctx.exit(1)
