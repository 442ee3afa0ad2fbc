"""Actions that a table gives; as `hamlet.h` of kernels in C looks them up."""

from __future__ import annotations

from hamletc.kernel.code import Function, assign, do, function, loop, update, when
from hamletc.kernel.expressions import names
from hamletc.targets.wasm.memory import LANES, part

action, choices, situation, count, lane = names("action choices situation count lane")
thresholds, columns, column, begin, reached = names("thresholds columns column begin reached")


def act() -> list[Function]:
    """The functions that look up actions by situation."""
    beyond = when(count < LANES, [do("clear", part(action, count), LANES - count)])
    chosen = loop(lane, count, body=[assign(action[lane], choices[situation[lane]])])
    reaches = when(thresholds[begin + column] <= action[lane], [update(reached, "+", 1)])
    drawn = (
        assign(begin, situation[lane] * columns),
        assign(reached, 0),
        loop(column, columns, body=[reaches]),
        assign(action[lane], reached),
    )
    return [
        function("look_up", ["action", "choices", "situation", "count"], "The action of each lane.", [chosen, beyond]),
        function(
            "draw",
            ["action", "thresholds", "columns", "situation", "count"],
            "How many thresholds of its situation the random bits of each lane reach.",
            [loop(lane, count, body=drawn), beyond],
            "apart",
        ),
    ]
