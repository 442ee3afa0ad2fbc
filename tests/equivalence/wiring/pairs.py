"""Wires of what agents have of each other."""

from __future__ import annotations

from wiring.wire import Base, Wire

SHOWN = "+observation.state.owes -observation.state.likes"
FRIENDS = Base(
    """
universe friends
space none
inert allowed
role cat: 2 agents
meter a = 0.5 { decay 0.0625 }
pairs {
    state likes: real in 0 .. 8 = 0.25 + 0.25 * agent
    state owes: int in 0 .. 8 = 4 + agent
    rule warms: likes += 0.125 * own(a)
    rule pays: owes -= 1
}
report mine: total(likes when other)
report theirs: total(likes of other)
reward a
observe { state likes }
""",
    "WAIT WAIT",
    (
        Wire("PairMeter.start", "0.25 + 0.25 * agent", "0.5 + 0.25 * agent", 0, "pair_states.likes"),
        Wire("PairMeter.start", "4 + agent", "2", 0, "pair_states.owes"),
        Wire("PairMeter.low", "likes: real in 0", "likes: real in 0.375", 0, "pair_states.likes"),
        Wire("PairMeter.high", "in 0 .. 8 = 0.25", "in 0 .. 0.375 = 0.25", 0, "pair_states.likes"),
        Wire("Pairs.meters", "    rule warms", "    state more = true\n    rule warms", 0, "+pair_states.more"),
        Wire("Pairs.rules", "    rule pays: owes -= 1\n", "", 1, "pair_states.owes"),
        Wire("PairValue.meter", "theirs: total(likes", "theirs: total(owes", 1, "reports.theirs"),
        Wire("PairValue.reverse", "likes when other", "likes of other when other", 1, "reports.mine"),
        Wire("ObservePairs.meter", "state likes }", "state owes }", 0, SHOWN),
    ),
)

ALONE = Base(
    """
universe alone
space none
inert allowed
role cat: 2 agents
meter a = 0.5 { decay 0.0625 }
pairs { state likes: real in 0 .. 8 = 1 }
reward a
observe { meters }
""",
    "WAIT",
    (Wire("Universe.pairs", "pairs { state likes: real in 0 .. 8 = 1 }", "", 0, "-pair_states.likes"),),
)

PAIRS = (FRIENDS, ALONE)
