"""A graph as DOT, as Mermaid, and as SVG: widths are strengths, colours are signs, loops are marked."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from hamletc.graph.links import Graph, Link

RAISES, LOWERS, SETS, LOOP = "#2e7d32", "#c62828", "#546e7a", "#ef6c00"
THINNEST, THICKEST = 1.0, 8.0
ROW, LEFT, RIGHT, BOX, TOP = 34, 230, 620, 160, 56


def width(graph: Graph, link: Link) -> float:
    """The width of a link: its share in the strongest of its kind, of uses or of what happens by itself."""
    alike = [abs(each.amount or 0) for each in graph.links if _kind(each) == _kind(link)]
    share = abs(link.amount or 0) / (max(alike, default=0) or 1)
    return round(THINNEST + (THICKEST - THINNEST) * share, 2)


def _kind(link: Link) -> str:
    return "use" if link.by.startswith(("affordance ", "action ")) else "alone"


def colour(link: Link) -> str:
    """The colour of a link."""
    if link.amount is None or link.amount == 0:
        return SETS
    return RAISES if link.amount > 0 else LOWERS


def label(link: Link) -> str:
    """The construct and its amount."""
    amount = "" if link.amount is None else f" {link.amount:+.4g}"
    return f"{link.by}{amount}{' (loop)' if link.loop else ''}"


def dot(graph: Graph) -> str:
    """The graph for Graphviz."""
    lines = [f"digraph {_quoted(graph.universe)} {{", "  rankdir=LR;", "  node [shape=ellipse];"]
    lines += [f"  {_quoted(name)} [label={_quoted(f'{name} {_drift(graph, name)}'.strip())}];" for name in graph.meters]
    lines += [f"  {_quoted(name)} [shape=box];" for name in graph.doers]
    for link in graph.links:
        style = ", style=bold" if link.loop else ""
        about = f'label={_quoted(label(link))}, penwidth={width(graph, link)}, color="{colour(link)}"{style}'
        lines.append(f"  {_quoted(link.source or link.by)} -> {_quoted(link.target)} [{about}];")
    return "\n".join([*lines, "}"]) + "\n"


def _drift(graph: Graph, name: str) -> str:
    """The decay of a meter in words: "-0.005 a tick"."""
    return "".join(f"{amount:+.4g} a tick" for meter, amount in graph.drifts if meter == name)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def mermaid(graph: Graph) -> str:
    """The graph for Mermaid."""
    numbers = {name: f"n{number}" for number, name in enumerate((*graph.meters, *graph.doers))}
    lines = ["flowchart LR"]
    lines += [f'  {numbers[name]}(["{escape(f"{name} {_drift(graph, name)}".strip())}"])' for name in graph.meters]
    lines += [f'  {numbers[name]}["{escape(name)}"]' for name in graph.doers]
    styles = []
    for number, link in enumerate(graph.links):
        arrow = "==>" if link.loop else "-->"
        lines.append(f'  {numbers[link.source or link.by]} {arrow}|"{escape(label(link))}"| {numbers[link.target]}')
        styles.append(f"  linkStyle {number} stroke:{colour(link)},stroke-width:{width(graph, link)}px")
    return "\n".join([*lines, *styles]) + "\n"


def svg(graph: Graph) -> str:
    """The graph as a picture: what agents do on the left, meters on the right, and behind these, as arcs, how they act
    on each other."""
    doers = graph.doers
    rows = max(len(doers), len(graph.meters), 1)
    places = {name: TOP + ROW * (number + 0.5) * rows / max(len(doers), 1) for number, name in enumerate(doers)}
    meters = {name: TOP + ROW * (number + 0.5) * rows / len(graph.meters) for number, name in enumerate(graph.meters)}
    height = TOP + ROW * rows + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1100 {height:g}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="1100" height="{height:g}" fill="white"/>',
        f'<text x="20" y="28" font-size="16">{escape(graph.universe)}</text>',
    ]
    parts += [part for link in graph.links for part in _line(graph, link, places, meters)]
    for name, y in places.items():
        parts.append(
            f'<rect x="{LEFT - BOX - 40}" y="{y - 11:g}" width="{BOX + 40}" height="22" rx="3" fill="#eceff1"/>'
        )
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:g}" text-anchor="end">{escape(name)}</text>')
    for name, y in meters.items():
        parts.append(
            f'<rect x="{RIGHT}" y="{y - 12:g}" width="{BOX}" height="24" rx="12" fill="#e3f2fd" stroke="#90a4ae"/>'
        )
        note = f" {_drift(graph, name)}".rstrip()
        parts.append(f'<text x="{RIGHT + 10}" y="{y + 4:g}">{escape(name)}<tspan fill="#78909c">{note}</tspan></text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _line(graph: Graph, link: Link, places: dict[str, float], meters: dict[str, float]) -> Iterator[str]:
    """The line of a link, with its label as a tip; a loop has a dashed line over it."""
    end = meters[link.target]
    if link.source:
        begin, edge = meters[link.source], RIGHT + BOX
        bow = edge + 40 + 0.35 * abs(end - begin)
        path = f"M {edge} {begin:g} C {bow:g} {begin:g}, {bow:g} {end:g}, {edge} {end:g}"
    elif link.by in places:
        begin = places[link.by]
        path = f"M {LEFT} {begin:g} C {LEFT + 150} {begin:g}, {RIGHT - 150} {end:g}, {RIGHT} {end:g}"
    else:
        return
    tip = f"<title>{escape(label(link))}</title>"
    stroke = f'stroke="{colour(link)}" stroke-width="{width(graph, link)}" stroke-opacity="0.6"'
    yield f'<path d="{path}" fill="none" {stroke}>{tip}</path>'
    if link.loop:
        yield f'<path d="{path}" fill="none" stroke="{LOOP}" stroke-width="1.5" stroke-dasharray="5 3"/>'
