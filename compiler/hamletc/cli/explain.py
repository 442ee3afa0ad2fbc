"""`hamletc explain`: what a diagnostic means, and what to do; what changes a meter; what became of a construct."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import fill, indent

import rich_click as click

from hamlet.terminal import visible_lines
from hamletc.codes import CODES
from hamletc.errors import CompileError
from hamletc.explained import section

FENCE = re.compile(r"^```\w*\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]+`")
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
WIDTH = 100
"""Columns that prose takes at most."""


@click.command()
@click.argument("subjects", metavar="CODE... | UNIVERSE NAME...", nargs=-1, required=True)
@click.option("--at", "state", multiple=True, metavar="NAME=NUMBER",
              help="Of a meter: at a state in which a meter or a param is this. Repeatable.")  # fmt: skip
def explain(subjects: tuple[str, ...], state: tuple[str, ...]) -> None:
    """Print what CODE means (H050, as `hamletc check` prints it), with an example, and what to do.

    Of a UNIVERSE (a file or a pack): print all that raises and lowers the meter NAME, in the order of a tick, with its
    amounts at the start of an episode, and where the meter drifts; and of a rule, an affordance or any other construct
    NAME its text, what the Universe says, its operations, and the lines of kernels.
    """
    if _is_universe(subjects[0]):
        _universe(Path(subjects[0]), subjects[1:], state)
        return
    if state:
        raise click.UsageError("--at is about a meter of a universe.")
    _codes(subjects)


def _is_universe(text: str) -> bool:
    """Whether a subject is a path: no code is called like one."""
    return text.endswith(".hamlet") or "/" in text or Path(text).exists()


def _universe(path: Path, names: tuple[str, ...], state: tuple[str, ...]) -> None:
    from hamletc.cli.params import numbers_of
    from hamletc.compile import check, emit_texts, lower, optimise
    from hamletc.explanation import construct, meter
    from hamletc.frontend import Stopwatch
    from hamletc.read import read_universe
    from hamletc.targets.target import working_targets, written_by

    if not names:
        raise click.UsageError("name a meter or a construct behind the universe.")
    reading = read_universe(path, Stopwatch())
    universe = check(reading).universe
    numbers = numbers_of(state)
    world = () if universe.world is None else universe.world.meters
    meters = {each.name: each.span for each in world} | {each.name: each.span for each in universe.meters}
    named = construct.named(universe)
    copies = {each.copy_of: each.name for each in reversed(universe.affordances)}
    names = tuple(_meant(copies.get(name, name), (*meters, *named)) for name in names)
    for name in names:
        if name not in meters and name not in named:
            hint = construct.nearest(universe, name)
            raise CompileError(f"{universe.name} has nothing named {name}{hint}")
    lowered = lower(universe)
    for number, name in enumerate(names):
        if number:
            click.echo()
        if name in meters:
            span = meters[name]
            place = f"{universe.sources[span.file]}:{span.line}"
            about = meter.explained(reading, universe, lowered.program, name, numbers)
            at = "the start of an episode" + "".join(f", {each} = {value:g}" for each, value in numbers.items())
            click.echo(visible_lines("\n".join(meter.lines(about, place, at))))
            continue
        optimised = optimise(lowered)
        targets = working_targets()
        texts = emit_texts(optimised, targets)
        kernels = {target: texts[written_by(target)] for target in targets}
        for stage in construct.stages(reading, universe, optimised.program, kernels, name):
            click.echo(visible_lines("\n".join(construct.lines(stage))))


def _meant(name: str, names: tuple[str, ...]) -> str:
    """The full name of what is named: a meter of a role may be called by its own."""
    of_roles = [each for each in names if each.endswith(f".{name}")]
    return of_roles[0] if name not in names and of_roles else name


def _codes(codes: tuple[str, ...]) -> None:
    from rich.console import Console
    from rich.text import Text

    explained = [_code_of(code) for code in codes]
    console = Console(highlight=False)
    width = min(console.width, WIDTH)
    for number, code in enumerate(explained):
        if number:
            console.print()
        about = CODES[code]
        colour = "red" if about.severity == "error" else "yellow"
        heading = Text.assemble((f"{about.severity}[{code}]", f"bold {colour}"), ": ", (about.title, "bold"))
        console.print(heading, soft_wrap=True)
        console.print()
        # Every second part is what stands between fences: an example, whose lines stay as they are.
        for index, part in enumerate(FENCE.split(section(code))):
            if index % 2:
                console.print(Text(indent(part, "    "), style="dim"), soft_wrap=True)
                continue
            paragraphs = [LINK.sub(r"\1", paragraph) for paragraph in part.strip().split("\n\n")]
            wrapped = (fill(each, width, break_long_words=False, break_on_hyphens=False) for each in paragraphs)
            if prose := Text("\n\n".join(wrapped)):
                prose.highlight_regex(CODE, "cyan")
                console.print(prose, soft_wrap=True)


def _code_of(text: str) -> str:
    """The code that is meant: `H050`, `h50` or `50`, also in brackets as it is printed."""
    if number := re.fullmatch(r"(?:error|warning)?\[?[Hh]?(\d{1,3})\]?", text):
        code = f"H{int(number[1]):03}"
        if code in CODES:
            return code
    from hamletc.suggest import closest

    meant = closest(text, CODES)
    hint = f": did you mean {meant}?" if meant else ": codes are H001 and so on."
    raise click.BadParameter(f"there is no diagnostic {text!r}{hint}", param_hint="CODE")
