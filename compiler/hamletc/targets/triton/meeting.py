"""Worlds whose agents meet, in kernels for GPUs: what lanes have together at a stage of a tick, and the functions that
compute it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hamletc.ir.function import Stage
from hamletc.kernel.code import Code, Do, Function, assign
from hamletc.kernel.expressions import call
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import BLOCK, GROUP, widened
from hamletc.targets.triton.pair_states import keep, room
from hamletc.targets.triton.pairs import pairs
from hamletc.targets.triton.reductions import reductions


def meeting(bindings: Bindings) -> list[Function]:
    """The functions that compute what the agents of a world have together; none where agents do not meet."""
    meets = bindings.meets
    return [*reductions(meets.ops, bool(meets.asked)), *pairs(meets.asked)] if meets.functions else []


def meet(bindings: Bindings, stage: Stage) -> Iterator[Code]:
    """What lanes have together at a stage: what each adds, and what that comes to. `running` says which lanes do."""
    together = bindings.meets.together(stage)
    if together is None:
        return
    function = f"_{together.function}"
    yield assign(together.terms, call(function, *bindings.arguments(together.function, *together.after)))
    yield from widen(together.uniform)
    for variable, value in together.results:
        yield assign(variable, value)
    if (asked := together.asked) is not None:
        if asked.written:
            yield from room(bindings)
        found = call(asked.name, *asked.taken, call("_zero", "lanes"), GROUP, BLOCK)
        yield assign([each.result for each in asked.found], found) if asked.found else Do(found)
        if asked.written:
            yield keep()


def widen(variables: Iterable[str]) -> Iterator[Code]:
    """Make blocks of variables that are the same for all lanes."""
    return (assign(each, widened(each)) for each in variables)
