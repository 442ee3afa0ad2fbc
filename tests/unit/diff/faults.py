"""Ten faults, seeded where a miscompilation or a mistake would put them: in the text of a universe, in the lowering, in
passes, in the text of kernels. What is patched is patched here; the product has no switches for faults."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from hamlet.package import manifest
from hamlet.universe import Universe
from hamlet_lab.diff.open import open_side
from hamlet_lab.divergence.session import Side
from hamlet_lab.verify import Effort
from hamletc.compilation import Compilation
from hamletc.compile import Options, build, check, lower
from hamletc.frontend import Stopwatch
from hamletc.ir.function import Construct, Function, Node
from hamletc.ir.operands import operands, with_operands
from hamletc.ir.ops import Const, Input, Less, Select, Sub
from hamletc.language.source import Source
from hamletc.package import write
from hamletc.read import parsed
from hamletc.targets.target import written_by

EFFORT = Effort(31, 4, 32)

TOY = """universe toy
space grid 4 x 4
clock 12 hours
lifespan 20 ticks { reward 1.0 }
meter food = 0.8 { decay 0.02 }
meter mood = 0.5 { decay 0.004 }
meter health = 1
cascade hunger_saddens: food < 0.3 -> mood -= 0.02 * deficit
cascade gloom_sickens: mood < 0.4 -> health -= 0.03 * deficit
rule wear: health -= 0.001 * (0.5 + 2.5 * (1 - food))
affordance Kitchen at random open 6 .. 10 { instantly { food += 0.4  mood += 0.05 } }
dies when health <= 0
reward mood * health
observe { meters }
"""

CONTRACTING = """#if defined(__clang__)
#pragma clang fp contract(fast)
#else
#pragma GCC optimize("fp-contract=fast")
#endif
#define add_vf32(a, b) ((a) + (b))
#define subtract_vf32(a, b) ((a) - (b))
#define multiply_vf32(a, b) ((a) * (b))
"""
"""A text that lets the compiler contract, which `hamlet.h` forbids for what it has itself."""

ROUNDING = """
@triton.jit
def _rounded(value):
    bits = value.to(tl.uint32, bitcast=True)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).to(tl.float32, bitcast=True)


"""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, and what must be said about it.

    Attributes:
        name: in words.
        seeded: where, in words.
        sides: makes both sides in a folder; patches hold as long as the test.
        says: what the report must contain, besides that the sides differ.
    """

    name: str
    seeded: str
    sides: Callable[[Path, pytest.MonkeyPatch], tuple[Side, Side]]
    says: tuple[str, ...]


def universe_of(text: str) -> Universe:
    source = Source(Path("toy.hamlet"), text)
    return check(parsed(source)).universe


def package(text: str, folder: Path, edit: Callable[[str], str], target: str = "c") -> Path:
    """The package of a universe with edited kernels, hashes and all."""
    files = build(universe_of(text), Options(targets=(target,)), Stopwatch())
    name = written_by(target)
    edited = edit(files[name].decode()).encode()
    assert edited != files[name], "nothing was edited"
    files[name] = edited
    listing = manifest.parse(files[manifest.FILENAME].decode())
    vouched = replace(listing, files=tuple((file, manifest.sha256(files[file])) for file, _ in listing.files))
    write({**files, manifest.FILENAME: manifest.render(vouched).encode()}, folder)
    return folder


def in_kernels(
    edit: Callable[[str], str], target: str = "c", backend: str = "c"
) -> Callable[[Path, pytest.MonkeyPatch], tuple[Side, Side]]:
    """The interpreter, and edited kernels."""

    def sides(folder: Path, _: pytest.MonkeyPatch) -> tuple[Side, Side]:
        (folder / "toy.hamlet").write_text(TOY)
        edited = package(TOY, folder / "edited", edit, target)
        return open_side(folder / "toy.hamlet", None, folder / "left"), open_side(edited, backend, folder / "right")

    return sides


