"""The passes in order, run one after the other, and verified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Protocol, TypeAlias

from hamlet.frozen import dataclass
from hamletc.ir.function import Function, Program
from hamletc.ir.ops import Fold
from hamletc.ir.verifier import verify_program
from hamletc.passes import few_priorities, tabulation
from hamletc.passes.algebra import Algebra
from hamletc.passes.clamp_merging import ClampMerging
from hamletc.passes.clamp_removal import ClampRemoval
from hamletc.passes.common_subexpressions import CommonSubexpressionElimination
from hamletc.passes.constant_division import ConstantDivision
from hamletc.passes.constant_folding import ConstantFolding
from hamletc.passes.dead_code import DeadCodeElimination
from hamletc.passes.extremes import Extremes
from hamletc.passes.merge_exclusive import MergeExclusive
from hamletc.passes.ranges import Facts


class Pass(Protocol):
    """A rewriting of functions that keeps all outputs to the bit."""

    @property
    def name(self) -> str: ...

    def run(self, function: Function) -> Function: ...


Observer: TypeAlias = Callable[[str, Function, Function, float], None]
"""Is told the name of a pass, a function before and after it, and the seconds it took."""

Chosen: TypeAlias = Callable[[Facts], tuple[Pass, ...]]
"""Gives passes, made for what is known of a program."""

CELL_CACHE = "cell_cache"
"""No rewriting, but a program that is lowered for kernels with a cell cache (`hamletc.lowering.cell_cache`); left out
like a pass."""

WINDOW_WORDS = "window_words"
"""No pass either, but how observed windows are lowered (`hamletc.lowering.window`)."""

PASS_NAMES = (
    "constant_folding",
    "algebra",
    "common_subexpressions",
    "dead_code",
    "merge_exclusive",
    "clamp_removal",
    "clamp_merging",
    "constant_division",
    "extremes",
)
WHOLE_NAMES = (few_priorities.NAME, CELL_CACHE, tabulation.NAME, WINDOW_WORDS)
"""Transformations of whole programs, by the same names of things to leave out."""

MOST_UNROLLED = 64
"""Kernels for CPUs find the bins of more meters in a loop (`hamletc.lowering.policy`)."""

LONG_SITUATION = 4000
"""Nodes of a `situation` in which nothing is looked for but dead code: it is one row after the other."""


def default_passes(facts: Facts) -> tuple[Pass, ...]:
    """The passes in the order in which they run; some run again on what later ones leave."""
    folding, algebra, common, dead = (
        ConstantFolding(),
        Algebra(facts),
        CommonSubexpressionElimination(),
        DeadCodeElimination(),
    )
    return (
        dead,
        folding,
        algebra,
        common,
        MergeExclusive(facts),
        dead,
        ClampRemoval(facts),
        dead,
        ClampMerging(facts),
        folding,
        algebra,
        common,
        dead,
    )


def gpu_passes(facts: Facts) -> tuple[Pass, ...]:
    """Passes for GPUs. A CPU divides vectors as fast, and one without fused operations would call a function."""
    return (ConstantDivision(facts), Extremes(facts))


@dataclass(frozen=True, slots=True)
class Done:
    """A program before these passes and after them; both were verified."""

    before: Program
    after: Program
    choose: Chosen

    def result(self, function: Function, choose: Chosen) -> Function | None:
        """The result of these passes for a function, if it was one of the program; of a loop the facts are others."""
        if choose is not self.choose or any(isinstance(node.op, Fold) for node in function.nodes):
            return None
        pairs = zip(self.before.functions, self.after.functions, strict=True)
        return next((after for before, after in pairs if before is function), None)


def run(
    program: Program,
    facts: Facts,
    disabled: frozenset[str] = frozenset(),
    observer: Observer | None = None,
    choose: Chosen = default_passes,
    done: Done | None = None,
) -> Program:
    """The optimised program: every pass that is not disabled, on every function, and verified.

    Args:
        facts: what is known of the program (`hamletc.passes.facts`).
        disabled: names of passes to leave out.
        choose: gives the passes.
        done: passes with the same facts; what they did is not done again.

    Raises:
        ValueError: a disabled name is no pass.
        VerificationError: the program is malformed, or a pass made it so.
    """
    if unknown := sorted(disabled - {*PASS_NAMES, *WHOLE_NAMES}):
        raise ValueError(f"there is no pass {', '.join(unknown)}; there are {', '.join((*PASS_NAMES, *WHOLE_NAMES))}")
    if done is None or program is not done.after:
        verify_program(program, *(() if done is None else (done.before, done.after)))
    passes = [each for each in choose(facts) if each.name not in disabled]
    functions = []
    for function in program.functions:
        if done is not None and (result := done.result(function, choose)) is not None:
            functions.append(result)
            continue
        long = function.name == "situation" and len(function.nodes) > LONG_SITUATION
        # The passes that left it as it is now.
        settled: set[str] = set()
        for each in passes:
            if long and not isinstance(each, DeadCodeElimination):
                continue
            before, start = function, perf_counter()
            if each.name not in settled:
                function = each.run(before)
                settled = {*settled, each.name} if function is before else set()
            seconds = perf_counter() - start
            if observer is not None:
                observer(each.name, before, function, seconds)
        functions.append(function)
    optimised = replace(program, functions=tuple(functions))
    verify_program(optimised, program)
    return optimised
