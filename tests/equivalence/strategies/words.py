"""Names and numbers that may be unwise, and their spelling."""

from __future__ import annotations

import math
import re
import struct

from hamlet.numbers.binary32 import round32
from hamletc.language.tables import after
from hamletc.language.words import MEANINGS, RESERVED

WORDS = (
    "energy mood health Bed Shop money_2 _x __ x X O0 l1 space grid clock hours lifespan ticks param "
    "meter rule cascade affordance action at random open lasts needs instantly each tick on completion "
    "together unclamped move teleport dies reward observe window position relative absolute scaled meters "
    "time per lifetime params in to distance edges decay interact wrap universe tl where step "
    "self f32 lambda float32 u32 i32 bool int None True def class import return print range len abs_ lane "
    "lanes world worlds agent hour_ age_ layout episode alive engaged action_ seed tick_ actions state "
    "out energy_0 v0 v1 n0 t0 c0 _0 mask rewards terminated used cause numba np numpy triton math load "
    "store program_id BLOCK constexpr minimum maximum sqrt_rn div_rn select uniform choice result buffers "
    "index count value pointer moves episodes by hand track uses inert allowed input continuous none places "
    "stored starts anywhere apart reach directions speeds forever keeps allow all report blank constant "
    "velocity straight walking streak of position_ array element map region terrain starts_ sight"
)
ODD = (
    *("Fast Food", "a b", "a-b", "a_b", "A,B", "7up", "0", "if", "when", "age", "here", "nothing", "last", "progress"),
    *("min", "previous", "true", "speed", "#", '"""', "\\", "{{ x }}", "{x}", "x.y", "meter.x", "naïve", "'", "//"),
)
"""Names that stand in backticks."""
ASKING = tuple(f"{name}(" for name in ("count", "total", "lowest", "highest", "average", "rank", "nearest"))
"""What agents have together, as it is written."""
TOWARD = ("ahead", "behind", "left", "right")
"""The words for directions from an agent with a heading."""

NAMES = (*WORDS.split(), *ODD)
NOT_FOR_UNIVERSES = frozenset({"self", "lambda", "None", "True", "def", "class", "import", "return", "in"})

SPECIAL = (
    *(0.0, -0.0, 1.0, 0.5, 0.1, 0.3, 1 / 3, 2.0, 3.0, 7.0, 0.05, 0.005, 1e-3, 1e-10, 1e-30),
    *(2.0**-149, 2.0**-148, 2.0**-127, 2.0**-126, 2.0**-24, 2.0**-23, 2.0**23, 2.0**24, 2.0**31, 1e10, 1e30),
    *(2.0**127, 3.4028234663852886e38),
)


BEFORE_NAMES = frozenset({"on", "open", "teleport"})
"""Words that mean something else where another name, or `at`, stands behind them."""


def is_bare(name: str) -> bool:
    """Whether a name can stand without backticks and is what it looks like."""
    return re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) is not None and name not in RESERVED | MEANINGS | BEFORE_NAMES


def is_observation(name: str) -> bool:
    """Whether a name without backticks begins an item of `observe`."""
    return name in after("observe", "{")


def mentions(text: str, name: str) -> bool:
    """Whether a text has this name, in backticks or without."""
    bare = re.sub(r"`[^`]*`", " ", text)
    return f"`{name}`" in text or (is_bare(name) and name in re.findall(r"\w+", bare))


def neighbour(value: float, up: bool) -> float:
    """The next binary32 number."""
    exact = round32(value)
    bits = struct.unpack("<i", struct.pack("<f", exact))[0]
    order = bits if bits >= 0 else -(bits & 0x7FFFFFFF)
    order += 1 if up else -1
    raw = order if order >= 0 else (-order | 0x80000000) - (1 << 32)
    result = float(struct.unpack("<f", struct.pack("<i", raw))[0])
    return result if math.isfinite(result) else exact
