"""Little universes at the edges of binary32: number n is always the same text.

Each has a few quantities whose bounds are edges (0, subnormal numbers, the largest) and a line or two of expressions
made of them by every operator and function, where a universe can have one: reward, report, statement, cascade,
affordance, draw, guard.
"""

from __future__ import annotations

import random

EDGES = (
    *("0", "1e-45", "1e-44", "1e-40", "1.1754942e-38", "1.1754944e-38", "1e-38", "2e-38", "1e-30", "1e-19", "1e-10"),
    *("0.001", "0.1", "0.5", "0.99999994", "1", "1.0000001", "2", "10", "88", "90", "127", "128", "1000", "16777216"),
    *("16777218", "1048576", "1e9", "1e19", "1.8446743e19", "1.8446745e19", "1e20", "6e23", "1e30", "1e38", "3e38"),
    *("3.3895314e38", "3.4e38", "3.4028235e38"),
)
MODEST = ("0", "0.001", "0.1", "0.5", "1", "2", "3", "10", "24", "87")
UNARY = ("sqrt", "exp", "exp2", "log", "log2", "sin", "cos", "tanh", "sigmoid", "floor", "ceil", "round", "abs", "-")
BINARY = ("+", "-", "*", "/", "min", "max", "pow", "mod", "atan2")
DRAWS = ("uniform", "normal", "choice", "integer")
SPACES = (
    "space none",
    "space grid 3 x 3",
    "space grid 2 x 2 { places stored }",
    "space continuous (0 .. 10) { step 1  reach 1 }",
    "space continuous (-1e9 .. 1e9) x (0 .. 1e-38) { step 1e-38  reach 1e9  edges wrap }",
    "space continuous (1 .. 1.0000001) x (-1e9 .. -999999936) { step 1e-7  reach 1  edges bounce  distance manhattan }",
)
LIVES = ("lifespan 1 ticks", "lifespan 20 ticks { reward 1 }", "lifespan 500 ticks", "lifespan 10000000 ticks", "")


