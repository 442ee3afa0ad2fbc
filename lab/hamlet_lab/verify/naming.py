"""Names of constructs for readers: of draws their text, which are counted by the site of their word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hamlet.interpreter import coverage
from hamlet.universe import Draw, DrawChoice, Span, Universe
from hamlet.universe.walk import nodes
from hamlet_lab.divergence.session import Side
from hamlet_lab.verify.fired import draw_events

LONGEST = 60
"""Characters of a draw's text; the middle of a longer one is left out."""


def named(side: Side, counts: Mapping[str, int]) -> dict[str, int]:
    """Counts of a side's constructs by the names that people read, in the same order."""
    names = draw_names(side.universe, side.texts)
    return {names.get(construct, construct): count for construct, count in counts.items()}


def draw_names(universe: Universe, texts: Mapping[str, str]) -> dict[str, str]:
    """By the name under which a draw, or what comes of it, is counted: its text and its line. Where the text is not at
    hand its kind, line and column stand for it. Copies, which have one place, are numbered in the order of the
    universe.

    Args:
        texts: the sources of the universe by file name, as far as they are at hand.
    """
    of_universe = [each for each in nodes(universe) if isinstance(each, Draw)]
    copies, before = Counter(each.span for each in of_universe), Counter[Span]()
    result: dict[str, str] = {}
    for draw in of_universe:
        before[draw.span] += 1
        copy = f", copy {before[draw.span]}" if copies[draw.span] > 1 else ""
        name = _name(draw, universe, texts) + copy
        for event in draw_events(draw):
            result[coverage.draw(draw, event)] = f"{name}: {_outcome(draw, event, universe, texts)}" if event else name
    return result


def _name(draw: Draw, universe: Universe, texts: Mapping[str, str]) -> str:
    span, file = draw.span, universe.sources[draw.span.file]
    place = f"line {span.line}" + (f" of {file}" if span.file else "")
    text = _written(span, texts.get(file, ""))
    if not text:
        return f"{type(draw).__name__.removeprefix('Draw').lower()} in {place}, column {span.column}"
    if len(text) > LONGEST:
        head, tail = text[: LONGEST // 2].rpartition(" ")[0], text[-LONGEST // 2 :].partition(" ")[2]
        text = f"{head} ... {tail}"
    return f"`{text}` in {place}"


def _outcome(draw: Draw, event: str, universe: Universe, texts: Mapping[str, str]) -> str:
    """The name of a draw's result; of an option also its text."""
    if not isinstance(draw, DrawChoice):
        return event
    span = draw.options[int(event.removeprefix("option ")) - 1].span
    text = _written(span, texts.get(universe.sources[span.file], ""))
    return f"{event}, `{text}`" if text and len(text) <= LONGEST else event


def _written(span: Span, text: str) -> str:
    """The text at a place, on one line; "" where it is not at hand."""
    lines = text.split("\n")[span.line - 1 : span.end_line]
    if not text or len(lines) <= span.end_line - span.line:
        return ""
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(" ".join(lines).split())
