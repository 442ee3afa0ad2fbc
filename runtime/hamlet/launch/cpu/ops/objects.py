"""A kernel as an object file: for another process, and another CPU."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from llvmlite import binding as llvm

from hamlet.launch.cpu import object_file
from hamlet.launch.cpu.entry import Value
from hamlet.launch.cpu.ops.entries import types_of, write
from hamlet.launch.cpu.ops.machinery import codegen, compiler_lock, registry
from hamlet.launch.cpu.ops.teams import write_team
from hamlet.launch.cpu.team import NAMES


class _Ahead(codegen.JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """Code of which others see the function of the name of the library, and those of a team of threads; it becomes
    no machine code here."""

    def _optimize_final_module(self) -> None:
        for each in (*self._final_module.functions, *self._final_module.global_variables):
            if not each.is_declaration and each.name not in (self.name, *NAMES):
                each.linkage = "internal"
        super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        """Name what is left as its author did: numba's names are long."""
        for each in self._final_module.functions:
            if each.name.startswith("_ZN"):
                each.name = _plain(each.name)
        self._finalized = True


def _plain(mangled: str) -> str:
    """The last part of a mangled name: `_ZN6hamlet3ops4takeB2v1...` is `take`."""
    found, rest = mangled, mangled.removeprefix("_ZN")
    while match := re.match(r"\d+", rest):
        begin, length = match.end(), int(match[0])
        found, rest = rest[begin : begin + length], rest[begin + length :]
    return found


def object_code(kernel: Any, values: Sequence[Value], name: str) -> bytes:
    """The object file of a kernel for arguments of the types of these; `name` is the function by which it is called.

    Raises:
        ObjectError: the file cannot be loaded without a linker.
    """
    content: bytes = _target().emit_object(_module(kernel, values, name))
    object_file.check(content)
    return content


def texts(kernel: Any, values: Sequence[Value], name: str) -> tuple[str, str]:
    """The same as LLVM's instructions, and as assembly."""
    module = _module(kernel, values, name)
    return str(module), _target().emit_assembly(module)


def _module(kernel: Any, values: Sequence[Value], name: str) -> Any:
    with compiler_lock:
        library = _Ahead(registry.cpu_target.target_context.codegen(), name)
        write(library, name, kernel, types_of(kernel, values))
        write_team(library)
        library.finalize()
    return library._final_module


def _target() -> Any:
    """The CPU that numba compiles for in this process; code may lie anywhere."""
    machine = registry.cpu_target.target_context.codegen()
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=machine._get_host_cpu_name(), features=machine._tm_features, opt=3, reloc="pic", codemodel="small"
    )
