"""Statements of code as instructions of WebAssembly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hamletc.ir.ops import Fold, Lookup, Op, Value
from hamletc.kernel.body import Body, Line
from hamletc.kernel.code import Assign, Code, Compute, Do, Fix, For, Function, If, Remark, Return, Update, While
from hamletc.kernel.expressions import Call, Expression, Index, Infix, Name, Several
from hamletc.targets.c.types import INDEX, LANES, LITERAL, MAKERS, CType, UntypedError, settled
from hamletc.targets.wasm import lookups
from hamletc.targets.wasm.arithmetic import Functions
from hamletc.targets.wasm.encoding import I64
from hamletc.targets.wasm.expressions import Expressions
from hamletc.targets.wasm.instructions import block, branch, branch_if, get, i32, loop, op, put, tee, when
from hamletc.targets.wasm.lookups import together
from hamletc.targets.wasm.traits import Traits
from hamletc.targets.wasm.values import (
    SIZES,
    WIDE,
    Coded,
    Frame,
    Variable,
    as_index,
    constant,
    converted,
    kinds,
    put_in,
    stored,
    value_of,
    written,
)


class Printer(Functions, Protocol):
    """The functions that statements call, and what they read: see `hamletc.targets.wasm.printer.WasmPrinter`."""

    bodies: Mapping[str, Body]
    contents: Mapping[str, bytes]

    def room(self, size: int) -> int:
        """The address of so many bytes that nothing else has."""

    def beside(self, tables: tuple[str, ...]) -> int:
        """The address of the entries of up to four tables side by side, 16 bytes for each index."""


@dataclass(slots=True)
class Statements:
    """The statements of a function for arguments of certain types. `owned`: the local variables that it takes."""

    printer: Printer
    function: Function
    expressions: Expressions
    traits: Traits
    inlined: bool
    gives: tuple[CType, ...] | None = None
    owned: list[int] = field(default_factory=list)
    _outermost: int = 0

    @property
    def frame(self) -> Frame:
        return self.expressions.frame

    def code(self) -> bytes:
        """The statements; results are left on the stack."""
        self._outermost = self.frame.depth
        code = self._block(self.function.body)
        ends = bool(self.function.body) and isinstance(self.function.body[-1], Return)
        # Every way through the function has ended.
        return code + op("unreachable") if self.gives and not ends else code

    # --- statements ---------------------------------------------------------------------------------------------------

    def _block(self, body: Iterable[Code]) -> bytes:
        code = b""
        for each in body:
            code += self._statement(each)
            self.frame.end_statement()
        return code

    def _nested(self, body: Iterable[Code], blocks: int = 1) -> bytes:
        """Statements inside of blocks."""
        self.frame.depth += blocks
        code = self._block(body)
        self.frame.depth -= blocks
        return code

    def _statement(self, code: Code) -> bytes:
        match code:
            case Assign(targets=(Name(name=name),), value=Call(function=Name(name=maker)) as made) if (
                maker.partition("_")[0] in MAKERS and maker != "room_like"
            ):
                return self._made(name, maker, made)
            case Assign(targets=(target,), value=value):
                return self._set(target, self.expressions.value(value))
            case Assign(targets=targets, value=Several(items=items)):
                return b"".join(
                    self._set(target, self.expressions.value(value))
                    for target, value in zip(targets, items, strict=True)
                )
            case Assign(targets=targets, value=Call(function=Name(name=name), arguments=arguments)):
                return self._given(targets, name, [self.expressions.value(each) for each in arguments])
            case Fix(name=name, value=value):
                return self._set(Name(name), self.expressions.value(value))
            case Update(target=target, sign=sign, value=value):
                return self._set(target, self.expressions.value(Infix(sign, target, value)))
            case Do(call=Call(function=Name(name=name), arguments=arguments)) if name in self.printer.functions:
                values = [self.expressions.value(each) for each in arguments]
                done, gives = self.printer.called(name, values, self.frame)
                return done + op("drop") * sum(len(kinds(each)) for each in gives)
            case Do(call=call_):
                value_ = self.expressions.value(call_)
                return value_.code + op("drop") * len(kinds(value_.type))
            case For(variable=Name(name=name), range=Call(arguments=bounds), body=body):
                return self._loop(name, bounds, body)
            case While(condition=condition, body=body):
                asked = self.expressions.condition(condition)
                return block(loop(asked + op("i32.eqz") + branch_if(1) + self._nested(body, 2) + branch(0)))
            case If(condition=condition, body=body, otherwise=otherwise):
                asked = self.expressions.condition(condition)
                return asked + when(self._nested(body), self._nested(otherwise))
            case Return(values=values):
                return self._left([self.expressions.value(value) for value in values])
            case Remark():
                return b""
            case Compute(function=function, lines=lines):
                return self._computing(self.printer.bodies[function], lines)
            case Assign() | For() | Do():
                raise UntypedError(f"{self.function.name}: {code}")

    def _computing(self, printed: Body, lines: Iterable[Line]) -> bytes:
        """Lines of a function of the tick IR."""
        code = b""
        several = together(printed, lines, self.printer.contents)
        done: set[Value] = set()
        for line in lines:
            op_ = printed.op(line.value)
            if line.value in done:
                continue
            if line.value in several and self._index(printed, op_).type.shape == "vector":
                code += self._looked_up(printed, several[line.value])
                done.update(several[line.value])
            elif isinstance(op_, Fold):
                given = self._initial(printed, op_)
                names = self.printer.functions[f"_{op_.function}_rows"].parameters[len(given) :]
                given += [self.expressions.named(name) for name in (each.name for each in names)]
                code += self._given(list(map(Name, line.name.split(", "))), f"_{op_.function}_rows", given)
            else:
                code += self._set(Name(line.name), self.expressions.operation(printed, line.value))
        return code

    def _index(self, printed: Body, op_: Op) -> Coded:
        assert isinstance(op_, Lookup), "a table is read"
        return self.expressions.node(printed, op_.index)

    def _looked_up(self, printed: Body, values: Sequence[Value]) -> bytes:
        """What several tables have at one index."""
        code, places = lookups.addresses(self._index(printed, printed.op(values[0])).code, self.frame)
        for first in range(0, len(values), WIDE):
            some = values[first : first + WIDE]
            ops = [printed.op(value) for value in some]
            base = self.printer.beside(tuple(op_.table for op_ in ops if isinstance(op_, Lookup)))
            read, vectors = lookups.read(base, places, len(some), self.frame)
            code += read
            for value, vector in zip(some, vectors, strict=True):
                type_ = CType("vector", printed.type(value).value)
                code += self._set(Name(printed.names[value]), Coded(vector, type_))
        self.frame.give_back(places)
        return code

    def _initial(self, printed: Body, op_: Fold) -> list[Coded]:
        """What a loop over rows begins with. It needs its types from the beginning: numbers become vectors where others
        are."""
        initial = [self.expressions.node(printed, each) for each in op_.initial]
        if not any(each.type.shape == "vector" for each in initial):
            return initial
        return [converted(each, CType("vector", each.element)) for each in initial]

    def _made(self, name: str, maker: str, made: Call) -> bytes:
        """Memory, which is set to zeros unless it is written first."""
        kind, _, element = maker.partition("_")
        (count,) = (self.expressions.value(each) for each in made.arguments)
        if kind == "room":
            return self._set(Name(name), self.expressions.room(element, count, zeros=True))
        assert isinstance(count.number, int), "memory on the stack has a size that is known"
        size = SIZES[element] * count.number * (self.printer.constants["ROW"] if kind == "rows" else 1)
        pointer = constant(CType("pointer", element), self.printer.room(size))
        if name in self.traits.once:
            self.expressions.variables[name] = Variable(pointer.type, (), pointer.number)
            code = b""
        else:
            code = self._set(Name(name), pointer)
        return code if kind == "unset" else code + pointer.code + i32(0) + i32(size) + op("memory.fill")

    def _loop(self, name: str, bounds: Sequence[Expression], body: Iterable[Code]) -> bytes:
        values = [as_index(self.expressions.value(bound)) for bound in bounds]
        one = constant(INDEX, 1)
        first, end, step = ([constant(INDEX, 0), *values, one], [*values, one], values)[len(values) - 1]
        counter, last = self.frame.local(I64), self.frame.local(I64)
        code = first.code + put(counter)
        ending = end.code
        if not isinstance(end.number, int):
            code += end.code + put(last)
            ending = get(last)
        variable = self._variable(name, INDEX)
        enters = get(counter) + ending + op("i64.lt_s")
        turn = get(counter) + put(variable.places[0]) + self._nested(body, 2)
        following = get(counter) + step.code + op("i64.add") + tee(counter) + ending + op("i64.lt_s") + branch_if(0)
        code += enters + when(loop(turn + following))
        self.frame.give_back([counter, last])
        return code

    def _left(self, values: Sequence[Coded]) -> bytes:
        types = tuple(INDEX if value.type is LITERAL else value.type for value in values)
        self.gives = self.gives or types
        code = b"".join(converted(value, type_).code for value, type_ in zip(values, self.gives, strict=True))
        if self.inlined:
            return code + branch(self.frame.depth - self._outermost) if self.traits.early else code
        return code + op("return")

    def _given(self, targets: Sequence[Expression], name: str, given: Sequence[Coded]) -> bytes:
        """What a function gives, taken by targets."""
        code, gives = self.printer.called(name, given, self.frame)
        held = [self.frame.variable(type_) for type_ in gives]
        code += b"".join(put(place) for each in reversed(held) for place in reversed(each.places))
        for target, each in zip(targets, held, strict=True):
            code += self._set(target, value_of(each))
        self.frame.give_back([place for each in held for place in each.places])
        return code

    def _set(self, target: Expression, value: Coded) -> bytes:
        match target:
            case Name(name="_"):
                return value.code + op("drop") * len(kinds(value.type))
            case Name(name=name):
                variable = self._variable(name, settled(value.type))
                return put_in(converted(value, variable.type), variable)
            case Index(value=array, index=index):
                into, at = self.expressions.value(array), self.expressions.value(index)
                if at.type is LANES:
                    return stored(into, at, value)
                return written(into, as_index(at), value)
            case _:
                raise UntypedError(f"{self.function.name}: nothing is set by {target}")

    def _variable(self, name: str, type_: CType) -> Variable:
        """The variable of a name, whose type its first value decides. A vector or a pointer among values of other types
        has a variable of its own."""
        variables = self.expressions.variables
        known = variables.get(name)
        if known is not None and kinds(known.type) == kinds(type_) == (I64,):
            variables[name] = known = Variable(type_, known.places)
        elif known is not None and known.type != type_ and {known.type.shape, type_.shape} & {"vector", "pointer"}:
            known = None
        if known is None:
            variables[name] = known = self.frame.variable(type_)
            self.owned += known.places
        return known
