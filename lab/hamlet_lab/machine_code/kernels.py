"""Compiles generated Triton kernels ahead of time, without a GPU, and says what the machine code is like.

    python -m hamlet_lab.machine_code.kernels generated/town --capability 90 --json
    python -m hamlet_lab.machine_code.kernels generated/town --capability 90 --kernel rollout --ptx

The kernels are those that a launch would compile: same options, same types, f32 observations, one agent per world. It
needs a Python that was not started with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from hamlet.errors import EnvError, HamletError
from hamlet.launch.gpu.forms import FORMS, Form, compile_form, kernel_of
from hamlet.package.module import load
from hamlet.universe import Universe
from hamlet_lab.machine_code.sass import Instruction, Loop, instructions, largest_loop, waits

RESOURCE = re.compile(r"\b([A-Z]+):(\d+)")
DEAD = "_final_state"
"""The function of kernels that loads the state of lanes that were not alive before a tick."""
PTX_OPCODE = re.compile(r"^\s*(?:@!?%p\d+\s+)?([a-z]\w*(?:\.\w+)*)\s.*;")


@dataclass(frozen=True, slots=True)
class MachineKernel:
    """A kernel for one GPU architecture.

    Attributes:
        registers: per thread.
        stack, local: bytes per thread of memory that a kernel without spills does not need.
        instructions: in machine code, with subroutines (the slow path of a division).
        loop: the loop over ticks, or else the longest one.
        waits: the loads from global memory in a row that have to be waited for; without those for lanes that were not
            alive before a tick.
        ptx_opcodes, sass_opcodes: how often each instruction occurs, with its modifiers.
    """

    kernel: Form
    capability: int
    registers: int
    stack: int
    local: int
    instructions: int
    loop: Loop | None
    waits: int
    ptx_opcodes: dict[str, int]
    sass_opcodes: dict[str, int]
    ptx: str = field(repr=False)
    sass: str = field(repr=False)

    def statistics(self) -> dict[str, Any]:
        """Everything but the texts, for JSON."""
        return {name: value for name, value in asdict(self).items() if name not in ("ptx", "sass")}


def compile_kernels(
    kernels: ModuleType, universe: Universe, capability: int, forms: Sequence[Form] = FORMS, agents: int = 1
) -> dict[Form, MachineKernel]:
    """Compile for compute capability `capability` (90: sm_90), for worlds of so many agents, a power of two.

    Raises:
        EnvError: the kernels were imported under TRITON_INTERPRET=1, or Triton cannot compile for this capability.
    """
    return {form: _compile(kernels, universe, capability, form, agents) for form in forms}


def _compile(kernels: ModuleType, universe: Universe, capability: int, form: Form, agents: int) -> MachineKernel:
    kernel = kernel_of(form)
    result = compile_form(kernels, universe, capability, form, agents)
    ptx, sass, resources = result.asm["ptx"], *disassembled(result.asm["cubin"])
    code = instructions(sass, kernel)
    of_the_dead = _lines(getattr(kernels, DEAD, None))
    return MachineKernel(
        form,
        capability,
        resources["REG"],
        resources["STACK"],
        resources["LOCAL"],
        len(code),
        largest_loop(sass, kernel),
        waits(sass, kernel, lambda load: not _placed(load, of_the_dead)),
        _counted(opcode[1] for line in ptx.splitlines() if (opcode := PTX_OPCODE.match(line))),
        _counted(instruction.full for instruction in code),
        ptx,
        sass,
    )


def _lines(function: Any) -> range:
    """The lines of a function of Triton's in its file; none of no function."""
    if function is None:
        return range(0)
    return range(function.starting_line_number, function.starting_line_number + len(function.src.splitlines()) + 1)


def _placed(instruction: Instruction, lines: range) -> bool:
    """Whether an instruction comes from these lines of the kernels."""
    return any(file.endswith("_kernels.py") and line in lines for file, line in instruction.places)


def _counted(names: Any) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def disassembled(cubin: bytes) -> tuple[str, dict[str, int]]:
    """The machine code as text and the resources of a kernel, by NVIDIA's tools in Triton's wheel."""
    import triton

    tools = Path(triton.__file__).parent / "backends" / "nvidia" / "bin"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        sass = _run(str(tools / "nvdisasm"), "-c", "-gi", "-gp", file.name)
        usage = _run(str(tools / "cuobjdump"), "-res-usage", file.name)
    line = next(line for line in usage.splitlines() if "REG:" in line)
    return sass, {name: int(number) for name, number in RESOURCE.findall(line)}


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise EnvError(f"{Path(command[0]).name} failed: {done.stderr.strip()}")
    return done.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m hamlet_lab.machine_code.kernels", description="Compile a package's Triton kernels."
    )
    parser.add_argument("package", help="a generated package: a folder")
    parser.add_argument("--capability", type=int, action="append", help="80: A100, 90: H100, 100: B200 (default: 90)")
    parser.add_argument("--kernel", choices=FORMS, action="append", help="which kernels (default: all)")
    parser.add_argument("--agents", type=int, default=1, help="of a world; up to 1024")
    show = parser.add_mutually_exclusive_group()
    show.add_argument("--json", action="store_true", help="print statistics as JSON")
    show.add_argument("--ptx", action="store_true", help="print PTX")
    show.add_argument("--sass", action="store_true", help="print machine code")
    asked = parser.parse_args(arguments)
    try:
        module = load(asked.package)
        kernels = module.kernels("triton")
        results = [
            compiled
            for capability in asked.capability or [90]
            for compiled in compile_kernels(
                kernels, module.universe, capability, asked.kernel or FORMS, 1 << (asked.agents - 1).bit_length()
            ).values()
        ]
    except HamletError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if asked.json:
        print(json.dumps([compiled.statistics() for compiled in results], indent=2))
    for compiled in results:
        if asked.ptx or asked.sass:
            print(compiled.ptx if asked.ptx else compiled.sass)
        elif not asked.json:
            print(describe(compiled))
    return 0


def describe(compiled: MachineKernel) -> str:
    """One line about a kernel."""
    text = f"{compiled.kernel:18} sm_{compiled.capability:<3}  {compiled.registers:3} registers"
    text += f"  {compiled.instructions:5} instructions"
    text += f"  {compiled.waits} waits for loads"
    if compiled.stack or compiled.local:
        text += f"  {compiled.stack + compiled.local} bytes of local memory"
    if compiled.loop is not None:
        text += f"  loop: {compiled.loop.every} every time, {compiled.loop.sometimes} more at times"
    return text


if __name__ == "__main__":
    sys.exit(main())
