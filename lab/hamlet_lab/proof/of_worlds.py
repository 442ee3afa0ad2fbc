"""The words that a kernel must leave in memory, for the lanes of a world: its schedule over terms.

Each lane has registers of its own. What lanes have together is said as `hamletc.ir.together` says it with numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from hamlet import schema
from hamlet.universe import Universe
from hamlet_lab.proof.meanings import INFINITY
from hamlet_lab.proof.of_ir import Functions, UnprovenError, bits_of
from hamlet_lab.proof.of_schedule import LaneSpecification, Launch, Memory
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena
from hamletc.ir.function import Program, Reduction
from hamletc.ir.ops import Type
from hamletc.kernel import statements as tree
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import BEGINS, Statement


class Specification:
    """Runs the schedule of a kernel on terms, for lanes of a world: for all where agents meet, and else for one."""

    def __init__(
        self,
        arena: Arena,
        universe: Universe,
        program: Program,
        schedule: Schedule,
        lanes: Sequence[Launch],
        memory: Memory,
        whole: bool = False,
    ) -> None:
        self._arena, self._schedule, self._waits = arena, schedule, lanes[0].waits
        self._functions = Functions(arena, program, whole)
        self._lanes = [LaneSpecification(arena, universe, self._functions, each, memory) for each in lanes]
        self._knows_all = len(lanes) == lanes[0].agents
        self._pairs: list[list[dict[str, Term]]] = [[{} for _ in lanes] for _ in lanes]

    def run(self, kernel: str) -> None:
        """Run a kernel."""
        self._body(self._schedule.kernel(kernel).body)

    def _body(self, statements: tuple[Statement, ...]) -> None:
        for statement in statements:
            self._run(statement)

    def _run(self, statement: Statement) -> None:
        arena, lanes = self._arena, self._lanes
        match statement:
            case tree.Some() | tree.Pair() | tree.Join() | tree.End() if not self._knows_all:
                raise UnprovenError("what agents have together is not known to the proof of one alone")
            case tree.Some(register, condition):
                held = [arena.op("and", each.registers[condition], each.registers[tree.RUNNING]) for each in lanes]
                self._set(register, [any_of(arena, held)] * len(lanes))
            case tree.End():
                self._set(BEGINS, [arena.no(any_of(arena, list(map(self._stays, lanes))))] * len(lanes))
            case tree.Pair(stage):
                for own, row in zip(lanes, self._pairs, strict=True):
                    for other, shown in zip(lanes, row, strict=True):
                        shown |= self._functions.pair(stage, own.registers, other.registers)
            case tree.Join(name):
                (reduction,) = self._functions.reductions(name)
                self._set(reduction.result, [self._joined(reduction, number) for number in range(len(lanes))])
            case tree.Within(condition, body):
                outside = [each.within for each in lanes]
                for each in lanes:
                    each.within = arena.op("and", each.within, each.registers[condition])
                self._body(body)
                for each, before in zip(lanes, outside, strict=True):
                    each.within = before
            case tree.Do(routine):
                self._body(self._schedule.routine(routine).body)
            case _:
                for each in lanes:
                    each.do(statement)

    def _set(self, register: str, values: Sequence[Term]) -> None:
        for each, value in zip(self._lanes, values, strict=True):
            each.set(register, value)

    def _stays(self, lane: LaneSpecification) -> Term:
        ended = self._arena.no(self._arena.op("eq", lane.registers["cause"], self._arena.constant(schema.NOWHERE, 32)))
        return self._arena.op("or", lane.registers["alive"], self._arena.op("and", self._waits, ended))

    def _joined(self, reduction: Reduction, asking: int) -> Term:
        registers = [each.registers for each in self._lanes]
        return joined(self._arena, reduction, registers, self._pairs[asking] if reduction.pairs else registers, asking)


def joined(
    arena: Arena,
    reduction: Reduction,
    lanes: Sequence[Mapping[str, Term]],
    shown: Sequence[Mapping[str, Term]],
    asking: int,
) -> Term:
    """The result of a reduction for a lane, of the registers of all and of what each gives, to the one that asks."""
    name = reduction.name
    together = Together(arena, [each[tree.RUNNING] for each in lanes])
    terms = [each[f"term.{name}"] for each in shown]

    def column(kind: str) -> list[Term]:
        return [each[f"{kind}.{name}"] for each in shown]

    match reduction.op:
        case "count":
            return together.count(terms)
        case "total":
            return together.total(terms)
        case "lowest" | "highest":
            return together.extreme(terms, reduction.op == "lowest")
        case "nearest":
            return together.nearest(terms, column("away"), column("value"), lanes[asking][f"otherwise.{name}"])
        case "alike":
            return together.alike(terms, column("asked")[asking], column("key"), asking if reduction.others else None)
        case "rank":
            return together.rank(terms, column("priority"), asking)
        case "grant":
            orders = [column(kind) for kind in ("first", "priority") if f"{kind}.{name}" in shown[0]]
            return together.grant(terms, orders, column("places")[0], asking)
        case "last":
            raise UnprovenError(f"`{reduction.op}` of a schedule is not known to the proof")


class Together:
    """Numbers that the lanes of a world have together: `runs` says which of them run."""

    def __init__(self, arena: Arena, runs: Sequence[Term]) -> None:
        self._arena, self._runs = arena, list(runs)
        self._nothing = arena.constant(0, 32)

    def _running(self, conditions: Sequence[Term]) -> list[Term]:
        return [self._arena.op("and", each, runs) for each, runs in zip(conditions, self._runs, strict=True)]

    def _number(self, conditions: Sequence[Term]) -> Term:
        """How many conditions hold."""
        one = self._arena.constant(1, 32)
        ones = [self._arena.select(each, one, self._nothing) for each in conditions]
        return reduce(lambda left, right: self._arena.op("add", left, right), ones, self._nothing)

    def _counted(self, conditions: Sequence[Term]) -> Term:
        """The same in binary32."""
        if len(conditions) == 1:
            return self._arena.select(conditions[0], self._arena.constant(bits_of(Type.F32, 1.0), 32), self._nothing)
        return self._arena.op("tofloat", self._number(conditions))

    def count(self, terms: Sequence[Term]) -> Term:
        """How many lanes are counted, as a number."""
        return self._counted(self._running(terms))

    def total(self, terms: Sequence[Term]) -> Term:
        """The sum over lanes: of neighbours, of neighbouring sums, and so on."""
        values = [self._arena.select(runs, each, self._nothing) for each, runs in zip(terms, self._runs, strict=True)]
        (result,) = self._tree(values, self._nothing, lambda left, right: self._arena.op("fadd", left, right))
        return result

    def _tree(self, values: list[Term], nothing: Term, join: Callable[[Term, Term], Term]) -> list[Term]:
        values = [*values, *[nothing] * ((1 << (len(values) - 1).bit_length()) - len(values))]
        while len(values) > 1:
            values = [join(*both) for both in zip(values[::2], values[1::2], strict=True)]
        return values

    def extreme(self, terms: Sequence[Term], lowest: bool) -> Term:
        """The lowest or the highest of the lanes that run; 0 where none does."""
        arena = self._arena
        missing = (1 << (len(terms) - 1).bit_length()) - len(terms)
        values = [*terms, *[self._nothing] * missing]
        there = [*self._runs, *[arena.constant(0, 1)] * missing]
        while len(values) > 1:
            pairs = list(zip(values[::2], values[1::2], there[::2], there[1::2], strict=True))
            values, there = [], []
            for left, right, has_left, has_right in pairs:
                better = arena.op("flt", *((left, right) if lowest else (right, left)))
                of_both = arena.select(better, left, right)
                values.append(arena.select(has_right, arena.select(has_left, of_both, right), left))
                there.append(arena.op("or", has_left, has_right))
        return arena.select(there[0], values[0], self._nothing)

    def nearest(self, terms: Sequence[Term], away: Sequence[Term], values: Sequence[Term], otherwise: Term) -> Term:
        """The value of the lane that is nearest, of these the first; something else where none is there."""
        arena, there = self._arena, self._running(terms)
        far = arena.constant(INFINITY, 32)
        distances = [arena.select(each, distance, far) for each, distance in zip(there, away, strict=True)]
        least, value = distances[0], values[0]
        for distance, each in zip(distances[1:], values[1:], strict=True):
            nearer = arena.op("flt", distance, least)
            least, value = arena.select(nearer, distance, least), arena.select(nearer, each, value)
        return arena.select(any_of(arena, there), value, otherwise)

    def alike(self, terms: Sequence[Term], asked: Term, keys: Sequence[Term], without: int | None) -> Term:
        """How many lanes have the key that one asks for, as a number."""
        arena = self._arena
        meets = [
            arena.op("and", arena.op("eq", asked, key), counts)
            for number, (key, counts) in enumerate(zip(keys, self._running(terms), strict=True))
            if number != without
        ]
        return self._counted(meets)

    def _before(self, orders: Sequence[Sequence[Term]], other: int, own: int) -> Term:
        """Whether a lane comes before another: by what is greater, first things first, and else by its number."""
        arena = self._arena
        result = arena.constant(other < own, 1)
        for order in reversed(orders):
            equal, more = arena.op("eq", order[own], order[other]), arena.op("ult", order[own], order[other])
            result = arena.op("or", more, arena.op("and", equal, result))
        return result

    def _earlier(self, terms: Sequence[Term], orders: Sequence[Sequence[Term]], own: int) -> Term:
        """How many lanes that are counted come before one."""
        return self._number(
            [
                self._arena.op("and", self._before(orders, other, own), counts)
                for other, counts in enumerate(self._running(terms))
                if other != own
            ]
        )

    def rank(self, terms: Sequence[Term], priority: Sequence[Term], own: int) -> Term:
        """How many lanes come before one, as a number."""
        return self._arena.op("tofloat", self._earlier(terms, [priority], own))

    def grant(self, terms: Sequence[Term], orders: Sequence[Sequence[Term]], places: Term, own: int) -> Term:
        """Whether a lane that claims is among the first so many that do."""
        among = self._arena.op("slt", self._earlier(terms, orders, own), places)
        return self._arena.op("and", self._running(terms)[own], among)


def any_of(arena: Arena, conditions: Sequence[Term]) -> Term:
    """Whether one of conditions holds."""
    return reduce(lambda left, right: arena.op("or", left, right), conditions)
