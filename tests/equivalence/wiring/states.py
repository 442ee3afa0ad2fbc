"""Wires of states."""

from __future__ import annotations

from wiring.wire import Base, Wire

ICY = "Meter.high ObserveOneHot.options"
STATES = Base(
    """
universe states
space none
inert allowed
meter a = 0.5
state n: int in 0 .. 8 = 3
state flag = false
state w: dry wet soaked = dry
state v: dry wet soaked = wet
world {
    state day: int in 0 .. 9 = 0
    state sky: clear dull = dull
    rule days: day += 1
    rule clears: sky = if day == 2 then clear else dull
}
rule tally: n += 1
rule flip: flag = n == 4
rule turn: w = if flag then wet else soaked
rule give: flag and w == wet and sky == dull -> a += 0.125
reward a + 0.0625 * n + 0.0625 * day
observe { meters  state n w sky }
""",
    "WAIT WAIT WAIT",
    (
        Wire("Meter.type", "w: dry wet soaked", "w: dry wet soaked icy", 0, "+observation.state.w", ICY),
        Wire("StateType.options", "w: dry wet soaked", "w: dry wet soaked icy", 0, "+observation.state.w", ICY),
        Wire(
            "WorldMeter.type",
            "dull = dull",
            "dull grey = dull",
            0,
            "+observation.state.sky",
            "WorldMeter.high ObserveOneHot.options",
        ),
        Wire(
            "ObserveOneHot.options",
            "w: dry wet soaked",
            "w: dry wet soaked icy",
            0,
            "+observation.state.w",
            "Meter.high StateType.options",
        ),
        Wire("ObserveOneHot.value", "n w sky", "n v sky", 0, "+observation.state.v -observation.state.w"),
    ),
)
