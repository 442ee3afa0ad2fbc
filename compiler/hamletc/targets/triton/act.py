"""What lanes do in a rollout, in kernels for GPUs: what they are given for a tick, and what a policy draws."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet import schema
from hamlet.frozen import dataclass
from hamletc.kernel.code import Code, Function, assign, function, give, loop, update
from hamletc.kernel.expressions import Name, call, names
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import cast
from hamletc.targets.triton.memory import address, fetch, loaded, unpacked, valid
from hamletc.targets.triton.slots import Slot

BITS_OF_A_DRAW = 30
"""The upper bits of a random word, which thresholds are compared with."""

action, situation = names("action situation")


@dataclass(frozen=True, slots=True)
class Given:
    """A field of the state of which a rollout is given rows for each tick."""

    field: str
    slots: tuple[Slot, ...]

    @property
    def pointer(self) -> Name:
        """The parameter of the rollout for its rows; `None` where it is given none."""
        return Name(f"given_{self.field}_ptr")

    @property
    def function(self) -> str:
        """The function that gives it to lanes."""
        return f"_give_{self.field}"


def given(bindings: Bindings) -> list[Given]:
    """The fields that a rollout may be given for each tick."""
    fields = [field for field in schema.state_fields(bindings.universe) if field.name in schema.GIVEN_BY_TICK]
    slots = {slot.name: slot for slot in bindings.slots}
    return [Given(field.name, tuple(slots[name] for name in field.names)) for field in fields]


def act(bindings: Bindings) -> Iterator[Function]:
    """The functions that find the situation of a lane, give it what is given for a tick, and draw for a policy."""
    yield _situate(bindings)
    for each in given(bindings):
        yield _give(bindings, each)
    if "steer" in bindings.bodies:
        yield _steer_all(bindings)
    yield _draw(len(schema.action_names(bindings.universe)) - 1)


def _situate(bindings: Bindings) -> Function:
    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place", "state")
        yield from fetch(bindings, "situation")
        yield give(call("_situation", *bindings.arguments("situation")))

    summary = "The situation of each lane, by the strides of features, and the scales and last numbers of bins."
    return function("_situate", (), summary, body())


def _give(bindings: Bindings, each: Given) -> Function:
    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "place", "state")
        for row, slot in enumerate(each.slots):
            yield assign(slot.variable, loaded(slot, address(each.pointer, row)))
        yield give(*bindings.variables_held)

    summary = f"The state with the {each.field} that are given for this tick."
    return function(each.function, (), summary, body())


def _steer_all(bindings: Bindings) -> Function:
    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "state")
        steered = [bindings.variables[output.name] for output in bindings.outputs_of("steer")]
        yield assign(steered, call("_steer", *bindings.seeded("steer")))
        yield give(*bindings.variables_held)

    summary = "The state with controls that a policy draws for this tick."
    return function("_steer_all", (), summary, body())


def _draw(thresholds: int) -> Function:
    word, reached, row, index = names("word reached row index")

    def body() -> Iterator[Code]:
        yield assign(reached, cast(word >> (32 - BITS_OF_A_DRAW), "int32"))
        yield assign(row, Name("thresholds_ptr") + cast(situation, "int64") * thresholds)
        yield assign(action, call("tl.zeros_like", situation))
        threshold = call("tl.load", row + index, mask=valid, other=0)
        yield loop(index, thresholds, body=[update(action, "+", cast(threshold <= reached, "int32"))])
        yield give(action)

    summary = (
        f"The action that a random word draws from a table: the number of thresholds that its upper {BITS_OF_A_DRAW} "
        "bits reach."
    )
    return function("_draw", (), summary, body())
