"""A network that chooses actions, as code: its layers, and the choice, by the order of operations of docs/semantics.md
("Policies"). What an element becomes, and what is drawn, are functions of the tick IR, as in every universe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from hamlet.numbers.counters import CONTROL_DRAWS
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Output
from hamletc.ir.function import Function as Computed
from hamletc.ir.ops import BOOL, F32, U32
from hamletc.kernel.body import Body, body
from hamletc.kernel.code import Code, Compute, Function, assign, function, give, loop, when
from hamletc.kernel.expressions import Expression, Name, call, names, no
from hamletc.lowering.draws import normal, philox, share
from hamletc.lowering.functions import call as elementary
from hamletc.lowering.policy import lower_policy
from hamletc.targets.wasm.memory import WIDE

x, y, pitch, begin, weights, biases, inputs, outputs = names("x y pitch begin weights biases inputs outputs")
output, input_, total, value, heads, masks, first = names("output input_ total value heads masks first")
some, forced, best, better, chosen, weight, held, running = names("some forced best better chosen weight held running")
point, word, tick, low, high, actions, greedy = names("point word tick low high actions greedy")
number, lanes, own, logit = names("number lanes own logit")
WORDS = names("word_0_ word_1_ word_2_ word_3_")
INFINITY = names("INFINITY")[0]
NEURON = Construct("policy")


def computed(activation: Literal["tanh", "relu"]) -> dict[str, Body]:
    """The functions of the tick IR that a network needs, by name."""
    made = (lower_policy(), _activate(activation), _weigh(), _point(), _draw(), _normal(), _limit())
    return {each.name: body(each) for each in made}


def functions(bodies: dict[str, Body]) -> Iterator[Function]:
    """Those functions as code, and what goes around them."""
    for name, printed in bodies.items():
        given = [Name(printed.names[each.value]) for each in printed.outputs]
        parameters = [each.name for each in printed.parameters]
        yield function(f"_{name}", parameters, "Computed.", [Compute(name, printed.lines), give(*given)], "apart")
    yield _layer()
    yield _activated()
    yield _choose()


# --- functions of the tick IR ----------------------------------------------------------------------------------------


def _activate(activation: Literal["tanh", "relu"]) -> Computed:
    """What a hidden layer passes on of a sum."""
    builder = Builder("policy")
    with builder.at(NEURON, None):
        total = builder.input(F32, "total")
        if activation == "tanh":
            passed = elementary(builder, "tanh", total)
        else:
            zero = builder.f32(0.0)
            passed = builder.select(builder.less(zero, total), total, zero)
    return builder.finish("activate", (Output("passed", passed),))


def _weigh() -> Computed:
    """The weight of an action by its logit and the highest one; 0 where it is not allowed."""
    builder = Builder("policy")
    with builder.at(NEURON, None):
        away = builder.sub(builder.input(F32, "logit"), builder.input(F32, "best"))
        weight = builder.select(builder.input(BOOL, "allowed"), elementary(builder, "exp", away), builder.f32(0.0))
    return builder.finish("weigh", (Output("weight", weight),))


def _point() -> Computed:
    """The point among the weights that a random word stands for."""
    builder = Builder("policy")
    with builder.at(NEURON, None):
        point = builder.mul(share(builder, builder.input(U32, "word")), builder.input(F32, "sum"))
    return builder.finish("point", (Output("point", point),))


def _draw() -> Computed:
    """Four words for controls."""
    builder = Builder("policy")
    with builder.at(NEURON, None):
        counter = [builder.input(U32, name) for name in ("lane", "tick", "block")]
        keys = [builder.input(U32, name) for name in ("seed_low", "seed_high")]
        drawn = philox(builder, [*counter, builder.u32(CONTROL_DRAWS)], keys)
    return builder.finish("draw_controls", tuple(Output(f"word{n}", each) for n, each in enumerate(drawn)))


def _normal() -> Computed:
    """A control around its mean, whose deviation has a logarithm."""
    builder = Builder("policy")
    with builder.at(NEURON, None):
        deviation = elementary(builder, "exp", builder.input(F32, "log_deviation"))
        first_word, second_word = builder.input(U32, "first"), builder.input(U32, "second")
        raw = normal(builder, first_word, second_word, builder.input(F32, "mean"), deviation)
    return builder.finish("deviate", (Output("raw", raw),))


def _limit() -> Computed:
    """A control in its range."""
    builder = Builder("policy")
    with builder.at(NEURON, None):
        scaled = builder.mul(builder.input(F32, "raw"), builder.input(F32, "half"))
        value = builder.add(builder.input(F32, "middle"), scaled)
        limited = builder.clamp(value, builder.input(F32, "least"), builder.input(F32, "most"))
    return builder.finish("limit", (Output("control", limited),))


# --- around them -----------------------------------------------------------------------------------------------------


def _layer() -> Function:
    """Outputs begin with their bias, and add weight * input by ascending number of the input."""

    def of_output() -> Iterator[Code]:
        yield assign(value, call("fetch", x, 0, call("wide", begin)))
        yield assign(total, call("alike", biases[output], value))
        of_input = call("fetch", x, input_ * pitch, call("wide", begin))
        added = call("fma", weights[output * inputs + input_], of_input, total)
        yield loop(input_, inputs, body=[assign(total, added)])
        yield assign(y[call("wide", output * WIDE)], total)

    body = [loop(output, outputs, body=of_output())]
    parameters = ["x", "pitch", "begin", "y", "weights", "biases", "inputs", "outputs"]
    return function("layer", parameters, "A layer of the lanes of a vector.", body, "apart")


def _activated() -> Function:
    here = call("wide", output * WIDE)
    passed = assign(y[here], call("_activate", call("fetch", y, 0, here)))
    body = [loop(output, outputs, body=[passed])]
    return function("activated", ["y", "outputs"], "What a hidden layer passes on.", body, "apart")


def _choose() -> Function:
    """The actions of the lanes of a vector. `masks` has rows of lanes; `held` is room for a weight of each action;
    `own` are the numbers of the lanes, by which actions are drawn."""

    def allowed() -> Expression:
        return call("fetch", masks, number * lanes, call("wide", first)) | forced

    def body() -> Iterator[Code]:
        yield assign(some, call("fetch", masks, 0, call("wide", first)))
        of_row = call("fetch", masks, number * lanes, call("wide", first))
        yield loop(number, 1, actions, body=[assign(some, some | of_row)])
        yield assign(forced, no(some))
        yield assign(logit, call("fetch", heads, 0, call("wide", 0)))
        yield assign(best, call("alike", -INFINITY, logit))
        yield assign(chosen, call("alike", call("i32", 0), logit))
        yield loop(number, actions, body=likelier())
        yield when(greedy, [give(chosen)])
        yield assign(total, call("alike", call("f32", 0), logit))
        yield loop(number, actions, body=weighed())
        yield assign(WORDS, call("_policy", own, tick, low, high))
        yield assign(word, WORDS[0])
        for place, other in enumerate(WORDS[1:], 1):
            yield when((tick & 3).equals(place), [assign(word, other)])
        yield assign(point, call("_point", word, total))
        yield assign(running, call("alike", call("f32", 0), logit))
        yield assign(chosen, call("alike", call("i32", 0), logit))
        yield loop(number, actions, body=reached())
        yield give(chosen)

    def likelier() -> Iterator[Code]:
        yield assign(logit, call("fetch", heads, 0, call("wide", number * WIDE)))
        yield assign(better, allowed() & (best < logit))
        yield assign(best, call("where", better, logit, best))
        yield assign(chosen, call("where", better, call("i32", number), chosen))

    def weighed() -> Iterator[Code]:
        yield assign(logit, call("fetch", heads, 0, call("wide", number * WIDE)))
        yield assign(better, allowed())
        yield assign(weight, call("_weigh", logit, best, better))
        yield assign(held[call("wide", number * WIDE)], weight)
        yield assign(total, total + weight)

    def reached() -> Iterator[Code]:
        yield assign(running, running + call("fetch", held, 0, call("wide", number * WIDE)))
        following = call("add", chosen, call("i32", 1))
        yield assign(chosen, call("where", running <= point, following, chosen))

    parameters = ["heads", "masks", "held", "first", "lanes", "actions", "own", "tick", "low", "high", "greedy"]
    return function("choose", parameters, "The actions of the lanes of a vector.", body(), "apart")
