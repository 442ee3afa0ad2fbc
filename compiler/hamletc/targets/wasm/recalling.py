"""The memory of a network, as code, by the order of operations of docs/semantics.md ("Memory"). Rows of `memory` have
what lanes remember, then their last observation; `acted` is one more than their last action, 0 where there is none."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet.backend.recall import CHANGE
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function as Computed
from hamletc.ir.function import Output
from hamletc.ir.ops import BOOL, F32, I32
from hamletc.kernel.body import Body, body
from hamletc.kernel.code import Code, Function, assign, do, function, loop
from hamletc.kernel.expressions import Expression, Operand, call, names
from hamletc.lowering.functions import call as elementary
from hamletc.targets.wasm.memory import WIDE, part
from hamletc.targets.wasm.networks import NEURON

x, seen, memory, acted, age, lanes, first, count = names("x seen memory acted age lanes first count")
values, actions, remembers, outputs, gates, hidden = names("values actions remembers outputs gates hidden")
row, now, last, knows, after, chosen = names("row now last knows after chosen")


def computed() -> dict[str, Body]:
    """The functions of the tick IR that a memory needs, by name."""
    made = (_knows(), _change(), _did(), _hold(), _recall())
    return {each.name: body(each) for each in made}


def functions() -> Iterator[Function]:
    """The functions around them."""
    yield _sense()
    yield _remember()
    yield _keep()


# --- functions of the tick IR ----------------------------------------------------------------------------------------


def _knows() -> Computed:
    """Whether a lane remembers anything: an episode begins at the age of 0."""
    builder = Builder("policy")
    with builder.at(NEURON, None):
        none = builder.i32(0)
        acts, lives = (builder.less(none, builder.input(I32, name)) for name in ("acted", "age"))
        knows = builder.all([acts, lives])
    return builder.finish("knows", (Output("knows", knows),))


def _change() -> Computed:
    """How a value of an observation has changed."""
    builder = Builder("policy")
    with builder.at(NEURON, None):
        away = builder.sub(builder.input(F32, "now"), builder.input(F32, "before"))
        grown = builder.mul(away, builder.f32(CHANGE))
        change = builder.select(builder.input(BOOL, "knows"), grown, builder.f32(0.0))
    return builder.finish("change", (Output("change", change),))


def _did() -> Computed:
    """1 where the last action was this one."""
    builder = Builder("policy")
    with builder.at(NEURON, None):
        same = builder.equal(builder.input(I32, "acted"), builder.input(I32, "number"))
        both = builder.all([same, builder.input(BOOL, "knows")])
        did = builder.select(both, builder.f32(1.0), builder.f32(0.0))
    return builder.finish("did", (Output("did", did),))


def _hold() -> Computed:
    """A number that was remembered."""
    builder = Builder("policy")
    with builder.at(NEURON, None):
        before, knows_ = builder.input(F32, "before"), builder.input(BOOL, "knows")
        held = builder.select(knows_, before, builder.f32(0.0))
    return builder.finish("hold", (Output("held", held),))


def _recall() -> Computed:
    """A number that is remembered then."""
    builder = Builder("policy")
    with builder.at(NEURON, None):
        gate = elementary(builder, "sigmoid", builder.input(F32, "gate"))
        news = elementary(builder, "tanh", builder.input(F32, "news"))
        before = builder.input(F32, "before")
        then = builder.fma(gate, builder.sub(news, before), before)
    return builder.finish("recall", (Output("then", then),))


# --- around them -----------------------------------------------------------------------------------------------------


def _lane(of: Operand, number: Operand = 0) -> Expression:
    """A row of the lanes of a vector."""
    return call("fetch", of, number, call("wide", first))


def _own(of: Operand, number: Operand) -> Expression:
    """A row of what a vector has for itself."""
    return call("fetch", of, 0, call("wide", number))


def _sense() -> Function:
    """The inputs of the first layer, and what is remembered before the tick."""

    def code() -> Iterator[Code]:
        yield assign(last, _lane(acted))
        yield assign(knows, call("_knows", last, _lane(age)))
        yield loop(row, values, body=of_value())
        did = call("_did", last, call("alike", call("i32", row + 1), last), knows)
        yield loop(row, actions, body=[assign(x[call("wide", (values * 2 + row) * WIDE)], did)])
        held = call("_hold", _lane(memory, row * lanes), knows)
        yield loop(row, remembers, body=[assign(hidden[call("wide", row * WIDE)], held)])

    def of_value() -> Iterator[Code]:
        yield assign(now, _lane(seen, row * lanes))
        yield assign(x[call("wide", row * WIDE)], now)
        change = call("_change", now, _lane(memory, (remembers + row) * lanes), knows)
        yield assign(x[call("wide", (values + row) * WIDE)], change)

    sizes = ["values", "actions", "remembers"]
    parameters = ["x", "hidden", "seen", "memory", "acted", "age", "lanes", "first", *sizes]
    return function("sense", parameters, "What the lanes of a vector bring into a tick.", code(), "apart")


def _remember() -> Function:
    """The memory moves on, and stands behind what the first layer gives."""

    def code() -> Iterator[Code]:
        news = _own(gates, (remembers + row) * WIDE)
        yield assign(after, call("_recall", _own(gates, row * WIDE), news, _own(hidden, row * WIDE)))
        yield assign(hidden[call("wide", row * WIDE)], after)
        yield assign(x[call("wide", (outputs + row) * WIDE)], after)

    parameters = ["x", "outputs", "gates", "hidden", "remembers"]
    return function("remember", parameters, "What is remembered.", [loop(row, remembers, body=code())], "apart")


def _keep() -> Function:
    """Lanes of a vector, of which there may be fewer, keep what they remember."""

    def code() -> Iterator[Code]:
        taken = do("copy", part(memory, row * lanes + first), part(hidden, row * WIDE), count)
        yield loop(row, remembers, body=[taken])
        taken = do("copy", part(memory, (remembers + row) * lanes + first), part(x, row * WIDE), count)
        yield loop(row, values, body=[taken])
        yield assign(chosen[call("wide", 0)], call("add", _own(chosen, 0), call("i32", 1)))
        yield do("copy", part(acted, first), chosen, count)

    parameters = ["x", "hidden", "chosen", "memory", "acted", "lanes", "first", "count", "values", "remembers"]
    return function("keep", parameters, "What the lanes of a vector take out of a tick.", code(), "apart")
