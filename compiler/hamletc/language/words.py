"""Words with a meaning of their own apart from the keywords of the grammar, and symbols of other languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from hamlet.universe.functions import FUNCTIONS as OF_NUMBERS

PLACES = ("here", "last", "action", "used")
"""Words that are compared with names of declarations, and no numbers."""

RESERVED = frozenset(("and", "or", "not", "if", "then", "else", "when"))
"""Words that no name can be, but in backticks: they can stand wherever an expression begins or goes on."""

COUNTED = ("no", "one", "two", "three")


class Call(NamedTuple):
    """How a function is called: an example, and the fewest and the most arguments; `None`: any number."""

    example: str
    fewest: int
    most: int | None

    @classmethod
    def of(cls, form: str, optional: int = 0) -> Call:
        """The arguments are those of the example, of which the last ones can be left out; `...`: or more."""
        *_, last = arguments = form.split(",")
        if last.strip() == "...)":
            return cls(form.replace(", ...", ""), len(arguments) - 1, None)
        return cls(form, len(arguments) - optional, len(arguments))

    def takes(self, count: int) -> bool:
        """Whether it can have this number of arguments."""
        return self.fewest <= count and (self.most is None or count <= self.most)

    def __str__(self) -> str:
        """What it takes, as a message says it."""
        if self.most == self.fewest:
            return f"{COUNTED[self.fewest]} argument{'s' if self.fewest > 1 else ''}"
        if self.most is None:
            return f"{COUNTED[self.fewest]} or more arguments"
        return f"{COUNTED[self.fewest]} {'or' if self.most == self.fewest + 1 else 'to'} {COUNTED[self.most]} arguments"


def _called(*examples: str, **optional: int) -> dict[str, Call]:
    names = [example.partition("(")[0] for example in examples]
    return {name: Call.of(example, optional.get(name, 0)) for name, example in zip(names, examples, strict=True)}


AMONG = _called(
    *("average(a)", "count(a)", "highest(a)", "lowest(a)", "nearest(condition, x, otherwise)", "rank(condition, x)"),
    "total(a)",
    nearest=2,
)
"""What the agents of a world have together, and the place of one among them, or the nearest to it."""

HISTORY = _called(
    *("falling(energy < 0.2)", "lag(x, 3)", "mean(x, 8)", "rising(energy < 0.2)", "since(energy < 0.2, 20)"),
    "smooth(x, 0.1)",
    since=1,
)
"""What looks back at earlier ticks; these words are functions only where something in parentheses follows."""

DRAWS = _called(
    *("chance(0.1)", "choice(a, b, ...)", "exponential(mean)", "geometric(0.1)", "integer(1, 6)"),
    *("normal(mean, deviation)", "poisson(mean)", "uniform(low, high)"),
)
FUNCTIONS: Mapping[str, Call] = MappingProxyType(
    AMONG
    | DRAWS
    | _called(*(function.form for function in OF_NUMBERS.values()))
    | _called("neighbours(a, diagonal)", "own(a)", "previous(a)", neighbours=1)
)
"""Functions, by their names, and how they are called; those of numbers are the rows of `hamlet.universe.functions`."""
CALLS: Mapping[str, Call] = MappingProxyType({**FUNCTIONS, **HISTORY})
"""Whatever can be called."""
YIELDING_CALLS = frozenset(("atan2", "exponential", "geometric", "poisson"))
"""Functions that came later than those that a universe declares: one of that name hides them."""
QUANTITIES = {
    "deficit": "(threshold - source) / threshold of a cascade",
    "shortfall": "threshold - source of a cascade",
    "hour": "the hour of the clock",
    "day_sin": "the sine of the time of day",
    "day_cos": "the cosine of the time of day",
    "age": "the ticks an agent has lived",
    "progress": "the ticks spent on an affordance",
    "speed": "the length of the velocity",
    "here": "the place the agent stands on",
    "last": "the affordance that an agent used last",
    "action": "the action that an agent chose",
    "used": "what an agent used in this tick",
    "visited": "the number of affordances that an agent has used",
    "nothing": "a place without an affordance",
    "true": "a condition",
    "false": "a condition",
}
"""What they are, as a message says it."""

MEANINGS = frozenset(QUANTITIES)
"""Quantities: they mean a declaration only in backticks. None is added, for a text with a meter of that name would
break. Later ones give way to declarations, as those of `YIELDING` do. Functions are known by their parenthesis."""

YIELDING = {
    "pi": "half the angle of a turn",
    "agent": "the number of an agent",
    "agents": "how many agents a world has",
    "apart": "the distance between two agents",
    "other": "a condition, that an agent is not the one that asks",
}
"""Quantities that a declaration of the same name hides: `hamletc.checking.quantities` asks for declared names first."""

_FIRST = """
action add affordance after again agent agents all allow allowed and apart appears at begin blank bool by can
capacity carried cascade cell cells clock completion constant continuous control copies copy craft day days decay
dies directions distance drop each edges effect effects else end ends episodes every extends follows forever from
give graph grid hand here hexagons highest hour hours if ignore in include inert input instantly int interact item
items keeps kept lasts let lifespan lifetime lowest lying map meter meters momentum move moves near needs none not
nothing observe of on only open or others over override param params per pick places position progress random reach
real region renew report reward role rots rule sight slots space speed speeds stack stages start starts state step
straight streak teleport template terrain then tick ticks time to together track unclamped universe until up use
uses velocity walking wall wanders wear when window within without world x
"""
FIRST_KEYWORDS = frozenset(_FIRST.split())
"""The keywords of the grammar in 0.2.0. Any later one is a name wherever a name can stand and the text declares one."""

SHAPES: Mapping[str, str] = MappingProxyType(
    {
        "space": "space grid 8 x 8 { edges wrap }",
        "space hexagons": "space hexagons 8 x 8 { edges wrap }",
        "space continuous": "space continuous (0 .. 10) x (0 .. 10) { step 0.5  reach 1 }",
        "space graph": "space graph { home - road - shop }",
        "space none": "space none",
        "map": 'map { "####" "#..#" "####"  wall "#" }',
        "moves": "moves { NORTH (0, -1)  EAST (1, 0) }",
        "actions": "actions UP DOWN REST",
        "clock": "clock 24 hours",
        "lifespan": "lifespan 500 ticks { reward 1.0 }",
        "start": "start velocity (0.5, -1) speed 2",
        "episodes": "episodes by hand",
        "track": "track uses by world",
        "inert": "inert allowed",
        "param": "param wage = 0.1 in 0 .. 1",
        "input": "input signal = 0 in -1 .. 1",
        "control": "control thrust in -1 .. 1",
        "include": 'include "needs.hamlet"',
        "without": "without rule ageing",
        "override": "override rule ageing: health -= 0.001",
        "template": "template Shop(name, price) { affordance name at random { ... } }",
        "use": "use Shop(Bakery, 0.05)",
        "let": "let starving = food < 0.3",
        "let once": "let task = once integer(0, 11)",
        "table": "table right { 0 1 1 0 }",
        "meter": "meter energy = 1.0 in 0 .. 1 { decay 0.01  move 0.005 }",
        "state": "state cooldown: int in 0 .. 50 = 0",
        "world": "world { meter stock = 20 in 0 .. 100  rule sale: stock -= count(used == Shop) }",
        "stages": "stages { easy -> hard when wins >= 10 }",
        "role": "role wolf: 2 agents { meter hunger = 0.5 { decay -0.01 } }",
        "slots": "slots 4",
        "item": "item apple { lying 1 when chance(0.1)  can pick  use { food += 0.2 } }",
        "effect": "effect tired lasts 10 ticks { each tick { mood -= 0.01 } }",
        "cells": "cells { meter moss = 0 in 0 .. 1  rule grow: moss += 0.02 * neighbours(moss) }",
        "pairs": "pairs { state likes: real in 0 .. 1 = 0  rule warms: apart <= 1 -> likes += 0.01 }",
        "rule": "rule NAME: energy < 0.3 -> mood -= 0.01",
        "cascade": "cascade NAME: food < 0.3 -> energy -= 0.02 * deficit",
        "affordance": "affordance Bed at random open 8 .. 18 { instantly { energy += 0.5 } }",
        "action": "action REST { needs energy < 0.9  energy += 0.01 }",
        "allow": "allow UP DOWN when position x > 0",
        "acts": "acts when agent == turn",
        "dies": "dies when energy <= 0 or food <= 0",
        "ends": "ends when money >= 10 { reward 1 }",
        "reward": "reward 0.1 when here == Bed",
        "report": "report NAME: energy * food",
        "draw": 'draw { agents "@" in gold  affordance Bed "B" in blue }',
        "observe": "observe { grid  meters  lack: 1 - energy }",
    }
)
"""How each declaration is written; some kinds of space differ."""

LOOK_ALIKE: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2192\u27f6\u21d2\u27f9\u2794\u279c", "->"),
        **dict.fromkeys("\u00d7\u22c5\u00b7\u2217\u2715\u2a2f\uff0a", "*"),
        **dict.fromkeys("\u00f7\u2215\u2044\uff0f", "/"),
        "\u2264": "<=",
        "\u2a7d": "<=",
        "\u2265": ">=",
        "\u2a7e": ">=",
        "\u2260": "!=",
        "\u2026": "..",
        "\uff1d": "=",
        "\uff0b": "+",
        "\uff1c": "<",
        "\uff1e": ">",
        "\uff1a": ":",
        "\uff0c": ",",
        "\uff08": "(",
        "\uff09": ")",
        "\uff5b": "{",
        "\uff5d": "}",
        "\u2227": "and",
        "\u2228": "or",
        "\u00ac": "not",
    }
)
"""Characters that look like symbols of the language, and these."""

UNITS_OF_MEASURE = "\u00b0\u20ac$\u00a3\u00a5"
"""Signs of units."""

_QUOTES = (
    ("\u201c\u201d\u201e\u201f\u00ab\u00bb", "\u201c\u201d\u201e\u201f\u00ab\u00bb"),
    ("\u2018\u2019\u201a", "\u2018\u2019\u201a"),
)

FOREIGN = "|".join(
    (
        r"//|/\*|-{2,}>?|\*\*=?|\+\+|[*/%^]=|%|\^",
        r"==>|===|!==|=<|=>|<>|:=|~=|\.\.\.|\.\.=|\.\.<|&&|&|\|\||\||!(?!=)|;|\?|\[|\]",
        *(rf"[{first}][^{last}`\r\n]{{1,64}}[{last}]" for first, last in (('"', '"'), ("'", "'"), *_QUOTES)),
        rf"[{''.join(LOOK_ALIKE)}][=>]?|[{re.escape(UNITS_OF_MEASURE)}]",
    )
)
"""The pattern of what `hamletc.language.habits` reads; to be tried before symbols are."""
