"""Executes compiled PTX on the CPU: what a GPU will run, after all of Triton's and LLVM's optimisations.

`parse(text)` reads the kernel of a PTX file, `Program(kernel)` compiles it to numpy operations over all threads, and
`Program.launch` runs it. `hamlet_lab.ptx.backend.PtxBackend` is the Triton backend with this in the place of a GPU.

Every instruction has the semantics of NVIDIA's "PTX ISA", to the bit. What is not known to the bit is refused.
"""

from hamlet_lab.ptx.memory import Memory
from hamlet_lab.ptx.parser import parse
from hamlet_lab.ptx.program import Launch, Program
from hamlet_lab.ptx.syntax import PtxError

__all__ = ["Launch", "Memory", "Program", "PtxError", "parse"]
