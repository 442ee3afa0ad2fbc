"""Reads the kernel of a PTX text. It knows the statements that Triton emits and refuses others. Comments, debug
information and what only assemblers need are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hamlet_lab.ptx import syntax
from hamlet_lab.ptx.syntax import PtxError

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
LINE_DIRECTIVES = re.compile(r"\s*\.(?:loc|file)\b")
"""Directives that end with their line, not with a semicolon, and say where the code comes from."""
TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    | (?P<number>-?0[fFdD][0-9a-fA-F]+ | -?0[xX][0-9a-fA-F]+U? | -?[0-9]+(?:\.[0-9]+)?U?)
    | (?P<word>[.%$A-Za-z_][\w$%.]*(?:::[\w.]+)*)
    | (?P<string>"[^"\n]*")
    | (?P<mark>[][{}()<>,;:@!+|=-])""",
    re.VERBOSE,
)
NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)U?")
WORD = re.compile(r"[%$A-Za-z_][\w$%.]*(?:::[\w.]+)*")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a mark, and its line."""

    text: str
    line: int


def tokens(text: str) -> list[Token]:
    """All tokens.

    Raises:
        PtxError: a character begins no token.
    """
    text = COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    result = []
    for number, line in enumerate(text.split("\n"), 1):
        if LINE_DIRECTIVES.match(line):
            continue
        position = 0
        while position < len(line):
            match = TOKEN.match(line, position)
            if match is None:
                raise PtxError(number, f"{line[position:].strip()!r} is no PTX")
            position = match.end()
            if match.lastgroup != "space":
                result.append(Token(match[0], number))
    return result


def parse(text: str, name: str | None = None) -> syntax.Kernel:
    """The kernel of a text that has this name, or the only one.

    Raises:
        PtxError: a statement is not known, or there is no such kernel, or not exactly one.
    """
    kernels = [each for each in _Parser(tokens(text)).kernels() if name in (None, each.name)]
    if len(kernels) != 1:
        raise PtxError(1, f"there are {len(kernels)} kernels{'' if name is None else f' {name}'}")
    return kernels[0]


class _Parser:
    def __init__(self, stream: list[Token]) -> None:
        self._tokens = stream
        self._next = 0

    def kernels(self) -> Iterator[syntax.Kernel]:
        target, shared, tables = "", list[str](), list[syntax.Variable]()
        while self._next < len(self._tokens):
            token = self._take()
            match token.text:
                case ".version" | ".address_size":
                    self._take()
                case ".target":
                    target = self._take().text
                case ".extern":
                    shared.append(self._shared())
                case ".global":
                    tables.append(self._table())
                case ".visible":
                    yield self._kernel(target, tuple(shared), tuple(tables))
                case ".section":
                    self._next = len(self._tokens)
                case _:
                    raise PtxError(token.line, f"{token.text!r} is not known here")

    def _kernel(self, target: str, shared: tuple[str, ...], tables: tuple[syntax.Variable, ...]) -> syntax.Kernel:
        self._expect(".entry")
        name = self._word()
        parameters = self._parameters()
        threads = self._limits()
        registers, instructions, own = self._body()
        return syntax.Kernel(name, target, parameters, registers, shared, threads, instructions, tables, own)

    def _shared(self) -> str:
        """`.extern .shared .align 16 .b8 global_smem[];`, after the first word."""
        self._expect(".shared", ".align")
        self._integer()
        self._expect(".b8")
        name = self._word()
        self._expect("[", "]", ";")
        return name

    def _table(self) -> syntax.Variable:
        """`.global .align 4 .b8 numbers[64] = {0, 255, 1};`, after the first word."""
        self._expect(".align")
        self._integer()
        self._expect(".b8")
        name = self._word()
        self._expect("[")
        size, numbers = self._integer(), list[int]()
        self._expect("]", "=", "{")
        while not self._accept("}"):
            numbers.append(self._integer())
            self._accept(",")
        self._expect(";")
        return syntax.Variable(name, size, bytes(numbers))

    def _parameters(self) -> tuple[syntax.Parameter, ...]:
        result = []
        self._expect("(")
        while not self._accept(")"):
            self._expect(".param")
            kind = self._take()
            if kind.text not in (".u64", ".u32", ".f32"):
                raise PtxError(kind.line, f"a parameter of type {kind.text} is not known")
            if self._accept(".ptr"):
                self._expect(".global", ".align")
                self._integer()
            result.append(syntax.Parameter(self._word(), int(kind.text[2:])))
            self._accept(",")
        return tuple(result)

    def _limits(self) -> int | None:
        threads = None
        while not self._accept("{"):
            token = self._take()
            match token.text:
                case ".reqntid":
                    threads = self._integer()
                case ".maxnreg":
                    self._integer()
                case _:
                    raise PtxError(token.line, f"{token.text!r} is not known here")
        return threads

    def _body(
        self,
    ) -> tuple[tuple[syntax.Registers, ...], tuple[syntax.Instruction, ...], tuple[syntax.Variable, ...]]:
        registers, instructions, own = list[syntax.Registers](), list[syntax.Instruction](), list[syntax.Variable]()
        labels: list[str] = []
        while not self._accept("}"):
            token = self._peek()
            if token.text == ".reg":
                registers += self._registers()
            elif token.text == ".local":
                own.append(self._local())
            elif token.text == ".pragma":
                self._pragma()
            elif token.text.startswith("$"):
                labels.append(self._word())
                self._expect(":")
            else:
                instructions.append(self._instruction(tuple(labels)))
                labels = []
        return tuple(registers), tuple(instructions), tuple(own)

    def _registers(self) -> list[syntax.Registers]:
        """`.reg .b32 %r<40>;`, or a register alone: `.reg .b64 %SP;`."""
        self._expect(".reg")
        kind = self._take()
        prefix = self._word()
        if self._accept(";"):
            return [syntax.Registers(prefix, kind.text.removeprefix("."), None)]
        self._expect("<")
        count = self._integer()
        self._expect(">", ";")
        return [syntax.Registers(prefix, kind.text.removeprefix("."), count)]

    def _local(self) -> syntax.Variable:
        """`.local .align 1 .b8 __local_depot0[1];`"""
        self._expect(".local", ".align")
        self._integer()
        self._expect(".b8")
        name = self._word()
        self._expect("[")
        size = self._integer()
        self._expect("]", ";")
        return syntax.Variable(name, size)

    def _pragma(self) -> None:
        """`.pragma "used_bytes_mask 0xfff";`: which bytes of the next load anybody looks at; `"nounroll"`: that a loop
        stays one."""
        self._expect(".pragma")
        token = self._take()
        if not token.text.startswith(('"used_bytes_mask ', '"nounroll"')):
            raise PtxError(token.line, f"{token.text} is not known here")
        self._expect(";")

    def _instruction(self, labels: tuple[str, ...]) -> syntax.Instruction:
        guard = None
        if self._accept("@"):
            negated = self._accept("!")
            guard = syntax.Guard(self._word(), negated)
        line = self._peek().line
        opcode = self._word()
        operands: list[syntax.Operand] = []
        while not self._accept(";"):
            if operands:
                self._expect(",")
            operands.append(self._operand())
        return syntax.Instruction(line, labels, guard, opcode, tuple(operands))

    def _operand(self) -> syntax.Operand:
        if self._accept("["):
            base, offset = syntax.Name(self._word()), 0
            if self._accept("+") or not self._sees("]"):
                offset = self._integer()
            self._expect("]")
            return syntax.Address(base, offset)
        if self._accept("{"):
            elements = [self._simple()]
            while self._accept(","):
                elements.append(self._simple())
            self._expect("}")
            return syntax.Vector(tuple(elements))
        return self._simple()

    def _simple(self) -> syntax.Name | syntax.Integer | syntax.Binary32 | syntax.Binary64:
        text = self._peek().text
        if text[:2].lower() == "0f" and len(text) == 10:
            return syntax.Binary32(int(self._take().text[2:], 16))
        if text[:2].lower() == "0d" and len(text) == 18:
            return syntax.Binary64(int(self._take().text[2:], 16))
        if NUMBER.fullmatch(text):
            return syntax.Integer(self._integer())
        return syntax.Name(self._word())

    def _integer(self) -> int:
        token = self._take()
        if not NUMBER.fullmatch(token.text):
            raise PtxError(token.line, f"{token.text!r} is no integer")
        return int(token.text.removesuffix("U"), 0)

    def _word(self) -> str:
        token = self._take()
        if not WORD.fullmatch(token.text):
            raise PtxError(token.line, f"{token.text!r} is not known here")
        return token.text

    def _peek(self) -> Token:
        if self._next == len(self._tokens):
            raise PtxError(self._tokens[-1].line if self._tokens else 1, "the text ends here, within a kernel")
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._peek()
        self._next += 1
        return token

    def _sees(self, text: str) -> bool:
        return self._peek().text == text

    def _accept(self, text: str) -> bool:
        seen = self._sees(text)
        self._next += seen
        return seen

    def _expect(self, *texts: str) -> None:
        for text in texts:
            token = self._take()
            if token.text != text:
                raise PtxError(token.line, f"{token.text!r} is here, and not {text!r}")
