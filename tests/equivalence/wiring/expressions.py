"""Wires of expressions."""

from __future__ import annotations

from typing import get_args

from hamlet.universe import BinaryOp, UnaryOp
from hamlet.universe.functions import FUNCTIONS, FunctionOfTwo
from wiring.wire import Base, Wire


def _unary(op: UnaryOp) -> str:
    return "-c" if op == "-" else f"{op}(c)"


def _binary(op: BinaryOp) -> str:
    return f"{op}(a, b)" if op in FUNCTIONS else f"a {op} b"


NUMBERS: tuple[UnaryOp, ...] = tuple(op for op in get_args(UnaryOp) if op not in ("not", "log"))
ARITHMETIC: tuple[BinaryOp, ...] = ("-", "*", "/", *get_args(FunctionOfTwo))

OPERATIONS = Base(
    """
universe operations
space none
meter a = 0.75 in 0.125 .. 3
meter b = 1.25 in 0.25 .. 4
meter c = 0.5 in 0.25 .. 2
rule walk: a += 0.25
rule drop: b -= 0.25
rule slow: c += 0.125
reward log(c)
report sum: a + b
report below: c when a < b
report above: c when a > b
report same: c when a == b
report both: c when (a <= b and c > 0.7)
report clamped: clamp(a, 1.1, 1.3)
report chosen: if a < 1.2 then b else c
report before: previous(a)
report unlike: c when not (a < 1.2)
observe { meters }
""",
    "WAIT WAIT WAIT",
    (
        *(Wire("Unary.op", "log(c)", _unary(op), 1, "reward", "Reward.value") for op in NUMBERS),
        *(Wire("Binary.op", "sum: a + b", f"sum: {_binary(op)}", 1, "reports.sum") for op in ARITHMETIC),
        Wire("Binary.op", "a < b\n", "a <= b\n", 1, "reports.below"),
        Wire("Binary.op", "a > b\n", "a >= b\n", 1, "reports.above"),
        Wire("Binary.op", "a == b", "a != b", 1, "reports.same"),
        Wire("Binary.op", "a <= b and", "a <= b or", 1, "reports.both"),
        Wire("Unary.op", "not (a < 1.2)", "(a < 1.2)", 1, "reports.unlike", "If.condition"),
        Wire("Unary.operand", "log(c)", "log(b)", 1, "reward"),
        Wire("Binary.left", "sum: a", "sum: c", 1, "reports.sum"),
        Wire("Binary.right", "a == b", "a == c", 1, "reports.same"),
        Wire("Clamp.operand", "clamp(a,", "clamp(b,", 2, "reports.clamped"),
        Wire("Clamp.low", "1.1, 1.3", "1.2, 1.3", 1, "reports.clamped"),
        Wire("Clamp.high", "1.1, 1.3", "1.1, 1.4", 3, "reports.clamped"),
        Wire("If.condition", "if a < 1.2", "if a < 1.6", 3, "reports.chosen"),
        Wire("If.then", "then b", "then c", 1, "reports.chosen"),
        Wire("If.otherwise", "else c", "else a", 2, "reports.chosen"),
        Wire("Previous.operand", "previous(a)", "previous(b)", 1, "reports.before"),
        Wire("Number.value", "clamp(a, 1.1", "clamp(a, 1.2", 1, "reports.clamped"),
        Wire("MeterValue.meter", "previous(a)", "previous(c)", 1, "reports.before"),
    ),
)

TABLES = Base(
    """
universe tables
space none
meter a = 0 in 0 .. 8
meter b = 1 in 0 .. 8
table few { 0.5 0.25 2 4 }
table others { 1 0.25 8 4 }
table many 2 x 3 {
    8 1 2
    3 4.5 6
}
rule walk: a += 0.5
rule on_and_on: b += 1
reward few[mod(floor(a), 4)]
report lone: few[mod(floor(a), 2)] + others[mod(floor(a), 3)]
report pair: many[mod(floor(b), 2), mod(floor(a), 2)]
observe { meters }
""",
    "WAIT WAIT WAIT",
    (
        Wire("TableValue.table", "reward few[", "reward others[", 1, "reward"),
        Wire("TableValue.indices", "reward few[mod(floor(a)", "reward few[mod(floor(b)", 1, "reward"),
        Wire("NumberTable.sizes", "many 2 x 3", "many 3 x 2", 2, "reports.pair"),
        Wire("NumberTable.values", "few { 0.5", "few { 0.75", 1, "reward reports.lone"),
    ),
)