class Author:
    """Writes one universe."""

    def __init__(self, number: int) -> None:
        self._chosen = random.Random(f"edges {number}")
        self._modest = self._chosen.random() < 0.6
        self._space = self._chosen.choice(SPACES)
        self._clock = self._chosen.random() < 0.2
        self._drawn = True
        self._in_cascade = False

    def edge(self) -> str:
        """A number, mostly one that is not negative."""
        chosen = self._chosen
        text = chosen.choice(MODEST if self._modest and chosen.random() < 0.8 else EDGES)
        return f"-{text}" if text != "0" and chosen.random() < 0.2 else text

    def positive_edge(self) -> str:
        """A number above 0."""
        return self._chosen.choice(MODEST[1:] if self._modest else EDGES[1:])

    def bounds(self) -> tuple[str, str]:
        """Two numbers in order."""
        while True:
            low, high = sorted((self.edge(), self.edge()), key=float)
            if float(low) < float(high):
                return low, high

    def leaf(self) -> str:
        """A quantity or a number."""
        words = ["a", "a", "b", "b", "p", "i"]
        words += ["age"] * self._often(0.3) + ["hour", "day_sin"] * (self._clock and self._often(0.5))
        if not self._space.startswith("space none"):
            words += ["position x", "velocity x", "speed", "distance to Bed", "straight distance to Bed"] * self._often(
                0.3
            )
        words += ["previous(a)"] * self._often(0.1)
        words += ["deficit", "shortfall", "shortfall"] * self._in_cascade
        if self._chosen.random() < 0.3:
            return self.edge()
        return self._chosen.choice(words)

    def _often(self, probability: float) -> bool:
        return self._chosen.random() < probability

    def expression(self, depth: int) -> str:
        """A number; `depth` operations at most, one in the other."""
        chosen = self._chosen
        if depth == 0:
            return self.leaf()
        kind = chosen.random()
        a = self.expression(depth - 1)
        if kind < 0.35:
            op = chosen.choice(UNARY)
            return f"{op}({self._fitting(op, a)})"
        b = self.expression(depth - 1)
        if kind < 0.8:
            op = chosen.choice(BINARY)
            if op == "pow":
                return f"pow({self._positive(a)}, {b})"
            if op == "mod":
                limited = f"clamp({a}, -1e10, {self.positive_edge()})" if self._often(0.6) else a
                return f"mod({limited}, {self._positive(b)})"
            if op == "/":
                return f"({a} / {self._positive(b)})"
            return f"{op}({a}, {b})" if op in ("min", "max", "atan2") else f"({a} {op} {b})"
        if kind < 0.87:
            return f"clamp({a}, {', '.join(self.bounds())})"
        if kind < 0.93 or not self._drawn:
            return f"(if {self.condition(0)} then {a} else {b})"
        match chosen.choice(DRAWS):
            case "normal":
                return f"normal({a}, {self.positive_edge() if chosen.random() < 0.5 else b})"
            case "integer":
                return "integer(-3, 16777216)"
            case draw:
                return f"{draw}({a}, {b})"

    def _fitting(self, function: str, argument: str) -> str:
        """Mostly something that a function takes."""
        if self._often(0.2):
            return argument
        match function:
            case "sqrt":
                return f"abs({argument})"
            case "log" | "log2":
                return self._positive(argument)
            case "sin" | "cos":
                return f"clamp({argument}, -1048576, 1048576)"
            case "exp" | "exp2":
                return f"min({argument}, {self._chosen.choice(('0', '1', '88', '88.7', '88.722', '127', '127.999'))})"
            case _:
                return argument

    def _positive(self, argument: str) -> str:
        """Often something above 0."""
        kind = self._chosen.random()
        if kind < 0.6:
            return f"max({argument}, {self._chosen.choice(EDGES[1:])})"
        return f"(abs({argument}) + {self._chosen.choice(EDGES[1:])})" if kind < 0.9 else argument

    def _between_ticks(self) -> str:
        """A number that is known between ticks: nothing is drawn, nothing put in."""
        argument = self._fitting("exp", "a")
        return f"{self._chosen.choice(UNARY)}({argument}) {self._chosen.choice('+-*')} {self.edge()}"

    def condition(self, depth: int) -> str:
        """A comparison."""
        return f"{self.expression(depth)} {self._chosen.choice(('<', '>', '<=', '>='))} {self.expression(depth)}"

    def universe(self) -> str:
        """The text."""
        chosen, lines = self._chosen, ["universe edge", "inert allowed", self._space]
        lines += ["clock 24 hours"] * self._clock
        life = chosen.choice(LIVES)
        lines += [life] * bool(life) + ["episodes by hand"] * self._often(0.1)
        for word, name in (("meter", "a"), ("meter", "b"), ("param", "p"), ("input", "i")):
            low, high = self.bounds()
            self._drawn = True
            drain = f" {{ decay {self.expression(1)} }}" if word == "meter" and self._often(0.15) else ""
            lines.append(f"{word} {name} = {chosen.choice((low, high))} in {low} .. {high}{drain}")
        at = "" if self._space == "space none" else " at random"
        lines.append(
            f"affordance Bed{at} {{ instantly {{ a {chosen.choice(('+=', '-=', '='))} {self.expression(1)} }} }}"
        )
        sites = [self._line(site) for site in range(chosen.choice((1, 1, 2)))]
        lines += sites
        if not any(line.startswith("reward") for line in sites):
            lines.append(f"reward {chosen.choice(('0.1 * sin(age)', 'tanh(a)', '1 when a > b', 'b'))}")
        lines.append(
            "observe { meters  params }" if self._often(0.7) else f"observe {{ meters  constant {self.edge()} }}"
        )
        return "\n".join(lines) + "\n"

    def _line(self, site: int) -> str:
        """A declaration with an expression."""
        chosen, depth = self._chosen, self._chosen.choice((1, 1, 2, 2, 3))
        op = chosen.choice(("+=", "-=", "="))
        loose = " unclamped" * self._often(0.4)
        match chosen.randrange(11):
            case 0 | 1 | 2:
                return f"reward {self.expression(depth)}" + f"\nreward {self.expression(1)}" * self._often(0.3)
            case 3 | 4:
                return f"report r{site}: {self.expression(depth)}"
            case 5:
                return f"rule r{site}: a {op} {self.expression(depth)}{loose}"
            case 6:
                return f"rule r{site} {{ together {{ a {op} {self.expression(depth)}  b {op} {self.expression(1)} }} }}"
            case 7:
                self._in_cascade = True
                body = f"a {op} {self.expression(depth)}{loose}"
                self._in_cascade = False
                return f"cascade c{site}: b < {self.edge()} -> {body}"
            case 8:
                at = "" if self._space == "space none" else " at random"
                return (
                    f"affordance Job{site}{at} lasts 2 ticks{' together' * (not loose)} {{ each tick {{ a {op} "
                    f"{self.expression(depth)}{loose} }} on completion {{ a += {self.expression(1)}{loose} }} }}"
                )
            case 9:
                return (
                    f"rule s{site}: a > 0 -> a {op} b\nallow WAIT when b {chosen.choice('<>')} {self._between_ticks()}"
                )
            case _:
                return f"rule r{site}: {self.condition(depth - 1)} -> b {op} {self.expression(1)}{loose}"


def text(number: int) -> str:
    """The source of the universe of this number."""
    return Author(number).universe()
