"""What lanes use and how episodes end, counted; as `hamlet.h` of kernels in C counts it."""

from __future__ import annotations

from collections.abc import Iterator

from hamletc.kernel.code import Code, Function, assign, do, function, give, loop, update, when
from hamletc.kernel.expressions import call, names
from hamletc.targets.wasm.memory import LANES, WORD, each_flagged

MANY = 512
"""Notes that are counted together."""
notes, noted, uses, kinds, used, start, lane, note, bits = names("notes noted uses kinds used start lane note bits")
cause, age, episode_return, causes, lengths, longest = names("cause age episode_return causes lengths longest")
finished_return, lanes, chosen, index, kept, number = names("finished_return lanes chosen index kept number")
episodes, returns, sums, row, value, scale = names("episodes returns sums row value scale")
OF_EPISODE = ("cause", "age", "episode_return", "causes", "lengths", "longest", "finished_return")


def counts() -> list[Function]:
    """The functions that count."""
    return [_add_notes(), _count_uses(), _count_episode(), _count_episodes(), _add_meter(), _count_by_lane()]


def _add_notes() -> Function:
    body = [loop(index, noted, body=[assign(note, notes[index]), update(uses[note], "+", 1)])]
    return function("add_notes", ["notes", "noted", "uses", "kinds"], "Count what is noted.", body, "apart")


def _count_uses() -> Function:
    def of_word() -> Iterator[Code]:
        natural = call("sign_bits", used, start) ^ ((1 << WORD) - 1)
        yield from each_flagged(lane, natural, start, [assign(notes[noted], used[lane]), update(noted, "+", 1)])

    full: list[Code] = [do("add_notes", notes, noted, uses, kinds), assign(noted, 0)]
    body = (loop(start, 0, LANES, WORD, body=of_word()), when(noted > MANY, full), give(noted))
    summary = "Note what the lanes of a chunk have used, -1 for nothing; how many are noted now."
    return function("count_uses", ["used", "notes", "noted", "uses", "kinds"], summary, body, "apart")


def _count_episode() -> Function:
    body = (
        update(causes[cause[lane]], "+", 1),
        assign(index, call("min", age[lane], longest)),
        update(lengths[index], "+", 1),
        update(finished_return[lane], "+", episode_return[lane]),
    )
    return function("count_episode", ["lane", *OF_EPISODE], "Count the episode of a lane, which ended.", body, "apart")


def _count_episodes() -> Function:
    ended = [do("count_episode", lane, *map(str, OF_EPISODE))]
    each = (assign(lane, lanes[index]), when(cause[lane] >= 0, ended))
    body = [loop(index, chosen, body=each)]
    return function("count_episodes", ["lanes", "chosen", *OF_EPISODE], "Those of chosen lanes.", body, "apart")


def _add_meter() -> Function:
    body = [update(sums[row], "+", call("add_scaled", value, scale))]
    return function("add_meter", ["sums", "row", "value", "scale"], "Add a meter at the end of an episode.", body)


def _count_by_lane() -> Function:
    def of_word() -> Iterator[Code]:
        everyone = (1 << WORD) - 1
        use: list[Code] = [assign(number, used[lane]), update(uses[number * lanes + lane], "+", 1)]
        yield from each_flagged(lane, call("sign_bits", used, start) ^ everyone, start, use)
        written = (
            assign(lengths[number * lanes + lane], age[lane]),
            assign(returns[number * lanes + lane], episode_return[lane]),
            assign(causes[number * lanes + lane], cause[lane]),
        )
        ended: list[Code] = [
            assign(number, episodes[lane]),
            update(episodes[lane], "+", 1),
            when(number < kept, written),
        ]
        yield from each_flagged(lane, call("sign_bits", cause, start) ^ everyone, start, ended)

    given = ["used", "cause", "age", "episode_return", "uses", "episodes", "lengths", "returns", "causes", "kept"]
    body = [loop(start, 0, LANES, WORD, body=of_word())]
    return function("count_by_lane", [*given, "lanes"], "Count what each lane does, and its episodes.", body, "apart")