def in_texts(before: str, after: str) -> Callable[[Path, pytest.MonkeyPatch], tuple[Side, Side]]:
    """The interpreter on both sides, of a universe and of an edited one."""

    def sides(folder: Path, _: pytest.MonkeyPatch) -> tuple[Side, Side]:
        (folder / "toy.hamlet").write_text(TOY)
        (folder / "edited.hamlet").write_text(replaced(before, after)(TOY))
        return tuple(open_side(folder / name, None, folder / name) for name in ("toy.hamlet", "edited.hamlet"))

    return sides


def in_pass(name: str, edit: Callable[[Function], Function]) -> Callable[[Path, pytest.MonkeyPatch], tuple[Side, Side]]:
    """The interpreter, and the program after passes one of which is replaced."""

    def sides(folder: Path, patch: pytest.MonkeyPatch) -> tuple[Side, Side]:
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
        patch.setattr(f"hamletc.passes.pipeline.{name}", lambda *_: Broken(snake, edit))
        (folder / "toy.hamlet").write_text(TOY)
        return tuple(open_side(folder / "toy.hamlet", backend, folder / backend) for backend in ("interpreter", "ir"))

    return sides


@dataclass(frozen=True, slots=True)
class Broken:
    """A pass with a fault, in `tick` only."""

    name: str
    edit: Callable[[Function], Function]

    def run(self, function: Function) -> Function:
        return self.edit(function) if function.name == "tick" else function


def replaced(before: str, after: str) -> Callable[[str], str]:
    """Replaces a text that is there once."""

    def edit(text: str) -> str:
        assert text.count(before) == 1, before
        return text.replace(before, after)

    return edit


def contracting(kernels: str) -> str:
    return replaced('#include "hamlet.h"\n', f'#include "hamlet.h"\n\n{CONTRACTING}')(kernels)


def by_reciprocal(kernels: str) -> str:
    """As a formatter would print it that took `/` for a product with the reciprocal."""
    return re.sub(
        r"divide_vf32\((.+), alike_vf32\(([^()]+)\)\);", r"multiply_vf32(\1, alike_vf32(1.0f / \2));", kernels
    )


def without_autoreset(kernels: str) -> str:
    return replaced("flags[lane] = (!(alive[lane] != 0));", "flags[lane] = false;")(kernels)


def rounding(kernels: str) -> str:
    """Observations of mood are rounded to bfloat16 on their way to memory."""
    before, head, after = kernels.partition("@triton.jit\ndef _observe(")
    return before + ROUNDING.lstrip() + head + replaced("_encode(mood_0,", "_encode(_rounded(mood_0),")(after)


def one_hour_longer(folder: Path, patch: pytest.MonkeyPatch) -> tuple[Side, Side]:
    """A lowering that takes an affordance for open in the hour when it closes."""

    def wrong(universe: Universe, *others: Any) -> Compilation:
        late = [
            item if item.hours is None else replace(item, hours=replace(item.hours, closes=item.hours.closes + 1))
            for item in universe.affordances
        ]
        return replace(lower(replace(universe, affordances=tuple(late)), *others), universe=universe)

    patch.setattr("hamletc.compile.lower", wrong)
    patch.setattr("hamlet_lab.divergence.compiled.lower", wrong)
    (folder / "toy.hamlet").write_text(TOY)
    return tuple(open_side(folder / "toy.hamlet", backend, folder / backend) for backend in ("interpreter", "ir"))


def unclamped(function: Function) -> Function:
    """Drops the lower bound of a cascade's meter, which can bind."""

    def edit(node: Node) -> Node:
        match node.op:
            case Select(condition=condition, then=then, otherwise=otherwise) if (
                node.origin.construct == Construct("cascade", "hunger_saddens")
                and isinstance(function.nodes[condition].op, Less)
                and function.nodes[condition].op == Less(otherwise, then)
            ):
                return replace(node, op=Select(condition, otherwise, otherwise))
        return node

    return replace(function, nodes=tuple(edit(node) for node in function.nodes))


