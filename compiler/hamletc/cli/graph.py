"""`hamletc graph`: meters and what acts on them, as a picture."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from hamletc.errors import CompileError

FORMATS = {".svg": "svg", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid"}


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["svg", "dot", "mermaid"]),
              help="By default that of the output's name: .svg, .dot, .mmd; without an output mermaid.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file; by default standard output.")
def graph(universe: Path, form: str | None, output: Path | None) -> None:
    """Draw the meters of UNIVERSE and what acts on them: affordances, actions, rules and cascades.

    Widths are strengths: amounts of a use, or of a tick at the full deficit. Green raises, red lowers, grey sets or
    does nothing at the start of an episode; links of meters that act on each other in a loop are marked.
    """
    from hamletc.compile import check_file, lower
    from hamletc.frontend import Stopwatch
    from hamletc.graph import drawn
    from hamletc.graph.links import graph_of

    if form is None and output is not None and output.suffix not in FORMATS:
        raise click.BadParameter(
            f"{output} ends in none of {', '.join(FORMATS)}: give --format.", param_hint="--output"
        )
    form = form or ("mermaid" if output is None else FORMATS[output.suffix])
    checked = check_file(universe, Stopwatch()).universe
    made = graph_of(checked, lower(checked).program)
    text = {"svg": drawn.svg, "dot": drawn.dot, "mermaid": drawn.mermaid}[form](made)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CompileError(f"cannot write {output}: {error.strerror}") from error
    loops = sum(link.loop for link in made.links)
    click.echo(f"{output}: {len(made.meters)} meters, {len(made.links)} links, {loops} of them in loops")
