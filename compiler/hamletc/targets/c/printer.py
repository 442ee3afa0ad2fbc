"""Code as C99, with vectors of gcc and clang, over the helpers of `hamlet.h`.

C has types, and code has none: each function is printed for the types of the arguments of its calls, from a kernel on,
whose arrays and numbers are known. A function for vectors and the same for single lanes are two functions of C.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from hamletc.ir.ops import (
    Fold,
)
from hamletc.kernel.body import Body, Line, remarks, table_name
from hamletc.kernel.code import Assign, Code, Compute, Do, Fix, For, Function, If, Remark, Return, Update, While
from hamletc.kernel.expressions import Call, Constant, Expression, Index, Infix, Name, Several
from hamletc.targets.c.expressions import Expressions, Printed
from hamletc.targets.c.types import (
    INDEX,
    LANES,
    LITERAL,
    MAKERS,
    CType,
    UntypedError,
    memory,
    settled,
    vector,
)
from hamletc.targets.c.values import Spelt


@dataclass(slots=True)
class CPrinter:
    """Prints functions that a kernel calls, each once for arguments of the same types.

    Attributes:
        functions: by name.
        bodies: the functions of the tick IR whose lines are computed, by their names.
        sources: the names of the universe's source files.
        tables: the elements of constant tables, and how many there are where registers hold them, by name.
    """

    functions: Mapping[str, Function]
    bodies: Mapping[str, Body]
    sources: Sequence[str]
    tables: Mapping[str, tuple[str, int | None]]
    texts: list[str] = field(default_factory=list)
    _printed: dict[tuple[str, tuple[CType, ...]], Printed] = field(default_factory=dict)
    _variants: set[str] = field(default_factory=set)

    def called(self, name: str, given: tuple[CType, ...]) -> Printed:
        """The function of C for arguments of these types; printed where it was not yet."""
        known = self._printed.get((name, given))
        if known is not None:
            return known
        variants = sum(other == name for other, _ in self._printed)
        function = self.functions[name]
        body = _Body(self, function, given, Expressions(self, function, {}))
        # A place among its variants, before those are printed that it calls itself.
        numbered = (f"{name}_{number}" for number in count(variants + 1))
        free = (each for each in numbered if each not in self.functions and each not in self._variants)
        variant = next(free) if variants else name
        self._variants.add(variant)
        own = f"do{variant}"
        lines = list(body.lines())
        printed = Printed(own, body.gives or ())
        self._printed[name, given] = printed
        self.texts.append("\n".join([*body.head(own), *lines, "}"]))
        return printed


@dataclass(slots=True)
class _Body:
    """The body of a function for arguments of certain types."""

    printer: CPrinter
    function: Function
    passed: tuple[CType, ...]
    expressions: Expressions
    gives: tuple[CType, ...] | None = None
    _declared: list[str] = field(default_factory=list)
    _renamed: int = 0

    def head(self, name: str) -> Iterator[str]:
        """The comment, the head, and the declarations of variables."""
        names = [each.name for each in self.function.parameters]
        results = self.gives or ()
        parameters = [type_.declared(each) for each, type_ in zip(names, self.passed, strict=True)]
        result = "void" if len(results) != 1 else results[0].text
        if len(results) > 1:
            parameters += [f"{type_.text} *result_{place}th" for place, type_ in enumerate(results)]
        yield from map(_comment, self.function.summary.split("\n\n"))
        kept = "HAMLET_HELPER" if self.function.kind else "HAMLET_INLINE"
        yield f"{kept} {result} {name}({', '.join(parameters) or 'void'}) {{"
        yield from (f"  {line}" for line in self._declared)

    def lines(self) -> Iterator[str]:
        """The statements."""
        for parameter, type_ in zip(self.function.parameters, self.passed, strict=True):
            self.expressions.types[parameter.name] = type_
        lines = [line for each in self.function.body for line in self._statement(each, "  ")]
        yield from lines

    # --- statements ---------------------------------------------------------------------------------------------------

    def _block(self, body: Iterable[Code], indent: str) -> Iterator[str]:
        for each in body:
            yield from self._statement(each, indent)

    def _statement(self, code: Code, indent: str) -> Iterator[str]:
        deeper = indent + "  "
        match code:
            case Assign(targets=(Name(name=name),), value=Call(function=Name(name=maker)) as made) if (
                maker.partition("_")[0] in MAKERS and maker != "room_like"
            ):
                yield from self._made(name, maker, made, indent)
            case Assign(targets=(target,), value=value):
                yield from self._set(target, self.expressions.value(value), indent)
            case Assign(targets=targets, value=Several(items=items)):
                for target, value in zip(targets, items, strict=True):
                    yield from self._set(target, self.expressions.value(value), indent)
            case Assign(targets=targets, value=Call() as call):
                yield from self._taken(targets, call, indent)
            case Fix(name=name, value=value):
                yield from self._set(Name(name), self.expressions.value(value), indent)
            case Update(target=target, sign=sign, value=value):
                yield from self._set(target, self.expressions.value(Infix(sign, target, value)), indent)
            case Do(call=call):
                yield f"{indent}{self.expressions.value(call).text};"
            case For(body=(Assign(), Assign(), Do(call=Call(function=Name(name="put")) as put))):
                yield from self._putting(code, put, indent)
            case For(variable=Name(name=name), range=Call(arguments=bounds), body=body):
                yield from self._loop(name, bounds, body, indent)
            case While(condition=condition, body=body):
                yield f"{indent}while ({self.expressions.condition(condition)}) {{"
                yield from self._block(body, deeper)
                yield f"{indent}}}"
            case If(condition=condition, body=body, otherwise=otherwise):
                yield f"{indent}if ({self.expressions.condition(condition)}) {{"
                yield from self._block(body, deeper)
                if otherwise:
                    yield f"{indent}}} else {{"
                    yield from self._block(otherwise, deeper)
                yield f"{indent}}}"
            case Return(values=values):
                yield from self._left([self.expressions.value(value) for value in values], indent)
            case Remark(text=text):
                yield f"{indent}{_comment(text)}"
            case Compute(function=function, lines=lines):
                yield from self._computing(self.printer.bodies[function], lines, indent)
            case Assign() | For():
                raise UntypedError(f"{self.function.name}: {code}")

    def _computing(self, printed: Body, lines: Iterable[Line], indent: str) -> Iterator[str]:
        """Lines of a function of the tick IR."""
        for line in lines:
            yield from (
                f"{indent}{_comment(each.removeprefix('# '))}" for each in remarks(line.origin, self.printer.sources)
            )
            op = printed.op(line.value)
            if isinstance(op, Fold):
                given = self._initial(printed, op)
                given += [self.expressions.named(name) for name in map(table_name, op.tables) if self._is_passed(name)]
                yield from self._given(list(map(Name, line.name.split(", "))), f"_{op.function}_rows", given, indent)
            else:
                yield from self._set(Name(line.name), self.expressions.operation(printed, line.value), indent)

    def _initial(self, printed: Body, op: Fold) -> list[Spelt]:
        """What a loop over rows begins with. It needs its types from the beginning: numbers become vectors where others
        are."""
        initial = [self.expressions.node(printed, each) for each in op.initial]
        if not any(each.type.shape == "vector" for each in initial):
            return initial
        return [self.expressions.taken_as(each, CType("vector", each.type.element)) for each in initial]

    def _is_passed(self, table: str) -> bool:
        """Whether functions are given a table: they know those that registers hold."""
        return self.printer.tables[table][1] is None

    def _made(self, name: str, maker: str, made: Call, indent: str) -> Iterator[str]:
        """Memory of the thread, which is set to zeros unless it is written first."""
        kind, _, element = maker.partition("_")
        (count,) = (self.expressions.value(each).text for each in made.arguments)
        self.expressions.types[name] = CType("pointer", element)
        if kind == "room":
            self._declared.append(f"{memory(element)} *{name};")
            yield f"{indent}{name} = {maker}({count});"
            return
        count = f"{count} * ROW" if kind == "rows" else count
        self._declared.append(f"{memory(element)} {name}[{count}] HAMLET_ALIGNED;")
        if kind != "unset":
            yield f"{indent}memset({name}, 0, sizeof {name});"

    def _loop(self, name: str, bounds: Sequence[Expression], body: Iterable[Code], indent: str) -> Iterator[str]:
        values = [self.expressions.value(bound).text for bound in bounds]
        first, end, step = (["0", *values, "1"], [*values, "1"], values)[len(values) - 1]
        counter, last = f"{name}_next", f"{name}_end"
        self._variable(name, INDEX)
        name = self.expressions.variables.get(name, name)
        yield f"{indent}for (ix {counter} = {first}, {last} = {end}; {counter} < {last}; {counter} += {step}) {{"
        yield f"{indent}  {name} = {counter};"
        yield from self._block(body, indent + "  ")
        yield f"{indent}}}"

    def _putting(self, code: For, put: Call, indent: str) -> Iterator[str]:
        """A loop over vectors that writes a row, three times: whole rows past the caches, whole rows, and some lanes.
        GCC takes no condition out of a loop that is not small, and vectors of a register are too short for two."""
        assert isinstance(code.variable, Name), "a loop has one variable"
        assert isinstance(code.range, Call), "a loop is over a range"
        whole, past = (self.expressions.condition(each) for each in put.arguments[4:6])
        ways = {f"if ({whole} && {past}) {{": (True, True), f"}} else if ({whole}) {{": (True, False),
                "} else {": (False, False)}  # fmt: skip
        for head, truths in ways.items():
            yield indent + head
            arguments = (*put.arguments[:4], *map(Constant, truths), *put.arguments[6:])
            body = (*code.body[:-1], Do(Call(put.function, arguments)))
            yield from self._loop(code.variable.name, code.range.arguments, body, indent + "  ")
        yield f"{indent}}}"

    def _left(self, values: Sequence[Spelt], indent: str) -> Iterator[str]:
        types = tuple(INDEX if value.type is LITERAL else value.type for value in values)
        self.gives = self.gives or types
        if len(values) < 2:
            yield f"{indent}return{''.join(f' {value.text}' for value in values)};"
            return
        for place, value in enumerate(values):
            yield f"{indent}*result_{place}th = {value.text};"

    def _taken(self, targets: Sequence[Expression], call: Call, indent: str) -> Iterator[str]:
        """What a function gives, taken by targets."""
        assert isinstance(call.function, Name), "functions have names"
        yield from self._given(
            targets, call.function.name, [self.expressions.value(each) for each in call.arguments], indent
        )

    def _given(self, targets: Sequence[Expression], name: str, given: Sequence[Spelt], indent: str) -> Iterator[str]:
        printed = self.printer.called(name, tuple(settled(each.type) for each in given))
        if len(targets) == 1:
            result = f"{printed.name}({', '.join(each.text for each in given)})"
            yield from self._set(targets[0], Spelt(result, printed.gives[0]), indent)
            return
        names = [f"given_{place}th" for place in range(len(targets))]
        yield f"{indent}{{"
        yield from (f"{indent}  {type_.declared(name)};" for name, type_ in zip(names, printed.gives, strict=True))
        passed = ", ".join([*(each.text for each in given), *(f"&{name}" for name in names)])
        yield f"{indent}  {printed.name}({passed});"
        for target, name, type_ in zip(targets, names, printed.gives, strict=True):
            yield from self._set(target, Spelt(name, type_), indent + "  ")
        yield f"{indent}}}"

    def _set(self, target: Expression, value: Spelt, indent: str) -> Iterator[str]:
        match target:
            case Name(name="_"):
                pass
            case Name(name=name):
                type_ = self._variable(name, settled(value.type))
                variable = self.expressions.variables.get(name, name)
                yield f"{indent}{variable} = {self.expressions.taken_as(value, type_).text};"
            case Index(value=array, index=index):
                into, at = self.expressions.value(array), self.expressions.value(index)
                data = into.text if into.type.shape != "array" else f"{into.text}.data"
                if at.type is LANES:
                    written = self.expressions.taken_as(value, vector(into.type.element)).text
                    yield f"{indent}store_v{into.type.element}({data}, {at.text}, {written});"
                else:
                    yield f"{indent}{data}[{at.text}] = {value.text};"
            case _:
                raise UntypedError(f"{self.function.name}: nothing is set by {target}")

    def _variable(self, name: str, type_: CType) -> CType:
        """The type of a variable, which its value decides. A value of another type has a variable of its own."""
        types, variables = self.expressions.types, self.expressions.variables
        known = types.get(name)
        if known is not None and "lanes" in (known.shape, type_.shape) and known.text == type_.text:
            types[name] = known = type_
        elif known is not None and known != type_ and {known.shape, type_.shape} & {"vector", "pointer"}:
            self._renamed += 1
            variables[name] = f"{name}_{self._renamed}_of_several"
            known = None
        if known is None:
            types[name] = type_
            self._declared.append(f"{type_.declared(variables.get(name, name))};")
        return types[name]


def _comment(text: str) -> str:
    """A comment. Names of authors do not end it, and begin no other."""
    return f"/* {text.replace('*/', '* /').replace('/*', '/ *')} */"
