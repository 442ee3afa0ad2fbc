"""Contention: who of a world comes before whom, as `hamlet.h` of kernels in C decides it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hamletc.kernel.code import Code, Function, assign, do, function, give, loop, update, when
from hamletc.kernel.expressions import Either, Expression, call, expression, names
from hamletc.targets.wasm.memory import WIDE

claims, priority, places, ordered, claiming, keys, above = names("claims priority places ordered claiming keys above")
begin, agents, worlds, lane, number, favoured, index = names("begin agents worlds lane number favoured index")
among_first, left, threshold, key, highest, bit, higher = names("among_first left threshold key highest bit higher")
first, ranks, ranked, tally, few, counted, own, others = names("first ranks ranked tally few counted own others")
found, earlier, here, place, value, before, flags, asked = names("found earlier here place value before flags asked")
SUMMARY = "Leave of the claims of each world as many as there are places: the first, then by priority, then by number."


def meeting() -> list[Function]:
    """The functions that rank and grant."""
    return [_compare(), _tally(), _rank(), _rank_few(), _alike(), _higher(), _threshold(), _contend(), _grant()]


def _compare() -> Function:
    def of_lanes() -> Iterator[Code]:
        yield assign(own, call("fetch", priority, 0, call("wide", lane)))
        yield assign(place, call("to_i32", call("ramp", call("u32", lane))))
        yield assign(found, call("alike", call("i32", 0), place))
        yield loop(index, number, body=of_other())
        yield assign(ranks[call("wide", lane)], call("to_f32", found))

    def of_other() -> Iterator[Code]:
        yield assign(key, keys[index])
        yield assign(earlier, call("less", ranked[index], place))
        comes = call("less", own, key) | (call("equal", own, key) & earlier)
        yield assign(found, call("add", found, call("where", comes, call("i32", 1), call("i32", 0))))

    def body() -> Iterator[Code]:
        yield assign(number, 0)
        noted = (assign(keys[number], priority[lane]), assign(ranked[number], lane), update(number, "+", 1))
        yield loop(lane, begin, begin + agents, body=[when(flags[lane], noted)])
        yield loop(lane, begin, begin + agents, WIDE, body=of_lanes())

    summary = "Compare each lane with each that counts; a vector reaches into the next world, which comes later."
    parameters = ["flags", "priority", "ranks", "keys", "ranked", "begin", "agents"]
    return function("compare_world", parameters, summary, body(), "apart")


def _tally() -> Function:
    def body() -> Iterator[Code]:
        yield do("clear", tally, few + 1)
        yield loop(lane, begin, begin + agents, body=[when(flags[lane], [update(tally[priority[lane]], "+", 1)])])
        yield assign(before, 0)
        # From the highest priority on.
        counted_ = (
            assign(value, few - index),
            assign(here, tally[value]),
            assign(tally[value], before),
            assign(before, before + here),
        )
        yield loop(index, 0, few + 1, body=counted_)
        ranked_ = (
            assign(value, priority[lane]),
            assign(ranks[lane], tally[value]),
            when(flags[lane], [update(tally[value], "+", 1)]),
        )
        yield loop(lane, begin, begin + agents, body=ranked_)

    summary = "Count the lanes of each priority: those of higher ones come first, then those that were counted before."
    parameters = ["flags", "priority", "ranks", "tally", "few", "begin", "agents"]
    return function("tally_world", parameters, summary, body(), "apart")


def _each_world(body: Iterable[Code]) -> Code:
    return loop(begin, 0, worlds * agents, agents, body=body)


def _rank() -> Function:
    body = [_each_world([do("compare_world", flags, priority, ranks, keys, ranked, begin, agents)])]
    parameters = ["flags", "priority", "ranks", "keys", "ranked", "agents", "worlds"]
    return function("rank_worlds", parameters, "How many lanes that count come before each lane.", body, "apart")


def _rank_few() -> Function:
    def of_world() -> Iterator[Code]:
        yield assign(number, call("count_flags", flags, begin, agents))
        vectors = (agents + WIDE - 1) // WIDE
        yield when(
            number * 2 * (vectors + 1) < agents + few,
            [do("compare_world", flags, priority, ranks, keys, ranked, begin, agents)],
            [do("tally_world", flags, priority, ranks, tally, few, begin, agents)],
        )

    parameters = ["flags", "priority", "ranks", "keys", "ranked", "tally", "few", "agents", "worlds"]
    summary = "The same, where priorities are 1 .. few."
    return function("rank_few_worlds", parameters, summary, [_each_world(of_world())], "apart")


def _alike() -> Function:
    wanted, each = tally[asked[lane]], (begin, begin + agents)

    def of_world() -> Iterator[Code]:
        yield loop(lane, *each, body=[assign(tally[keys[lane]], 0), when(asked[lane] >= 0, [assign(wanted, 0)])])
        yield loop(lane, *each, body=[when(flags[lane], [update(tally[keys[lane]], "+", 1)])])
        yield loop(lane, *each, body=[assign(found[lane], 0.0), when(asked[lane] >= 0, list(looked_up()))])

    def looked_up() -> Iterator[Code]:
        itself = others.both(flags[lane]).both(keys[lane].equals(asked[lane]))
        yield assign(value, wanted)
        yield when(itself, [update(value, "-", 1)])
        yield assign(found[lane], call("to_f32", value))

    parameters = ["flags", "keys", "asked", "found", "tally", "others", "agents", "worlds"]
    summary = "How many lanes that count, or how many others, have the key that each lane asks for; -1 is none."
    return function("alike_worlds", parameters, summary, [_each_world(of_world())], "apart")


def _higher() -> Function:
    found_ = when(threshold < keys[index], [update(higher, "+", 1)])
    body = (assign(higher, 0), loop(index, number, body=[found_]), give(higher))
    return function("higher", ["keys", "number", "threshold"], "How many numbers are above a threshold.", body, "apart")


def _threshold() -> Function:
    def body() -> Iterator[Code]:
        yield assign(highest, 0)
        yield loop(index, number, body=[assign(highest, call("max", highest, keys[index]))])
        yield when(left < 2, [give(Either(left.equals(1), highest, expression(0xFFFFFFFF)))])
        yield assign(threshold, 0)
        yield loop(bit, 32, body=of_bit())
        yield give(threshold)

    def of_bit() -> Iterator[Code]:
        yield assign(value, threshold + (1 << (31 - bit)))
        enough = call("higher", keys, number, value - 1) >= left
        yield when((value <= highest).both(enough), [assign(threshold, value)])

    summary = "The greatest number that at least as many have, or a greater one, as there are places left."
    return function("threshold_of", ["keys", "number", "left"], summary, body(), "apart")


def _contend() -> Function:
    def body() -> Iterator[Code]:
        yield assign(number, 0)
        yield assign(favoured, 0)
        noted = (
            assign(claiming[number], lane),
            update(number, "+", 1),
            when(first[lane], [update(favoured, "+", 1)]),
        )
        yield loop(lane, begin, begin + agents, body=[when(claims[lane], noted)])
        yield assign(among_first, favoured > places)
        yield assign(left, Either(among_first, expression(places), places - favoured))
        yield loop(index, number, body=keyed())
        yield assign(threshold, call("threshold_of", keys, number, left))
        yield update(left, "-", call("higher", keys, number, threshold))
        yield loop(index, number, body=granted())

    def keyed() -> Iterator[Code]:
        yield assign(lane, claiming[index])
        contends: Expression = first[lane].equals(among_first)
        yield assign(key, 0)
        yield when(contends, [assign(key, 1), when(ordered, [assign(key, priority[lane])])])
        yield assign(keys[index], key)

    def granted() -> Iterator[Code]:
        yield assign(lane, claiming[index])
        yield assign(key, keys[index])
        refused = assign(claims[lane], False)
        places_left = when(key.equals(threshold).both(left > 0), [update(left, "-", 1)],
                           [when(key <= threshold, [refused])])  # fmt: skip
        yield when(key.equals(0), [when(among_first, [refused])], [places_left])

    summary = "Take away the claims of a world that find no place; there are more than places."
    parameters = ["claims", "first", "priority", "places", "ordered", "claiming", "keys", "begin", "agents"]
    return function("contend", parameters, summary, body(), "apart")


def _grant() -> Function:
    def of_world() -> Iterator[Code]:
        contended = do("contend", claims, first, priority, places[begin], ordered, claiming, keys, begin, agents)
        yield when(call("count_flags", claims, begin, agents) > places[begin], [contended])

    parameters = ["claims", "first", "priority", "places", "ordered", "claiming", "keys", "above", "agents", "worlds"]
    return function("grant_worlds", parameters, SUMMARY, [_each_world(of_world())], "apart")
