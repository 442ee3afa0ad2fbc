"""The actions of a tick, and what a rollout is given for it beside those."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet import schema
from hamlet.schema.features import features, quantities
from hamletc.ir.function import CARRIED_OUT
from hamletc.kernel.code import Code, Function, assign, do, function, loop, when
from hamletc.kernel.expressions import Expression, Name, call, expression, names, several
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import Give
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.cuts import Cuts, computed
from hamletc.targets.c.lanes import DRAWN_BY, LANES, first, is_passed, lane, length, now, start, vectors
from hamletc.targets.c.memory import loaded, part, row, row_of
from hamletc.targets.c.slots import chunks

WORDS = names("first_word second_word third_word fourth_word")
"""What `policy` gives: a word for each of four ticks."""
action, situation, ahead, passed, tabular, count = names("action situation ahead passed tabular count")


def act(bindings: Bindings, cuts: Cuts | None, schedule: Schedule) -> list[Function]:
    """The functions that say what lanes do in a tick, and what they are given."""
    given = [each for each in schedule.statements(schedule.kernel("rollout").body) if isinstance(each, Give)]
    return [_act(bindings, cuts), *([_give(bindings, given)] if given else [])]


# --- actions ----------------------------------------------------------------------------------------------------------


def _act(bindings: Bindings, cuts: Cuts | None) -> Function:
    def looked_up() -> Iterator[Code]:
        yield vectors(_situation(bindings) if cuts is None else _situation_in_parts(bindings, cuts))

    def body() -> Iterator[Code]:
        yield assign(tabular, is_passed("strides_array"))
        yield when(tabular, looked_up())
        recorded = do("load_lanes", action, part("actions_array", passed - 1, start), count)
        chosen = when(
            is_passed("choices_array"), [do("look_up", action, "choices_array", situation, count)], _drawn(bindings)
        )
        yield when(is_passed("actions_array"), [recorded], [chosen])
        if CARRIED_OUT in bindings.bodies:
            given = {"action": action[lane]} if cuts is None else {}
            yield vectors([computed(bindings, cuts, CARRIED_OUT, [action[lane]], given)])

    summary = "The actions of a tick: recorded, or looked up by situation, or drawn for four ticks at once."
    if CARRIED_OUT in bindings.bodies:
        summary += " Who does not act waits."
    return function("_act", (), summary, body())


def _drawn(bindings: Bindings) -> Iterator[Code]:
    """Actions by random words: any, or those that thresholds of a situation give."""
    drawn, word = names("drawn word")

    def words() -> Iterator[Code]:
        yield assign(WORDS, call("_policy", *bindings.passing("policy", DRAWN_BY)))
        for number, each in enumerate(WORDS):
            yield assign(ahead[number * LANES + lane if number else lane], each)

    def chosen() -> Iterator[Code]:
        yield assign(word, ahead[call("wide", drawn + first)])
        below = call("to_i32", call("shift_right", word, 2))
        yield assign(
            action[call("wide", first)],
            call("where", tabular, below, call("_choose", *bindings.passing("choose", {"word": word}))),
        )

    used_up = Name("tiled").either(passed.equals(1)).either((now & 3).equals(0))
    yield when(used_up, [vectors(words())])
    yield assign(drawn, (now & 3) * LANES)
    yield loop(first, 0, LANES, "WIDE", body=chosen())
    thresholds = len(schema.action_names(bindings.universe)) - 1
    yield when(tabular, [do("draw", action, "thresholds_array", thresholds, situation, count)])


def _situation(bindings: Bindings) -> Iterator[Code]:
    strides, bins = names("strides_array bins_array")
    count, binned = len(features(bindings.universe)), len(quantities(bindings.universe))
    read: dict[str, Expression] = {f"stride.{number}": strides[number] for number in range(count)}
    read |= {f"scale.{number}": bins[number] for number in range(binned)}
    read |= {f"top.{number}": bins[binned + number] for number in range(binned)}
    yield assign(situation[lane], call("_situation", *bindings.passing("situation", read)))


def _situation_in_parts(bindings: Bindings, cuts: Cuts) -> Iterator[Code]:
    """The row of a table, to which a loop adds what meters add in large universes."""
    yield assign(names("strides bins"), several([part("strides_array", 0, 0), part("bins_array", 0, 0)]))
    yield do("_situation", *cuts.passing("situation", {}))
    if "bin" in bindings.bodies:
        yield loop(row, len(bindings.universe.meters), body=[assign(situation[lane], _bin(bindings))])


def _bin(bindings: Bindings) -> Expression:
    """What the meter of `row` adds to a situation, with it."""
    strides, bins = names("strides bins")
    count, binned, meters = (
        len(each) for each in (features(bindings.universe), quantities(bindings.universe), bindings.universe.meters)
    )
    first = binned - meters
    read: dict[str, Expression] = {
        "row": call("i32", row),
        "situation": situation[lane],
        "value": Name("meters")[row * LANES + lane],
        "stride": strides[expression(count - meters) + row],
        "scale": bins[first + row if first else row],
        "top": bins[expression(binned + first) + row],
    }
    return call("_bin", *bindings.passing("bin", read))


# --- inputs and controls ----------------------------------------------------------------------------------------------


def _give(bindings: Bindings, given: list[Give]) -> Function:
    first_row = Name("first_row")

    def array(each: Give) -> str:
        return f"given_{each.field}_array"

    def recorded(each: Give) -> Iterator[Code]:
        copied = [chunk for chunk in chunks(bindings.state) if chunk.field.name == each.field]
        yield assign(first_row, (passed - 1) * sum(chunk.rows for chunk in copied))
        for chunk in copied:
            yield loaded(chunk, part(array(each), first_row + row_of(chunk), start))

    def drawn(each: Give) -> Iterator[Code]:
        """Where no controls are recorded and no actions are, a policy draws both."""
        if each.steered:
            controls = [bindings.held[output.name].of_lane for output in bindings.bodies[each.steered].outputs]
            steered = call(f"_{each.steered}", *bindings.passing(each.steered, DRAWN_BY))
            yield when(length("actions_array").equals(0), [vectors([assign(controls, steered)])])

    def body() -> Iterator[Code]:
        for each in given:
            yield when(is_passed(array(each)), recorded(each), drawn(each))

    summary = "What is given for this tick: inputs and controls"
    summary += ", or controls that a policy draws." if any(each.steered for each in given) else "."
    return function("_give", (), summary, body())
