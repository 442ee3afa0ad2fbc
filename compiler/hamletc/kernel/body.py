"""What every target prints: a function as ordered lines `name = expression`, with names a reader recognises.

`body(function)` decides the names, which nodes are folded into the expression of their only user, and which lines
belong into the loop over the elements of a repeated output. It knows no target's syntax: a target's formatter prints a
value by its name where `names` has one, and otherwise prints its operation (constants and folded nodes).

Every name ends in a digit (`energy_3`, `x_0`, `t41`), so that no author's name can meet a keyword, a module, or a name
that builders choose: those must not end in a digit.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from hamlet.frozen import dataclass
from hamletc.ir.function import NOTHING, Function, Node, Origin, Output, Program
from hamletc.ir.operands import operands
from hamletc.ir.ops import Add, Const, Element, Fetch, Fold, Input, Lookup, Op, Select, Sub, Type, Value
from hamletc.ir.verifier import element_of

FOLDED_OPERATIONS = 4
"""The most operations that one printed expression holds."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """An input of the function: its name in the contract (`meter.energy`), type, and local name (`energy_0`)."""

    input: str
    type: Type
    name: str


@dataclass(frozen=True, slots=True)
class Line:
    """`name = ` the operation of `value`; several names are the results of one loop. `origin` is set where another
    construct begins than in the line before."""

    name: str
    value: Value
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class Loop:
    """A repeated output: `lines` for every `element` in 0 .. count - 1, each giving one `value`."""

    output: str
    element: str
    count: int
    lines: tuple[Line, ...]
    value: Value


@dataclass(frozen=True, slots=True)
class Body:
    """A function ready to print.

    Attributes:
        parameters: the inputs that are used, in the order of the function.
        tables: the tables that are read, in order of first use.
        names: the local name of every value that has one; values without are constants or folded into their user.
        lines: what does not depend on an element.
        outputs: the single outputs, in order.
        loops: the repeated outputs, in order.
    """

    function: Function
    parameters: tuple[Parameter, ...]
    tables: tuple[str, ...]
    names: dict[Value, str]
    lines: tuple[Line, ...]
    outputs: tuple[Output, ...]
    loops: tuple[Loop, ...]

    def op(self, value: Value) -> Op:
        """The operation that computes a value."""
        return self.function.nodes[value].op

    def type(self, value: Value) -> Type:
        """The type of a value."""
        return self.function.nodes[value].type


def identifier(name: str) -> str:
    """A name of the contract as part of an identifier: `meter.energy` -> `energy`, `param.p` -> `param_p`. None begins
    as tables do (`table_name`), which functions are passed by name."""
    kind, _, rest = name.partition(".")
    plain = re.sub(r"[^A-Za-z0-9_]", "_", rest if rest and kind in ("meter", "position") else name)
    return f"_{plain}" if plain[0].isdigit() or plain.startswith("table_") else plain


def table_name(table: str) -> str:
    """A table in generated text, an argument of kernels or a constant: `table_time_sin` of `time.sin`. No local name
    begins like this. It has no other name, so characters that identifiers lack stay apart: `cells.草` is
    `table_cells_u8349_`."""
    kind, _, rest = table.partition(".")
    apart = re.sub(r"[^A-Za-z0-9_]", lambda odd: f"u{ord(odd[0]):x}_", rest)
    return f"table_{identifier(f'{kind}.{apart}' if rest else kind)}"


def unique(name: str, taken: set[str]) -> str:
    """The name, with a number after it where it is taken; then it is."""
    numbered = (name if number == 1 else f"{name}_{number}" for number in count(1))
    result = next(each for each in numbered if each not in taken)
    taken.add(result)
    return result


def held_name(name: str, taken: set[str]) -> str:
    """A unique name of an array that a kernel holds. It ends in no digit, as it can stand beside local names."""
    while (name := unique(name, taken))[-1].isdigit():
        name += "_"
    return name


@dataclass(frozen=True, slots=True)
class RowLoop:
    """A loop over the rows of tables, as a function: its parameters are the `variables`, which each row replaces by
    `function(*arguments)`, and the tables. A variable `index` counts rows."""

    function: str
    count: int
    variables: list[str]
    arguments: list[str]
    tables: tuple[str, ...]


def rows(program: Program, bodies: Mapping[str, Body], index: str) -> list[RowLoop]:
    """The loops of a program. `index`: the expression of the number of a row (I32)."""
    found = {op.function: op for f in program.functions for node in f.nodes if isinstance(op := node.op, Fold)}
    result = []
    for function, op in found.items():
        taken: set[str] = set()
        given = {name: unique(f"{identifier(name)}_0", taken) for name in op.names} | {"row": index}
        arguments = [given[parameter.input] for parameter in bodies[function].parameters]
        result.append(RowLoop(function, op.count, [given[name] for name in op.names], arguments, op.tables))
    return result


def draws(printed: Body) -> bool:
    """Whether a function draws random words: it takes the lane's number among all shards' lanes, and the seed."""
    return any(parameter.input == "lane" for parameter in printed.parameters)


def comment(text: str) -> str:
    """The text on one line, fit to stand in a comment."""
    return "".join(c if c.isprintable() else " " for c in text)


def remarks(origin: Origin | None, sources: Sequence[str]) -> list[str]:
    """The comment that says why the lines below it are there; none where they continue or belong to no construct.

    Args:
        sources: the names of the universe's source files.
    """
    if origin is None or origin.construct == NOTHING:
        return []
    where = f", {sources[origin.file]}:{origin.line}" if origin.line else ""
    return [f"# {comment(f'{origin}{where}')}"]


def body(function: Function) -> Body:
    """Name and order what the outputs of a function need; other nodes are left out."""
    nodes = function.nodes
    live = reachable(nodes, (output.value for output in function.outputs))
    inside = element_of(function)
    states = versions(function, live)
    uses: dict[Value, list[Value]] = defaultdict(list)
    for value in live:
        for operand in operands(nodes[value].op):
            uses[operand].append(value)
    results = {output.value for output in function.outputs}

    weight: dict[Value, int] = {}
    folded: set[Value] = set()
    for value in live:
        node = nodes[value]
        weight[value] = 1 + sum(weight[operand] for operand in operands(node.op) if operand in folded)
        users = uses[value]
        if (
            len(users) == 1
            and value not in states
            and value not in results
            and not isinstance(node.op, Const | Input | Element | Lookup | Fetch | Fold)
            and weight[value] < FOLDED_OPERATIONS
            and node.origin == nodes[users[0]].origin
            and inside[value] == inside[users[0]]
            and weight[value] + sum(weight[o] for o in operands(nodes[users[0]].op) if o in folded) < FOLDED_OPERATIONS
        ):
            folded.add(value)

    names = _names(function, live, folded, states)
    statements = [value for value in live if value in names and not isinstance(nodes[value].op, Input | Element)]
    elements = {op.output: names[value] for value in live if isinstance(op := nodes[value].op, Element)}
    unused = unique("element_0", set(names.values()))

    def lines(element: str | None, root: Value | None = None) -> tuple[Line, ...]:
        wanted = live if root is None else reachable(nodes, (root,))
        return _lines(nodes, names, [v for v in statements if inside[v] == element and v in wanted])

    return Body(
        function,
        tuple(Parameter(op.name, op.type, names[v]) for v in live if isinstance(op := nodes[v].op, Input)),
        tuple(dict.fromkeys(table for v in live for table in _tables(nodes[v].op))),
        names,
        lines(None),
        tuple(output for output in function.outputs if output.count is None),
        tuple(
            Loop(o.name, elements.get(o.name, unused), o.count, lines(o.name, o.value), o.value)
            for o in function.outputs
            if o.count is not None
        ),
    )


def reachable(nodes: tuple[Node, ...], roots: Iterable[Value]) -> dict[Value, None]:
    """The values that the roots need, in order."""
    found = set(roots)
    for value in range(len(nodes) - 1, -1, -1):
        if value in found:
            found.update(operands(nodes[value].op))
    return dict.fromkeys(sorted(found))


def _tables(op: Op) -> tuple[str, ...]:
    """The tables that an operation reads."""
    match op:
        case Lookup(table=table):
            return (table,)
        case Fetch(array=array):
            return (array,)
        case Fold(tables=tables):
            return tables
        case _:
            return ()


def _next_versions(op: Op) -> tuple[Value, ...]:
    """The operands of which an operation can be the next version: `m + e`, `m - e`, `m` under a condition."""
    match op:
        case Add(left=left) | Sub(left=left):
            return (left,)
        case Select(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Fold():
            return (op.before,)
        case _:
            return ()


def versions(function: Function, live: Iterable[Value]) -> dict[Value, str]:
    """The values that are versions of a state: those between an input and the output of the same name. `live`: the
    values that outputs need, in order."""
    result: dict[Value, str] = {}
    inputs = {op.name: value for value in live if isinstance(op := function.nodes[value].op, Input)}
    for output in function.outputs:
        if output.name not in inputs:
            continue
        start = inputs[output.name]
        before = _possible_versions(function.nodes, start, output.value)
        forward = {start}
        for value in sorted(before):
            if not forward.isdisjoint(before[value]):
                forward.add(value)
        between = {output.value} & forward
        for value in sorted(forward, reverse=True):
            if value in between:
                between.update(forward.intersection(before.get(value, ())))
        for value in between:
            result.setdefault(value, output.name)
    return result


def _possible_versions(nodes: tuple[Node, ...], start: Value, end: Value) -> dict[Value, tuple[Value, ...]]:
    """What `end` can be a version of, back to `start`, which is left out; and of what those can be the next version."""
    found: dict[Value, tuple[Value, ...]] = {}
    waiting = [end]
    while waiting:
        value = waiting.pop()
        if value > start and value not in found:
            found[value] = _next_versions(nodes[value].op)
            waiting += found[value]
    return found


def _names(
    function: Function, live: dict[Value, None], folded: set[Value], states: dict[Value, str]
) -> dict[Value, str]:
    """Inputs and versions of a state are numbered `energy_0`, `energy_1`; outputs `reward_0`; the rest `t<value>`."""
    outputs = {output.value: output.name for output in reversed(function.outputs)}
    taken: set[str] = set()
    following: dict[str, int] = defaultdict(int)

    def numbered(name: str) -> str:
        base = identifier(name)
        while (result := f"{base}_{following[base]}") in taken:
            following[base] += 1
        taken.add(result)
        return result

    names: dict[Value, str] = {}
    for value in live:
        match function.nodes[value].op:
            case Const():
                continue
            case Input(name=name):
                names[value] = numbered(name)
            case Element():
                names[value] = numbered("element")
            case _:
                state = states.get(value, outputs.get(value))
                if state is not None:
                    names[value] = numbered(state)
                elif value not in folded:
                    names[value] = f"t{value}"
    return names


def _lines(nodes: tuple[Node, ...], names: dict[Value, str], values: list[Value]) -> tuple[Line, ...]:
    result: list[Line] = []
    origin: Origin | None = None
    folds: dict[tuple[str, tuple[Value, ...]], dict[str, str]] = {}
    for value in values:
        if isinstance(op := nodes[value].op, Fold):
            folds.setdefault((op.function, op.initial), {})[op.output] = names[value]
    for value in values:
        node = nodes[value]
        name = names[value]
        if isinstance(node.op, Fold):
            # One line for all results of a loop, in place of the first; those that nobody uses are `_`.
            named = folds.pop((node.op.function, node.op.initial), None)
            if named is None:
                continue
            name = ", ".join(named.get(output, "_") for output in node.op.names)
        result.append(Line(name, value, node.origin if node.origin != origin else None))
        origin = node.origin
    return tuple(result)
