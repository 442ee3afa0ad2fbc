"""`hamletc attest`: does a certificate hold?"""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from hamlet.terminal import visible_lines


@click.command()
@click.argument("package", type=click.Path(path_type=Path))
@click.option(
    "--certificate", type=click.Path(path_type=Path), help="Beside the package by default, as NAME.proof.json."
)
@click.option("--trust-queries", is_flag=True, help="Ask no solver: count queries, and take them on trust.")
def attest(package: Path, certificate: Path | None, trust_queries: bool) -> None:
    """Check the certificate that `hamletc prove` wrote for a generated PACKAGE.

    The checker is one file that shares no code with the prover, `hamlet_lab/proof/attest.py`, and does the same
    without hamletc. Here the certificate's tick IR is held to the one that the universe is lowered to, too. Exit code 1
    if the certificate is refused.
    """
    from hamlet.errors import HamletError
    from hamlet.package.module import load
    from hamlet_lab.proof import attest as checker
    from hamletc.compile import lower
    from hamletc.ir.text import print_program

    module = load(package)
    try:
        checked = checker.attested(module.path, certificate, not trust_queries)
    except checker.RefusedError as error:
        raise HamletError(f"refused: {error}") from error
    if print_program(lower(module.universe).program) != checked.data["ir"]:
        raise HamletError("refused: the certificate's tick IR is not the one that this hamletc lowers the universe to")
    click.echo(visible_lines("\n".join(checked.lines())))
