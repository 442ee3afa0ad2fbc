"""`hamletc explain`: what a diagnostic means, and what to do."""

from __future__ import annotations

import re
from textwrap import fill, indent

import rich_click as click

from hamletc.codes import CODES
from hamletc.explained import section

FENCE = re.compile(r"^```\w*\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]+`")
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
WIDTH = 100
"""Columns that prose takes at most."""


@click.command()
@click.argument("codes", metavar="CODE...", nargs=-1, required=True)
def explain(codes: tuple[str, ...]) -> None:
    """Print what CODE means (H050, as `hamletc check` prints it), with an example, and what to do."""
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