def stale(function: Function) -> Function:
    """A cascade reads its source as it was before the tick."""
    before = next(value for value, node in enumerate(function.nodes) if node.op == Input(node.type, "meter.mood"))
    saddened = [
        v for v, node in enumerate(function.nodes) if node.origin.construct == Construct("cascade", "hunger_saddens")
    ]

    def edit(node: Node) -> Node:
        if node.origin.construct != Construct("cascade", "gloom_sickens"):
            return node
        values = tuple(before if value == saddened[-1] else value for value in operands(node.op))
        return replace(node, op=with_operands(node.op, values))

    return replace(function, nodes=tuple(edit(node) for node in function.nodes))


def swapped(function: Function) -> Function:
    """`1 - food` becomes `food - 1`."""

    def edit(node: Node) -> Node:
        match node.op:
            case Sub(left=left, right=right) if node.origin.construct == Construct("rule", "wear") and isinstance(
                function.nodes[left].op, Const
            ):
                return replace(node, op=Sub(right, left))
        return node

    nodes = tuple(edit(node) for node in function.nodes)
    return replace(function, nodes=nodes)


CASCADES = TOY.split("\n")[7:9]

FAULTS = (
    Fault(
        "contraction on",
        "kernels in C compiled with leave to contract",
        in_kernels(contracting),
        (
            "does not compute what its program says",
            "in the tick",
            "toy.hamlet:8  cascade hunger_saddens",
            "fused multiply-add",
        ),
    ),
    Fault(
        "approximate division",
        "`/` printed as a product with the reciprocal",
        in_kernels(by_reciprocal),
        ("does not compute what its program says", "in the tick", "cascade gloom_sickens", "with the reciprocal"),
    ),
    Fault(
        "reordered cascades",
        "two cascades change places in the universe",
        in_texts("\n".join(CASCADES), "\n".join(reversed(CASCADES))),
        (
            "universes that say different things",
            "toy.hamlet:9  cascade gloom_sickens",
            "the last to write meter.mood is cascade hunger_saddens on the left, meter mood decay on the right",
        ),
    ),
    Fault(
        "off-by-one hour",
        "the lowering keeps affordances open an hour longer",
        one_hour_longer,
        (
            "does not do what its universe is lowered to",
            "less(hour_0, 11) with 10 in place of 11",
            "written by\n    toy.hamlet:11  affordance Kitchen",
        ),
    ),
    Fault(
        "wrong clamp",
        "pass clamp_removal drops a clamp that can bind",
        in_pass("ClampRemoval", unclamped),
        ("pass clamp_removal changes what the program", "toy.hamlet:8  cascade hunger_saddens"),
    ),
    Fault(
        "stale source",
        "pass common_subexpressions gives a cascade its source as it was before the tick",
        in_pass("CommonSubexpressionElimination", stale),
        ("pass common_subexpression_elimination changes what the program", "toy.hamlet:9  cascade gloom_sickens"),
    ),
    Fault(
        "swapped operands",
        "pass algebra turns `1 - food` around",
        in_pass("Algebra", swapped),
        ("pass algebra changes what the program", "toy.hamlet:10  rule wear", "swapped"),
    ),
    Fault(
        "wrong RNG counter",
        "kernels in C count by two ticks instead of four",
        in_kernels(replaced("shift_right_u32(tick_0, 2u)", "shift_right_u32(tick_0, 1u)")),
        ("does not compute what its program says", "in the random policy", "shift_right_u32(tick_0, 1u)"),
    ),
    Fault(
        "lost autoreset",
        "kernels in C begin no new episodes",
        in_kernels(without_autoreset),
        ("around the program's functions", "in the beginning of an episode", "no new episode began"),
    ),
    Fault(
        "bf16 rounding",
        "Triton kernels, run as PTX of sm_90, round an observation on its way to memory",
        in_kernels(rounding, "triton", "sm_90"),
        ("around the program's functions", "in observing", "observation meter.mood", "rounded to bfloat16"),
    ),
)
