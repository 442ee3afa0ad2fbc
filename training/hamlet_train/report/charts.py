"""Charts as SVG: lines with bands over the ticks of a training, and shares that are stacked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = ("#2563a8", "#d9792b", "#3a8f4d", "#b4373c", "#7b5aa6", "#85604a", "#c26aa0", "#6b7280", "#a0a33a", "#2f9fb0")
WIDTH, HEIGHT = 420, 240
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 12, 34
STEPS = 5
"""Lines of a grid, about."""

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Line:
    """A line, and the band around it: [(x, low, high)]. A level is a line of one point, drawn over the whole width."""

    name: str
    points: Points
    band: Sequence[tuple[float, float, float]] = ()
    thin: Sequence[Points] = ()
    dashed: bool = False
    colour: str = ""

    @property
    def heights(self) -> list[float]:
        """All values that have to be in the picture."""
        values = [y for _, y in self.points]
        values += [each for _, low, high in self.band for each in (low, high)]
        return [*values, *(y for line in self.thin for _, y in line)]


@dataclass(frozen=True, slots=True)
class Frame:
    """From numbers to places in a picture."""

    first: float
    last: float
    low: float
    high: float

    def x(self, number: float) -> float:
        return LEFT + (number - self.first) / max(self.last - self.first, 1e-9) * (WIDTH - LEFT - RIGHT)

    def y(self, number: float) -> float:
        return HEIGHT - BOTTOM - (number - self.low) / max(self.high - self.low, 1e-9) * (HEIGHT - TOP - BOTTOM)

    def path(self, points: Points) -> str:
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)


def lines(title: str, along: str, drawn: Sequence[Line]) -> str:
    """A chart of lines."""
    heights = [value for line in drawn for value in line.heights if math.isfinite(value)]
    across = [x for line in drawn if len(line.points) > 1 for x, _ in line.points] or [0.0, 1.0]
    low, high = min(heights, default=0.0), max(heights, default=1.0)
    margin = 0.06 * (high - low) or 1.0
    frame = Frame(min(across), max(across), low - margin, high + margin)
    parts = _axes(frame, along)
    for number, line in enumerate(drawn):
        colour = line.colour or COLOURS[number % len(COLOURS)]
        if line.band:
            around = [(x, most) for x, _, most in line.band] + [(x, least) for x, least, _ in reversed(line.band)]
            parts.append(f'<polygon points="{frame.path(around)}" fill="{colour}" opacity="0.18"/>')
        for thin in line.thin:
            parts.append(_polyline(frame.path(thin), colour, 0.7, opacity=0.45))
        level = len(line.points) == 1
        points = [(frame.first, line.points[0][1]), (frame.last, line.points[0][1])] if level else line.points
        parts.append(_polyline(frame.path(points), colour, 1.3 if line.dashed else 2.0, dashed=line.dashed))
    named = [(line.name, line.colour or COLOURS[n % len(COLOURS)], line.dashed) for n, line in enumerate(drawn)]
    return _figure(title, parts, named)


def stacked(title: str, along: str, xs: Sequence[float], shares: Mapping[str, Sequence[float]]) -> str:
    """Shares of a whole over a training, each above the one before it."""
    frame = Frame(min(xs, default=0.0), max(xs, default=1.0), 0.0, 1.0)
    parts, base = list[str](), [0.0] * len(xs)
    for number, values in enumerate(shares.values()):
        top = [below + value for below, value in zip(base, values, strict=True)]
        around = [*zip(xs, top, strict=True), *reversed(list(zip(xs, base, strict=True)))]
        colour = COLOURS[number % len(COLOURS)]
        parts.append(f'<polygon points="{frame.path(around)}" fill="{colour}" opacity="0.85"/>')
        base = top
    named = [(name, COLOURS[number % len(COLOURS)], False) for number, name in enumerate(shares)]
    return _figure(title, [*parts, *_axes(frame, along, percent=True)], named)


def _axes(frame: Frame, along: str, percent: bool = False) -> list[str]:
    parts = []
    for value in _round_numbers(frame.low, frame.high):
        y, text = frame.y(value), f"{100 * value:.0f} %" if percent else _short(value)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 3.5:.1f}" class="tick end">{text}</text>')
    for value in _round_numbers(frame.first, frame.last):
        x = frame.x(value)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 15}" class="tick middle">{_short(value)}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{HEIGHT - 4}" class="tick middle">{escape(along)}</text>')
    return parts


def _round_numbers(low: float, high: float) -> list[float]:
    """Numbers to label between two."""
    size = (high - low) / STEPS
    if not size > 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(size))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= size)
    first = math.ceil(low / step)
    return [number * step for number in range(first, math.floor(high / step) + 1)]


def _short(value: float) -> str:
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}" if abs(value) > 1e-9 else "0"


def _polyline(path: str, colour: str, width: float, dashed: bool = False, opacity: float = 1.0) -> str:
    dashes = ' stroke-dasharray="6 4"' if dashed else ""
    style = f'stroke="{colour}" stroke-width="{width}" opacity="{opacity}"'
    return f'<polyline points="{path}" fill="none" {style}{dashes}/>'


def _figure(title: str, parts: Sequence[str], named: Sequence[tuple[str, str, bool]]) -> str:
    key = "".join(
        f'<li><span class="{"dash" if dashed else "box"}" style="--c:{colour}"></span>{escape(name)}</li>'
        for name, colour, dashed in named
    )
    label = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title, quote=True)}"'
    drawing = f"<svg {label}>{''.join(parts)}</svg>"
    return f"<figure><figcaption>{escape(title)}</figcaption>{drawing}<ul>{key}</ul></figure>"
