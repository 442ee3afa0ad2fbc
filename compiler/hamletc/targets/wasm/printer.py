"""Code as functions of WebAssembly.

WebAssembly has types, and code has none: each function is printed for the types of the arguments of its calls, from a
kernel on. Those that are no functions of their own in machine code become part of those that call them, since engines
seldom do that. No function calls itself, and a module has one thread: what a function makes on the stack has a place
in memory that is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hamletc.ir.ops import Fold, Lookup, Op, Value
from hamletc.kernel.body import Body, Line
from hamletc.kernel.code import Assign, Code, Compute, Do, Fix, For, Function, If, Remark, Return, Update, While
from hamletc.kernel.expressions import Call, Expression, Index, Infix, Name, Several
from hamletc.targets.c.types import INDEX, LANES, LITERAL, CType, settled
from hamletc.targets.wasm import encoding, lookups
from hamletc.targets.wasm.encoding import I64, Signature, signed
from hamletc.targets.wasm.expressions import Expressions
from hamletc.targets.wasm.instructions import block, branch, branch_if, call, get, i32, loop, op, put, tee, when
from hamletc.targets.wasm.lookups import together
from hamletc.targets.wasm.traits import Traits, traits_of
from hamletc.targets.wasm.values import (
    SIZES,
    WIDE,
    Coded,
    Frame,
    UntypedError,
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

MAKERS = ("local", "unset", "rows", "room")
"""What makes memory: zeros, anything, rows of lanes, and what is given back."""
ALIGNED = 64


@dataclass(frozen=True, slots=True)
class Printed:
    """A function for arguments of certain types: its index, and the types of what it gives."""

    index: int
    gives: tuple[CType, ...]


@dataclass(slots=True)
class WasmPrinter:
    """Prints functions that a kernel calls, each once for arguments of the same types.

    Attributes:
        functions: by name.
        bodies: the functions of the tick IR whose lines are computed, by their names.
        tables: where constant tables are in memory, by name.
        constants: numbers by their names in code.
        native: makes functions that are written as instructions: their signatures, variables and code, by name.
        end: the bytes of memory that are taken so far.
        contents: those of short tables, by their names in the program.
        data: what memory holds at first: bytes by their addresses.
        made: the functions of the module.
    """

    functions: Mapping[str, Function]
    bodies: Mapping[str, Body]
    tables: Mapping[str, Coded]
    constants: Mapping[str, int]
    native: Mapping[str, Callable[[Callable[[str], bytes]], tuple[Signature, tuple[bytes, ...], bytes]]]
    end: int
    contents: Mapping[str, bytes]
    data: list[tuple[int, bytes]]
    made: list[encoding.Function] = field(default_factory=list)
    types: list[Signature] = field(default_factory=list)
    _printed: dict[tuple[str, tuple[CType, ...]], Printed] = field(default_factory=dict)
    _by_hand: dict[str, int] = field(default_factory=dict)
    _traits: dict[str, Traits] = field(default_factory=dict)
    _beside: dict[tuple[str, ...], int] = field(default_factory=dict)

    def room(self, size: int) -> int:
        """The address of so many bytes that nothing else has."""
        at = self.end
        self.end += -(-size // ALIGNED) * ALIGNED
        return at

    def beside(self, tables: tuple[str, ...]) -> int:
        """The address of the entries of up to four tables side by side, 16 bytes for each index."""
        if tables not in self._beside:
            held = [self.contents[table] for table in tables]
            length = max(map(len, held))
            padded = [each.ljust(length, b"\0") for each in held] + [bytes(length)] * (WIDE - len(held))
            woven = b"".join(each[at : at + 4] for at in range(0, length, 4) for each in padded)
            self._beside[tables] = self.room(len(woven))
            self.data.append((self._beside[tables], woven))
        return self._beside[tables]

    def kind(self, parameters: tuple[bytes, ...], results: tuple[bytes, ...]) -> int:
        """The index of a signature."""
        signature = Signature(parameters, results)
        if signature not in self.types:
            self.types.append(signature)
        return self.types.index(signature)

    def by_hand(self, name: str) -> bytes:
        """See `hamletc.targets.wasm.arithmetic.Functions`."""
        if name not in self._by_hand:
            signature, variables, code = self.native[name](self.by_hand)
            self.made.append(encoding.Function(self.kind(signature.parameters, signature.results), variables, code))
            self._by_hand[name] = len(self.made) - 1
        return call(self._by_hand[name])

    def called(self, name: str, given: Sequence[Coded], frame: Frame) -> tuple[bytes, tuple[CType, ...]]:
        """See `hamletc.targets.wasm.arithmetic.Functions`."""
        function = self.functions[name]
        if len(given) != len(function.parameters):
            raise UntypedError(f"{name} takes {len(function.parameters)} arguments, not {len(given)}")
        if not function.kind:
            return self._inlined(function, given, frame)
        printed = self.function(name, tuple(settled(each.type) for each in given))
        arguments = b"".join(each.code for each in given)
        return arguments + call(printed.index), printed.gives

    def function(self, name: str, given: tuple[CType, ...]) -> Printed:
        """A function for arguments of these types; printed where it was not yet."""
        known = self._printed.get((name, given))
        if known is not None:
            return known
        function = self.functions[name]
        parameters = tuple(kind for type_ in given for kind in kinds(type_))
        frame = Frame([], len(parameters))
        body = _Body(self, function, Expressions(self, function, frame), self.traits(name), inlined=False)
        following = 0
        for parameter, type_ in zip(function.parameters, given, strict=True):
            count = len(kinds(type_))
            body.expressions.variables[parameter.name] = Variable(type_, tuple(range(following, following + count)))
            following += count
        code = body.code()
        results = tuple(kind for type_ in body.gives or () for kind in kinds(type_))
        self.made.append(encoding.Function(self.kind(parameters, results), tuple(frame.variables), code))
        self._printed[name, given] = printed = Printed(len(self.made) - 1, body.gives or ())
        return printed

    def _inlined(self, function: Function, given: Sequence[Coded], frame: Frame) -> tuple[bytes, tuple[CType, ...]]:
        """The lines of a function in place of a call."""
        traits = self.traits(function.name)
        body = _Body(self, function, Expressions(self, function, frame), traits, inlined=True)
        before = places = b""
        for parameter, value in zip(function.parameters, given, strict=True):
            type_, name = settled(value.type), parameter.name
            if value.number is not None and name not in traits.assigned:
                body.expressions.variables[name] = Variable(type_, (), value.number)
            elif value.variable is not None and name not in traits.assigned:
                body.expressions.variables[name] = value.variable
            else:
                body.expressions.variables[name] = own = frame.variable(type_)
                body.owned += own.places
                before += converted(value, type_).code
                places = put_in(Coded(b"", type_), own) + places
        code = body.code()
        gives = body.gives or ()
        if traits.early:
            results = tuple(kind for type_ in gives for kind in kinds(type_))
            code = block(code, results[0] if len(results) == 1 else signed(self.kind((), results)))
        frame.give_back(body.owned)
        return before + places + code, gives

    def traits(self, name: str) -> Traits:
        """What is asked about a function before it is printed."""
        if name not in self._traits:
            self._traits[name] = traits_of(self.functions[name])
        return self._traits[name]


@dataclass(slots=True)
class _Body:
    """The body of a function for arguments of certain types. `owned`: the local variables that it takes."""

    printer: WasmPrinter
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
        blocks = int(self.inlined and self.traits.early)
        self.frame.depth += blocks
        self._outermost = self.frame.depth
        code = self._block(self.function.body)
        self.frame.depth -= blocks
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
