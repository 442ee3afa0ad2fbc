"""The actions of the policies inside kernels (docs/semantics.md, "Randomness"): the random one draws a word, and a
tabular one looks up the row of the agent's situation (`hamlet.schema.features`)."""

from __future__ import annotations

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.numbers.counters import BLOCK_WORDS, CONTROL_DRAWS, POLICY, POLICY_BLOCK
from hamlet.schema.features import AGE, HERE, HOUR, Count, Quantity, features
from hamlet.universe import Universe
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Function, Output, Table
from hamletc.ir.ops import F32, I32, U32, Value
from hamletc.lowering.draws import integer, philox, uniform
from hamletc.lowering.expressions import clock_hour
from hamletc.lowering.functions import rounded_down
from hamletc.lowering.lane import Lane, input_lane
from hamletc.lowering.plan import Plan
from hamletc.lowering.space import affordance_here


def lower_policy() -> Function:
    """Inputs lane, tick, seed_low, seed_high; outputs word0 .. word3, all U32."""
    builder = Builder("policy")
    with builder.at(Construct("policy"), None):
        lane, tick = builder.input(U32, "lane"), builder.input(U32, "tick")
        keys = [builder.input(U32, "seed_low"), builder.input(U32, "seed_high")]
        counter = [lane, builder.shift_right(tick, 2), builder.u32(POLICY_BLOCK), builder.u32(POLICY)]
        words = philox(builder, counter, keys)
    return builder.finish("policy", tuple(Output(f"word{number}", word) for number, word in enumerate(words)))


def lower_choose(actions: int) -> Function:
    """Input word (U32); output action (I32), uniform in 0 .. actions - 1."""
    builder = Builder("policy")
    with builder.at(Construct("policy"), None):
        drawn = builder.mul_high(builder.input(U32, "word"), builder.u32(actions))
        return builder.finish("choose", (Output("action", builder.to_i32(drawn)),))


def lower_steer(universe: Universe) -> Function:
    """Inputs lane, tick, seed_low, seed_high (U32); outputs control.<name> (F32), uniform between the bounds, or
    among the whole numbers there."""
    builder = Builder("policy")
    outputs, blocks = [], dict[int, list[Value]]()
    with builder.at(Construct("policy"), None):
        lane, tick = builder.input(U32, "lane"), builder.input(U32, "tick")
        keys = [builder.input(U32, "seed_low"), builder.input(U32, "seed_high")]
    for site, control in enumerate(universe.controls):
        block, word = divmod(site, BLOCK_WORDS)
        with builder.at(Construct("control", control.name), control.span):
            if block not in blocks:
                counter = [lane, tick, builder.u32(block), builder.u32(CONTROL_DRAWS)]
                blocks[block] = philox(builder, counter, keys)
            if control.whole:
                chosen = integer(builder, blocks[block][word], int(control.low), int(control.high))
                outputs.append(Output(f"control.{control.name}", chosen))
                continue
            low, high = builder.f32(round32(control.low)), builder.f32(round32(control.high))
            value = uniform(builder, blocks[block][word], low, high)
            outputs.append(Output(f"control.{control.name}", builder.select(builder.less(high, value), high, value)))
    return builder.finish("steer", tuple(outputs))


def lower_situation(planned: Plan, with_meters: bool = True) -> Function:
    """Inputs: the state, and of the table stride.0, ... (I32, per feature), scale.0, ... and top.0, ... (F32, per
    quantity: bins / width, bins - 1). Output situation (I32). Without meters it is what `lower_bin` begins with."""
    builder = Builder("policy")
    lane = input_lane(planned, builder)
    with builder.at(Construct("policy"), None):
        situation, binned = builder.i32(0), 0
        indexed = features(planned.universe)
        # Meters are the last features, in their order.
        meters = len(indexed) - len(planned.universe.meters)
        for number, feature in enumerate(indexed if with_meters else indexed[:meters]):
            match feature:
                case Count():
                    value = _count(lane, feature)
                case Quantity(low=low):
                    meter = planned.universe.meters[number - meters].name if number >= meters else None
                    quantity = lane.position[number] if meter is None else lane.meters[meter]
                    value = _bin(builder, quantity, builder.f32(round32(low)), f"scale.{binned}", f"top.{binned}")
                    binned += 1
            situation = builder.add(situation, builder.mul(value, builder.input(I32, f"stride.{number}")))
    return builder.finish("situation", (Output("situation", situation),))


def lower_bin(universe: Universe) -> tuple[Function, Table]:
    """The share of the meter of a `row` in a situation, for kernels that go through meters in a loop, and a table of
    where meters begin. Inputs: row, situation, stride (I32), value, scale, top (F32). Output situation (I32).
    """
    builder = Builder("policy")
    table = Table("situation.low", F32, tuple(round32(meter.low) for meter in universe.meters))
    with builder.at(Construct("policy"), None):
        low = builder.lookup(table, builder.input(I32, "row"))
        binned = _bin(builder, builder.input(F32, "value"), low, "scale", "top")
        added = builder.mul(binned, builder.input(I32, "stride"))
        situation = builder.add(builder.input(I32, "situation"), added)
    return builder.finish("bin", (Output("situation", situation),)), table


def _count(lane: Lane, feature: Count) -> Value:
    """The value (I32) of a feature that is a whole number."""
    builder = lane.builder
    match feature.name:
        case name if name == HOUR:
            return clock_hour(lane)
        case name if name == AGE:
            return builder.minimum(lane.age, builder.i32(feature.size - 1))
        case name if name == HERE:
            return builder.add(affordance_here(lane), builder.i32(1))
        case name:
            return lane.position[schema.axes(lane.universe).index(name)]


def _bin(builder: Builder, value: Value, low: Value, scale: str, top: str) -> Value:
    """The bin (I32) that a number is in; `scale` and `top` are names of inputs."""
    scaled = builder.mul(builder.sub(value, low), builder.input(F32, scale))
    return rounded_down(builder, builder.clamp(scaled, builder.f32(0.0), builder.input(F32, top)))
