"""What launches count, in kernels for GPUs: the statistics of a rollout, those of single lanes, and meters at ends."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet.schema import abi
from hamletc.kernel.code import Code, Do, Function, Remark, assign, do, function, give
from hamletc.kernel.expressions import Constant, Expression, Name, Operand, call, names
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import cast, where
from hamletc.targets.triton.memory import lane, lanes, row, unpack, unpacked, valid

used, cause, age, episode_return, ended = names("used cause age episode_return ended")
uses, number, kept, finished = names("uses number kept finished")


def counts(bindings: Bindings) -> list[Function]:
    """The functions that add a tick to what a rollout counts."""
    return [_count(bindings), _count_by_lane(bindings), _add_meters(bindings)]


def _outcome(bindings: Bindings) -> Iterator[Code]:
    """Unpack the state and what happened."""
    yield from unpacked(bindings, "state")
    yield unpack([variable for variable, _, _ in bindings.outcomes], "outcome")


def _ended() -> Code:
    """Set which lanes end an episode."""
    return assign(ended, (Name("terminated") | "truncated") & valid)


def _add(address: Expression, value: Operand, mask: Expression) -> Do:
    """Add to a number that other blocks add to."""
    return do("tl.atomic_add", address, value, mask=mask, sem=Constant("relaxed"))


def _count(bindings: Bindings) -> Function:
    last = Name("BINS") - 1

    def body() -> Iterator[Code]:
        yield from _outcome(bindings)
        yield _ended()
        yield _add(Name("uses_ptr") + used, 1, valid & (used >= 0))
        yield _add(Name("causes_ptr") + cause, 1, ended)
        yield _add(Name("lengths_ptr") + where(age < "BINS", age, last), 1, ended)
        yield give(where(ended, finished + episode_return, finished))

    summary = "Add a tick to the statistics; returns the sum of the returns of finished episodes."
    return function("_count", (), summary, body())


def _count_by_lane(bindings: Bindings) -> Function:
    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "place")
        yield from _outcome(bindings)
        yield assign(uses, valid & (used >= 0))
        yield assign(row, Name("lane_uses_ptr") + used * lanes + lane)
        yield do("tl.store", row, call("tl.load", row, mask=uses, other=0) + 1, mask=uses)
        yield _ended()
        episodes = Name("lane_episodes_ptr") + lane
        yield assign(number, call("tl.load", episodes, mask=ended, other=0))
        yield do("tl.store", episodes, number + 1, mask=ended)
        yield assign(kept, ended & (number < "kept_episodes"))
        for array, value in (("lengths", age), ("returns", episode_return), ("causes", cause)):
            yield do("tl.store", Name(f"lane_{array}_ptr") + number * lanes + lane, value, mask=kept)

    summary = "Add a tick to the counts of each lane; the first `kept_episodes` of its episodes are written down."
    return function("_count_by_lane", (), summary, body())


def _add_meters(bindings: Bindings) -> Function:
    sums, whole = names("sums whole")
    scales = abi.meter_scales(bindings.universe)

    def body() -> Iterator[Code]:
        yield from _outcome(bindings)
        yield _ended()
        yield Remark("Each lane has its address.")
        yield assign(sums, Name("ended_meters_ptr") + call("tl.zeros_like", age))
        for slot in bindings.held:
            if slot.field == "meters":
                yield assign(whole, cast(Name(slot.variable) * scales[slot.row], "int32"))
                yield _add(sums + slot.row if slot.row else sums, cast(whole, "int64"), ended)

    summary = "Add the meters of lanes that end an episode in this tick, as whole numbers."
    return function("_add_meters", (), summary, body())
