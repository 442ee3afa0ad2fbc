"""Code as functions of WebAssembly.

WebAssembly has types, and code has none: each function is printed for the types of the arguments of its calls, from a
kernel on. Those that are no functions of their own in machine code become part of those that call them, since engines
seldom do that. No function calls itself, and a module has one thread: what a function makes on the stack has a place
in memory that is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from hamlet.frozen import dataclass
from hamletc.kernel.body import Body
from hamletc.kernel.code import Function
from hamletc.targets.c.types import CType, UntypedError, settled
from hamletc.targets.wasm import encoding
from hamletc.targets.wasm.encoding import Signature, signed
from hamletc.targets.wasm.expressions import Expressions
from hamletc.targets.wasm.instructions import block, call
from hamletc.targets.wasm.statements import Statements
from hamletc.targets.wasm.traits import Traits, traits_of
from hamletc.targets.wasm.values import (
    WIDE,
    Coded,
    Frame,
    Variable,
    converted,
    kinds,
    put_in,
)

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
        body = Statements(self, function, Expressions(self, function, frame), self.traits(name), inlined=False)
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
        body = Statements(self, function, Expressions(self, function, frame), traits, inlined=True)
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
