"""Words that authors know from elsewhere and this language has not, and what it has instead.

The reader of a text and the checker of names ask here before they guess at a word that looks alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from hamletc.suggest import closest

ALMOST_THE_SAME = 0.85
"""How like a known word (1: equal) a foreign one must be to be taken for a misspelling of it."""

_MEET = "Agents of a world meet in numbers that they have together"

_MEANINGS: tuple[tuple[str, str], ...] = (
    # --- others, and what is between agents ---
    (
        "agents player players population crowd",
        "How many agents a world has is said by roles, `role wolf: 2 agents`, or by `hamlet.make(universe, agents=8)`."
        f" {_MEET}: `count(here == Bed)`, `total(x)`, `average(x)`, `lowest(x)`, `highest(x)`.",
    ),
    (
        "neighbour neighbours neighbor neighbors other others opponent opponents enemy friend nearby partner",
        "`count(apart < 2 and other)` is how many are near, `nearest(energy < 0.2)` the distance to the nearest other "
        "agent for which that holds, and `nearest(energy < 0.2, money)` the money that it has.",
    ),
    (
        "agent self me this my",
        f"Write `energy` alone: every expression is about the agent itself. {_MEET}, as in `average(energy)`; none "
        "names another.",
    ),
    (
        "sum mean avg any",
        f"{_MEET}: `count(here == Bed)`, `total(x)`, `average(x)`, `lowest(x)`, `highest(x)`. Values of one agent are "
        "joined by `+`, `min` and `max`.",
    ),
    (
        "global globals shared env environment",
        "What all agents of a world see is a meter of the world: `world { meter stock = 20  rule refill: stock += 1 }`;"
        " what the program gives is a param: `param price = 1 in 0 .. 2`.",
    ),
    (
        "queue queued occupied occupancy crowded slots",
        "How many use an affordance at once stands in its braces: `capacity 2 to lowest number`, `capacity 1 to "
        "highest hunger`.",
    ),
    (
        "stock supply",
        "A stock is a meter of the world: `world { meter stock = 20 in 0 .. 100 }`; `capacity stock to highest hunger` "
        "in an affordance serves so many.",
    ),
    (
        "team teams role roles species group faction type class kind id index",
        "Kinds of agents are roles: `role wolf: 2 agents { meter hunger = 0.5 }`, `role sheep: others`; the name of a "
        "role is a condition. Numbers tell agents apart too, as in `mod(agent, 2) == 0`.",
    ),
    # --- space ---
    (
        "wall walls obstacle obstacles barrier block terrain river road region zone area tile tiles map door",
        'A map draws walls and regions behind `space grid map`: `map { "#..~#" "#..~#"  wall "#"  region river "~" }`; '
        "`on river` is a condition.",
    ),
    ("location coordinates coordinate coord pos xy", "Write `position x`, `position y`, ..., or `here == Bed`."),
    ("width height size rows columns cols dimensions", "Sizes stand behind the kind of space: `space grid 8 x 8`."),
    ("torus toroidal periodic wraparound cyclic", "`space grid 8 x 8 { edges wrap }` joins opposite edges."),
    ("reflect reflecting mirror", "`space grid 8 x 8 { edges bounce }` reflects."),
    ("near around beside within", "Write `distance to Bed < 2`, or of the cells around `neighbours(moss, within 2)`."),
    (
        "spawn start_position",
        "Agents start on free cells; `{ starts anywhere }` of a grid lets them start on any, `starts in forest` of a "
        "map in a region.",
    ),
    # --- things ---
    (
        "item items inventory carry carries carrying object objects thing bag",
        "Things that lie about and are carried are items, `item apple { lying 1 when chance(0.1)  can pick }`, with "
        "`slots 4` for how many an agent carries; what is only counted is a meter: `meter wood = 0 in 0 .. 10`.",
    ),
    ("building station shop", "What agents use is an affordance: `affordance Shop at random { ... }`."),
    (
        "stat stats variable resource bar attribute property state field",
        "What an agent has is a meter: `meter energy = 1.0 { decay 0.01 }`.",
    ),
    # --- time ---
    ("hours time", "Write `hour`, with `clock 24 hours`; `age` is the ticks that an agent has lived."),
    ("tick ticks step steps t now turn turns", "Write `age`: the ticks that an agent has lived."),
    (
        "day days week month season seasons year night minute minutes",
        "Time is `hour` and `age`. A year can be a long clock: `clock 960 hours` has `hour` 0 to 959.",
    ),
    ("lifespan", "Write the number of ticks; `age` is how many an agent has lived."),
    (
        "every each_tick always",
        "A rule runs every tick: `rule ageing: health -= 0.001`; `every 24 ticks` is a condition.",
    ),
    ("after until", "Write `after 100 ticks`, or `age < 100`."),
    (
        "sometimes maybe occasionally randomly",
        "Write `energy += 0.1 when chance(0.1)` in a block: it happens with this probability.",
    ),
    (
        "wait delay cooldown timer",
        "`since(used == Bed) > 10` holds where that is more than 10 ticks ago; `effect rest lasts 10 ticks { ... }` "
        "begins and ends.",
    ),
    # --- names, functions, control ---
    (
        "const var val local define def alias set int float bool double number",
        "`let price = 0.1` names a number, `let hunger = 1 - food` an expression, or among statements what it is then. "
        "What changes from tick to tick is a `meter` or a `state coins: int in 0 .. 50 = 0`, what programs change a "
        "`param`.",
    ),
    (
        "function func fn lambda proc macro",
        "`let square(a) = a * a` is a function, used as `square(food)`; a `template` has parameters and writes "
        "declarations.",
    ),
    (
        "new instance instantiate make create place",
        "The declarations of a template are made by `use`: `use Shop(Bakery, 0.05)`.",
    ),
    (
        "import require require_once using from module package",
        'Declarations of another file are brought in by `include "needs.hamlet"`.',
    ),
    (
        "for while loop foreach do",
        "`repeat 10 { energy += 0.1 }` runs statements so often in a tick, and a rule runs in every tick, for every "
        "agent. A condition is written `1 when CONDITION`; "
        "what only some agents have stands in the braces of their role, `role wolf: 2 agents { ... }`.",
    ),
    ("elif elseif elsif", "Write `else if CONDITION then A else B`."),
    ("unless", "Write `when not CONDITION`."),
    ("switch case match choose", "Write `if CONDITION then A else if CONDITION then B else C`."),
    ("end endif begin fi done", "Blocks stand in braces, and nothing else ends them."),
    ("return yield", "Nothing is returned: a rule writes meters, and `reward` and `report` compute values."),
    ("print log_value debug show", "`report NAME: VALUE` computes a number that is only reported."),
    (
        "array list dict map_of vector meters",
        "Constant numbers are a table, `table right { 0 1 1 0 }`, read as `right[column]`; every meter has a name of "
        "its own.",
    ),
    ("none null nil", "`nothing` is a place without an affordance, as in `here == nothing`; a number is always there."),
    ("xor", "Write `a and not b or b and not a`."),
    ("ceiling trunc truncate int_of rint", "Write `floor(x)`, `ceil(x)` or `round(x)`."),
    ("modulo remainder fmod rem", "Write `mod(a, b)`, the remainder of a / b."),
    ("div quotient", "Write `floor(a / b)`."),
    ("sign sgn signum", "Write `if x > 0 then 1 else -1`."),
    ("tan", "Write `sin(x) / max(cos(x), 0.01)`, or whatever keeps the divisor from 0."),
    ("atan arctan arctan2", "`atan2(y, x)` is the angle of (x, y); `atan2(a, 1)` is the one whose tangent is a."),
    ("asin acos sinh cosh erf", "There are `exp`, `log`, `sin`, `cos`, `atan2`, `tanh`, `sigmoid` and `pow`."),
    ("tau", "Write `2 * pi`."),
    ("euler", "Write `exp(1)`."),
    ("ln", "Write `log(x)`."),
    ("log10", "Write `log(x) / 2.302585`."),
    ("power", "Write `pow(a, b)`."),
    ("square sqr", "Write `x * x`."),
    ("clip limit saturate bound bounded", "Write `clamp(x, low, high)`; bounds of a meter are written `in 0 .. 1`."),
    ("logistic expit", "Write `sigmoid(x)`."),
    ("maximum", "Write `max(a, b)`."),
    ("minimum", "Write `min(a, b)`."),
    ("random rand rnd runif randf", "Write `uniform(0, 1)`."),
    ("randint randrange dice roll", "Write `integer(1, 6)`; both bounds are included."),
    ("gauss gaussian randn rnorm", "Write `normal(mean, deviation)`."),
    ("bernoulli probability prob coin flip percent", "Write `chance(0.1)`, which holds with this probability."),
    ("poisson exponential binomial beta", "There are `uniform`, `integer`, `choice`, `normal` and `chance`."),
    ("seed", "The program gives the seed: `hamlet.make(universe, worlds=256, seed=1)`."),
    ("prev old before delta diff change", "Write `previous(x)`: x at the beginning of the tick."),
    (
        "rises increases increased grows grown decreases decreased shrinks shrunk changed changes becomes",
        "`x > previous(x)` holds in a tick in which x has grown, `rising(x > 0.5)` in the first one in which x > 0.5.",
    ),
    # --- declarations that have other names here ---
    ("event trigger on_tick update", "What happens in a tick is a rule: `rule cold: hour < 6 -> energy -= 0.01`."),
    ("objective score utility", "Write `reward VALUE`."),
    ("goal win wins victory done success finish", "A goal ends an episode: `ends when money >= 10 { reward 1 }`."),
    ("death die kill dead terminate termination terminal", "Write `dies when energy <= 0`."),
    (
        "game episode gameover game_over over lose loses lost fail failure truncate truncated",
        "An agent's life ends by `dies when energy <= 0`, at a goal by `ends when money >= 10 { reward 1 }`, and after "
        "a number of ticks by `lifespan 500 ticks`.",
    ),
    ("requires require_ condition precondition only_if cost costs", "Write `needs money >= 0.1`."),
    ("effect effects gives restores", "Effects stand in a block: `instantly { energy += 0.5 }`."),
    ("duration takes length", "Write `lasts 4 ticks` behind the place of the affordance."),
    ("range between minmax", "Bounds are written `in 0 .. 1`."),
    ("observation observations obs sensor sensors", "Write `observe { grid  meters }`."),
    ("mask", "Write `allow UP when position y > 0`."),
    ("drain drains cost_per_tick loses falls rate", "Write `decay 0.01` in the braces of the meter."),
)  # fmt: skip

FOREIGN_WORDS: Mapping[str, str] = MappingProxyType(
    {word: meaning for words, meaning in _MEANINGS for word in words.split()}
)
"""Advice for each word of another language, in full sentences."""

OWN_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "reward": "A reward is a declaration of its own: `reward 0.1 when here == Bed`. To pay for an action, let it "
        "change a meter, and reward that.",
        "position": "Write `position x`, with the axis.",
        "velocity": "Write `velocity x`, with the axis.",
        "distance": "Write `distance to Bed`.",
        "straight": "Write `straight distance to Bed`.",
        "walking": "Write `walking distance to Bed`.",
        "streak": "Write `streak of Bed`, with `track uses`.",
        "clock": "Write `hour`: the hour of the clock.",
        "kept": "A meter of the world can be kept from episode to episode: `world { kept meter wins = 0 in 0 .. 9 }`.",
        "per": "What a meter loses is said per tick: `decay 0.01`. What an affordance remembers of each agent begins "
        "with `per agent`: `affordance Bed at random { per agent meter tries = 0 }`.",
        "at": "Write `here == Bed`.",
        "grid": "Write `position x` for where the agent is, or `observe { grid }` for what it sees.",
        "needs": "`needs money >= 0.1` stands by itself in the braces of an affordance or an action.",
        "move": "`move (1, 0)` is a statement of agents; `move 0.01` in the braces of a meter is what moves cost.",
        "teleport": "`teleport (0, 0)` is a statement of agents.",
        "decay": "`decay 0.01` stands in the braces of a meter: `meter energy = 1.0 { decay 0.01 }`.",
        "interact": "`interact 0.01` stands in the braces of a meter: `meter energy = 1.0 { interact 0.01 }`.",
        "edges": "`edges wrap` stands in the braces of a space: `space grid 8 x 8 { edges wrap }`.",
        "places": "`places stored` stands in the braces of a grid: `space grid 8 x 8 { places stored }`.",
        "starts": "`starts anywhere` stands in the braces of a grid: `space grid 8 x 8 { starts anywhere }`.",
        "step": "`step 0.5` stands in the braces of a continuous space; `age` is the ticks that an agent has lived.",
        "reach": "`reach 1` stands in the braces of a continuous space.",
        "instantly": "`instantly { energy += 0.5 }` stands in the braces of an affordance.",
        "each": "`each tick { money += 0.1 }` stands in the braces of an affordance that lasts.",
        "on": "`on completion { money += 0.5 }` stands in the braces of an affordance that lasts.",
        "keeps": "`keeps progress` stands in the braces of an action.",
        "unclamped": "`unclamped` stands behind a statement: `energy += 0.5 unclamped`.",
        "world": "What the world has of its own stands in `world { meter stock = 20 }`; its meters are read by their "
        "names.",
        "cells": "What the cells of a grid have stands in `cells { meter moss = 0 }`; an agent reads the moss of its "
        "own cell by its name.",
        "capacity": "`capacity 2 to lowest number` stands in the braces of an affordance.",
        "role": "`role wolf: 2 agents { ... }` is a declaration; the name of a role is a condition.",
        "ends": "`ends when money >= 10 { reward 1 }` is a declaration of its own.",
        "shaping": "`shaping(0.99, x)` stands alone behind `reward`: `reward guide: shaping(0.99, -distance to Bed)`.",
        "dies": "`dies when energy <= 0` is a declaration of its own.",
        "lasts": "`lasts 4 ticks` stands behind the place of an affordance.",
        "open": "`open 8 .. 18` stands behind the place of an affordance; a condition on the time is `hour >= 8`.",
        "alive": "Only who is alive acts: a rule needs no such condition.",
    }
)
"""Advice for a word of this language that is used as the name of a value."""

SAME_ELSEWHERE: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "a number": {
            **dict.fromkeys(["tick", "ticks", "step", "steps", "t"], "age"),
            **dict.fromkeys(("hours", "clock"), "hour"),
            "euler": "exp(1)",
        },
        "a function": {
            **dict.fromkeys(["modulo", "remainder", "fmod", "rem"], "mod"),
            **dict.fromkeys(["rand", "runif", "randf"], "uniform"),
            **dict.fromkeys(["gauss", "gaussian", "rnorm"], "normal"),
            **dict.fromkeys(("logistic", "expit"), "sigmoid"),
            "ceiling": "ceil",
            "rint": "round",
            "ln": "log",
            "power": "pow",
            "clip": "clamp",
            "prev": "previous",
            "maximum": "max",
            "minimum": "min",
            "randint": "integer",
            "arctan2": "atan2",
            "bernoulli": "chance",
        },
    }
)
"""Foreign words that are the same as one of this language, by what stands there."""
LIKELY_ELSEWHERE: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "a number": {"lifespan": "age", "day": "hour"},
        "a function": {
            **dict.fromkeys(["trunc", "truncate", "int_of"], "floor"),
            **dict.fromkeys(["mean", "avg"], "average"),
        },
    }
)
"""Foreign words of which one of this language may be meant, by what stands there."""
GROWTH: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("rises", "increases", "increased", "grows", "grown"), ">"),
        **dict.fromkeys(("decreases", "decreased", "shrinks", "shrunk"), "<"),
    }
)
"""How a meter that does so compares with what it was."""
JOINED: Mapping[str, str] = MappingProxyType({"sum": "total", "mean": "average", "avg": "average"})
"""Words for joining what agents have, by foreign words for that."""
EDGES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(["torus", "toroidal", "periodic", "wraparound", "cyclic"], "wrap"),
        **dict.fromkeys(["reflect", "reflecting", "mirror"], "bounce"),
        **dict.fromkeys(["wall", "walls", "solid", "closed", "stop", "bounded"], "clamp"),
    }
)
"""Foreign words for edges."""


def instead(word: str, declared: Iterable[str] = ()) -> str | None:
    """Advice for a foreign word, in full sentences; `None` where it is none or almost a declared one."""
    meaning = FOREIGN_WORDS.get(word.lower())
    if meaning is None or closest(word, declared, ALMOST_THE_SAME) is not None:
        return None
    return meaning
