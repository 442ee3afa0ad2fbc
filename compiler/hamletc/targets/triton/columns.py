"""Tables in a warp: what depends on one small integer, as the amounts of affordances do, is looked up by a shuffle.

A *column* holds 32 rows of a table, one in each lane of a warp, in one register. `tl.gather` makes one instruction of a
lookup that is otherwise a chain of selects; a table of 33 to 64 rows has two columns. Kernels load all columns once,
from one array for each type.

Small tables that observations read are columns, too: which row a lane wants is known only when its state is there, and
to load that row then would be to wait for memory a second time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from hamlet.frozen import dataclass
from hamletc.compilation import Compilation
from hamletc.ir.function import Function, Program, Table
from hamletc.ir.operands import operands
from hamletc.ir.ops import Const, Fold, Input, Lookup, Type
from hamletc.kernel.body import reachable, remarks, table_name
from hamletc.kernel.code import Code, Fix, assign, give, when
from hamletc.kernel.code import Function as Generated
from hamletc.kernel.code import function as generated
from hamletc.kernel.expressions import Expression, Name, call, names, shape
from hamletc.passes import tabulation
from hamletc.targets.printing import listing, table_values
from hamletc.targets.scene import split

LANES = 32
"""Lanes of a warp, and rows of a column."""
WITHIN = ("move", "tick", "mask")
"""The functions in which columns are looked up: each lane has an integer of its own there, and no loop is over rows."""
OBSERVE = "observe"
"""The function whose small tables are columns."""
SHARED = ("seed_low", "seed_high", "tick", "row", "stride", "scale", "top")
"""Kinds of inputs that all lanes share; with them, values that depend on no lane are scalars in Triton, not blocks."""
MOST_SHOWN = 4
"""The most tables that are columns for observations: each takes a register, and saves no operation."""
MOST = 64
"""The most columns. Each takes a register as long as a kernel runs; a lane has 255, and its state is there, too."""


@dataclass(frozen=True, slots=True)
class Column:
    """32 rows of a table.

    Attributes:
        name: in kernels.
        position: among the columns of its type.
    """

    name: str
    type: Type
    position: int

    @property
    def array(self) -> str:
        """The table of kernels that all columns of its type are in, one behind the other."""
        return f"columns.{self.type.value}"

    @property
    def address(self) -> Expression:
        """The address of its first row."""
        begin = Name(pointer(self.type))
        return begin + self.rows.start if self.position else begin

    @property
    def rows(self) -> slice:
        """Where it is in that."""
        return slice(LANES * self.position, LANES * (self.position + 1))


class Columns:
    """The columns of a program.

    Attributes:
        tables: those that are held in columns.
        of: by the names of tables: one column, or two.
        all: in the order of tables.
        types: theirs, each once.
    """

    def __init__(self, program: Program) -> None:
        self.tables = [table for table in program.tables if table.in_warp]
        self.of: dict[str, list[Column]] = {}
        found = dict.fromkeys((table.type for table in self.tables), 0)
        for table in self.tables:
            first = found[table.type]
            found[table.type] += _columns(table)
            self.of[table.name] = [
                Column(f"{table_name(table.name)}{'_more' * part}", table.type, first + part)
                for part in range(_columns(table))
            ]
        self.all = [column for columns in self.of.values() for column in columns]
        self.types = list(found)

    def arrays(self, sources: Sequence[str]) -> list[str]:
        """The items of `TABLES` that hold them, each row with what it is for."""
        return [self._array(type_, sources) for type_ in self.types]

    def _array(self, type_: Type, sources: Sequence[str]) -> str:
        values: list[str] = []
        said: list[list[str]] = []
        for table in self.tables:
            if table.type is type_:
                # Nobody wants the rows behind those of the table.
                missing = _columns(table) * LANES - len(table.values)
                values += [*table_values(table), *table_values(table)[-1:] * missing]
                told = [remarks(origin, sources) for origin in table.origins]
                said += [*told, *([] for _ in range(len(values) - len(said) - len(told)))]
                first = f"# {table_name(table.name)}"
                said[len(values) - missing - len(table.values)].insert(0, first)
        return listing(f'("columns.{type_.value}", "{type_.value}", (', values, ")),", 4, said)


def pointer(type_: Type) -> str:
    """The parameter of kernels for the array of the columns of a type."""
    return f"columns_{type_.value}_ptr"


def column_functions(columns: Columns) -> list[Generated]:
    """The functions that load columns and look up in them; none where there are no columns."""
    return [_load(columns), _take()] if columns.all else []


def _load(columns: Columns) -> Generated:
    def body() -> Iterator[Code]:
        yield assign("row", call("tl.arange", 0, LANES))
        for column in columns.all:
            yield assign(column.name, call("tl.load", column.address + "row"))
        yield give(*(column.name for column in columns.all))

    summary = "Tables, of which each lane of a warp holds one row."
    return generated("_columns", map(pointer, columns.types), summary, body())


def _take() -> Generated:
    lanes, row = names("LANES row")
    warps = (lanes // LANES, LANES)

    def by_warp() -> Iterator[Code]:
        yield assign("warps", call("tl.broadcast_to", call("tl.expand_dims", "column", 0), shape(*warps)))
        yield assign("wanted", call("tl.reshape", row, shape(*warps)))
        yield give(call("tl.reshape", call("tl.gather", "warps", "wanted", 1), shape(lanes)))

    body = (
        Fix("LANES", Name("row.shape")[0]),
        when(lanes <= LANES, (give(call("tl.gather", "column", row, 0)),), by_warp()),
    )
    summary = "The rows of a column that lanes want: a shuffle, as each warp holds the column."
    return generated("_take", ["column", "row"], summary, body)


def is_shared(name: str) -> bool:
    """Whether all lanes share the input of this name."""
    return name.partition(".")[0] in SHARED


def shared(function: Function) -> list[bool]:
    """For each value, whether all lanes share it."""
    result: list[bool] = []
    for node in function.nodes:
        match node.op:
            case Input(name=name):
                result.append(is_shared(name))
            case op:
                result.append(all(result[operand] for operand in operands(op)))
    return result


def _shown(program: Program) -> list[str]:
    """The tables of one column that observations read, and in which only functions of a lane look anything up."""
    scene, observe = split(program.function(OBSERVE))
    found: set[str] = set()
    others: set[str] = set()
    for function in (scene, observe, *(each for each in program.functions if each.name != OBSERVE)):
        scalar = shared(function)
        for node in function.nodes:
            match node.op:
                case Lookup(table=table, index=index) if function is observe and not scalar[index]:
                    found.add(table)
                case Lookup(table=table, index=index) if function.name not in WITHIN or scalar[index]:
                    others.add(table)
                case Fold(tables=tables):
                    others.update(tables)
                case _:
                    pass
    fitting = found - others
    return [table.name for table in program.tables if table.name in fitting and len(table.values) <= LANES]


def _in_warps(program: Program, names: Collection[str]) -> Program:
    """The program with these tables in warps."""
    tables = (replace(table, in_warp=True) if table.name in names else table for table in program.tables)
    return replace(program, tables=tuple(tables))


def _columns(table: Table) -> int:
    return -(-len(table.values) // LANES)


def looked_up(compilation: Compilation) -> Compilation:
    """The program with columns where they make a tick shorter or spare an observation a wait for memory, and a note on
    what was chosen and why."""
    if tabulation.NAME in compilation.disabled:
        return compilation
    tabulated = compilation.after(
        tabulation.NAME, lambda known: tabulation.tabulate(known.program, known.facts, WITHIN)
    )
    made = [table for table in tabulated.program.tables if tabulation.is_made(table)]
    columns = sum(_columns(table) for table in made)
    before, left = _operations(compilation.program), _operations(tabulated.program)
    # A launch of one tick loads each column for one tick.
    least = left + columns
    chosen, names, room = compilation, list[str](), MOST
    match columns:
        case 0:
            why = "none, as nothing is worth a lookup"
        case _ if columns > MOST:
            why = f"none, as {columns} would take more than {MOST} registers"
        case _ if least >= before:
            why = f"none, as {least} operations, loads of {columns} among them, are not fewer than {before}"
        case _:
            chosen, names, room = tabulated, [table.name for table in made], MOST - columns
            why = f"{left} operations in a tick instead of {before}, for {columns} registers"
    shown = _shown(chosen.program)
    if 0 < len(shown) <= min(MOST_SHOWN, room):
        names += shown
        why += f"; what observations look up: {', '.join(shown)}"
    chosen = chosen.with_program(_in_warps(chosen.program, names))
    return replace(chosen, notes=(*compilation.notes, f"columns: {why}"))


def operations(function: Function) -> int:
    """Instructions of a function, about: its operations without constants and inputs."""
    needed = reachable(function.nodes, (output.value for output in function.outputs))
    return sum(not isinstance(function.nodes[value].op, Const | Input) for value in needed)


def _operations(program: Program) -> int:
    """Of the functions in which columns are looked up."""
    return sum(operations(function) for function in program.functions if function.name in WITHIN)
