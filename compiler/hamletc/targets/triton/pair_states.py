"""What agents have of each other in kernels for GPUs: in memory, world by world, with a row for each other agent. What
rules write stands behind all rows until all agents of the world have asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hamlet import schema
from hamlet.frozen import dataclass
from hamletc.ir.function import BEGIN_PAIRS, OF_PAIRS
from hamletc.kernel.code import Code, Function, Remark, assign, do, function, loop
from hamletc.kernel.expressions import Expression, Name, Several, call, expression, names
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import GROUP, cast, where
from hamletc.targets.triton.memory import PLACE, agent, fetch, unpack, unpacked, valid, world

MEMORY = Name(f"{schema.PAIR_STATES}_ptr")
other, starts, base, number, new_pairs, value = names("other starts base number new_pairs value")


@dataclass(frozen=True, slots=True)
class PairStates:
    """The states of pairs of a universe.

    Attributes:
        agents: of a world; `pitch`: the numbers from world to world.
        states: their arrays, by names of outputs.
        written: the numbers of those that rules write.
    """

    bindings: Bindings
    agents: int
    pitch: int
    states: list[str]
    written: list[int]

    @property
    def size(self) -> int:
        """The numbers of a state."""
        return self.agents**2

    def base(self) -> Code:
        """Set the address of the first number of the lane's world, of the first one where there is no such lane."""
        return assign(base, MEMORY + where(valid, cast(world, "int64") * self.pitch, 0))

    def row(self, state: int) -> Expression:
        """The address of what the lane has of agent `other`."""
        return base + (other * self.agents + state * self.size + agent)


def pair_states(bindings: Bindings) -> PairStates | None:
    """The states of pairs of a universe; `None` where agents have nothing of each other."""
    pairs = bindings.universe.pairs
    if pairs is None:
        return None
    (field,) = (each for each in schema.state_fields(bindings.universe) if each.name == schema.PAIR_STATES)
    states = [f"{OF_PAIRS}{meter.name}" for meter in pairs.meters]
    written = [pairs.meters.index(meter) for meter in pairs.written]
    return PairStates(bindings, schema.pair_agents(bindings.universe), field.pitch, states, written)


def of_pairs(bindings: Bindings) -> list[Function]:
    """The functions by which agents begin with each other, and keep what rules wrote; none where they have nothing."""
    states = pair_states(bindings)
    if states is None:
        return []
    return [_begin(states), *([_keep(states)] if states.written else [])]


def room(bindings: Bindings) -> Iterator[Code]:
    """Set where rules write what the lane has of agent 0."""
    states = pair_states(bindings)
    assert states is not None, "there are rules of pairs"
    first = len(states.states) * states.size
    yield states.base()
    yield assign(new_pairs, base + first + agent)


def noted(written: Sequence[str], asked: Name) -> Iterator[Code]:
    """Write what the asking lane has of the other one then."""
    yield assign(number, asked & (GROUP - 1))
    for row, variable in enumerate(written):
        there = new_pairs + (number + row * Name("agents")) * Name("agents")
        yield do("tl.store", there, variable, mask=valid & (number < "agents"))


def keep() -> Code:
    """Keep what rules have written."""
    return do("_keep_pairs")


def begin_pairs(bindings: Bindings) -> Iterator[Code]:
    """Let the agents of worlds begin with each other where `starts`."""
    yield assign("state", Several(tuple(map(expression, bindings.variables_held))))
    yield do("_begin_pairs_of_worlds")


def _keep(states: PairStates) -> Function:
    first = len(states.states) * states.size

    def of_other() -> Iterator[Code]:
        for row, state in enumerate(states.written):
            behind = base + (other * states.agents + (first + row * states.size) + agent)
            yield assign(value, call("tl.load", behind, mask=valid, other=0.0))
            yield do("tl.store", states.row(state), value, mask=valid)

    def body() -> Iterator[Code]:
        yield unpack(PLACE, "place")
        yield states.base()
        yield Remark("All have asked.")
        yield do("tl.debug_barrier")
        yield loop(other, states.agents, body=of_other())
        yield do("tl.debug_barrier")

    return function("_keep_pairs", (), "What agents have of each other when the rules of pairs have run.", body())


def _begin(states: PairStates) -> Function:
    bindings = states.bindings

    def of_other() -> Iterator[Code]:
        yield assign(other, call("tl.cast", "turn", "tl.int32"))
        results = names(" ".join(f"new_{state}" for state in range(len(states.states))))
        yield assign(results, call(f"_{BEGIN_PAIRS}", *bindings.arguments(BEGIN_PAIRS)))
        for state, result in enumerate(results):
            yield do("tl.store", states.row(state), result, mask=starts & valid)

    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place", "state")
        yield unpack(names("seed_low seed_high"), "key")
        yield from fetch(bindings, BEGIN_PAIRS)
        yield states.base()
        yield Remark("All have read how the last episode ended.")
        yield do("tl.debug_barrier")
        yield loop("turn", states.agents, body=of_other())
        yield do("tl.debug_barrier")

    return function("_begin_pairs_of_worlds", (), "What agents have of each other as an episode begins.", body())