QUANTITIES = Base(
    """
universe quantities
space grid 5 x 4
clock 5 hours
param p = 0.5 in 0 .. 1
param q = 0.25 in 0 .. 1
input i = 0.25 in 0 .. 1
input j = 0.5 in 0 .. 1
control f in 0.25 .. 1
control g in -1 .. -0.25
meter a = 0.5 { decay 0.01 * p  interact 0.01 * q }
affordance Bed at (1, 1) { instantly { a += 0.125 } }
affordance Bath at (4, 3) { instantly { a += 0.25 } }
action TO_BED { teleport (1, 1) }
action SLIP { move (2, 1) }
reward a * i + 0.1 * j
report wave: day_sin
report when_: 0.5 * hour
report since: 0.25 * age
report one: 3 * agent
report all: 5 * agents
report regularly: 1 when every 2 ticks
report late: 1 when after 2 ticks
report along: position x
report swift: velocity x
report pace: speed
report stand: a when here == Bed
report far: distance to Bed
report straight_: straight distance to Bed
report walked: walking distance to Bed
report given: p
report felt: i
report held: f
report kept: f - g
observe { meters }
""",
    "TO_BED RIGHT SLIP DOWN",
    (
        Wire("DayTime.function", "day_sin", "day_cos", 1, "reports.wave"),
        Wire("Hour", "0.5 * hour", "0.5 * age", 1, "reports.when_", "Binary.right"),
        Wire("Age", "0.25 * age", "0.25 * hour", 1, "reports.since", "Binary.right"),
        Wire("AgentNumber", "3 * agent", "3 * agents", 1, "reports.one", "Binary.right"),
        Wire("AgentCount", "5 * agents", "5 * agent", 1, "reports.all", "Binary.right"),
        Wire("Every.ticks", "every 2 ticks", "every 3 ticks", 2, "reports.regularly"),
        Wire("After.ticks", "after 2 ticks", "after 1 tick", 2, "reports.late"),
        Wire("Coordinate.axis", "position x", "position y", 2, "reports.along"),
        Wire("Velocity.axis", "velocity x", "velocity y", 2, "reports.swift"),
        Wire("Speed", "pace: speed", "pace: 0.5 * age", 1, "reports.pace", "Report.value"),
        Wire("Here.affordance", "here == Bed", "here == Bath", 1, "reports.stand"),
        Wire("Here.affordance", "here == Bed", "here == nothing", 1, "reports.stand"),
        Wire("Distance.affordance", "far: distance to Bed", "far: distance to Bath", 1, "reports.far"),
        Wire(
            "StraightDistance.affordance",
            "straight distance to Bed",
            "straight distance to Bath",
            1,
            "reports.straight_",
        ),
        Wire("WalkingDistance.affordance", "walking distance to Bed", "walking distance to Bath", 1, "reports.walked"),
        Wire("ParamValue.param", "given: p", "given: q", 1, "reports.given"),
        Wire("InputValue.input", "felt: i", "felt: j", 1, "reports.felt"),
        Wire("ControlValue.control", "held: f", "held: g", 1, "reports.held"),
        Wire("Control.low", "control f in 0.25", "control f in 0.5", 0, "controls.f"),
        Wire("Control.high", ".. -0.25", ".. -0.5", 0, "controls.g"),
    ),
)

DRAWS = Base(
    """
universe draws_only
space none
meter a = 0.5 { decay 0.0625 }
meter b = 0.75 { decay 0.03125 }
reward a + b
report between: uniform(a, b)
report thrown: integer(1, 6)
report taken: choice(a, b)
report weighed: choice(a: 5, b: 3)
report near: normal(a, b)
report often: poisson(2 * a)
report lucky: a when chance(b)
observe { meters }
""",
    "WAIT WAIT",
    (
        Wire("DrawUniform.low", "uniform(a,", "uniform(0.125 * a,", 1, "reports.between"),
        Wire("DrawUniform.high", "uniform(a, b)", "uniform(a, 2 * b)", 1, "reports.between"),
        Wire("DrawInteger.low", "integer(1,", "integer(-9,", 1, "reports.thrown"),
        Wire("DrawInteger.high", "integer(1, 6)", "integer(1, 60)", 1, "reports.thrown"),
        Wire("DrawChoice.options", "choice(a, b)", "choice(a, 0.5 * b)", 1, "reports.taken"),
        Wire("DrawChoice.thresholds", "b: 3", "b: 9", 1, "reports.weighed"),
        Wire("DrawPoisson.mean", "poisson(2 * a)", "poisson(20 * b)", 1, "reports.often"),
        Wire("DrawNormal.mean", "normal(a,", "normal(b,", 1, "reports.near"),
        Wire("DrawNormal.deviation", "normal(a, b)", "normal(a, a)", 1, "reports.near"),
        Wire("DrawChance.probability", "chance(b)", "chance(0.25 * b)", 1, "reports.lucky"),
    ),
)

EXPRESSIONS = (OPERATIONS, TABLES, QUANTITIES, DRAWS)
