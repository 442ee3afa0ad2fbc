"""A universe in CUDA C: the kernel of the target `c`, a world for each thread, with a type f32 whose operators are
rounded intrinsics, so that no compiler contracts, flushes or rearranges."""

from __future__ import annotations

import re
from typing import Any

from hamlet.native.library import header
from hamletc.compilation import Compilation
from hamletc.export.c import rendered, values_of
from hamletc.export.conditions import decided
from hamletc.export.exported import Exported
from hamletc.export.library import library
from hamletc.targets.c.emit import observed_names

OWN = frozenset(
    re.findall(
        r"\w+",
        """
        HAMLET_INLINE HAMLET_HELPER HAMLET_ALIGNED HAMLET_LIKELY HAMLET_EXPORT HAMLET_THREAD
        LANES WORD MOST_AGENTS TALLIES hamlet_numbers hamlet_rooms flags_of natural_i8 natural_i32 all_set
        fma_f32 square_root_f32
        """,
    )
)
"""Names of `hamlet.h` that the template defines in its place."""
LINES = re.compile(r"#(?:include|pragma|error)\b.*|typedef float f32;|#define (?:_MM_MALLOC_H_INCLUDED|__MM_MALLOC_H)")
"""Lines of the header that are left out."""
LITERAL = re.compile(r"(?:(?<=[ (,{])-)?(?<![\w.])(?:0x[0-9a-f.]+p[+-]?\d+|\d+\.\d+)f\b")
"""A number of C's own type, with its sign. Two of them would be added by C's own operator."""
TABLE = "static const HAMLET_ALIGNED"
"""How tables begin."""


def export_cuda(compilation: Compilation, digest: int) -> Exported:
    """The text of a universe in CUDA C; arguments as of `export_c`."""
    values = values_of_cuda(compilation, digest)
    return Exported({f"{values['name']}.cu": rendered("cuda.cu.j2", values).encode()})


def values_of_cuda(compilation: Compilation, digest: int) -> dict[str, Any]:
    """The values of templates for a universe in CUDA C."""
    values = values_of(compilation, digest)
    kernel = values["kernel"]
    macros = frozenset({"HAMLET_FREESTANDING", *(["SCATTERED"] if kernel.scattered else [])})
    whole = _on_device(decided(header(), macros))
    text = _on_device(decided(kernel.text, macros))
    used = *observed_names(kernel.text, "f32"), "hamlet_selftest"
    return values | {"library": library(text, *used, whole=whole, without=OWN), "text": text}


def _on_device(text: str) -> str:
    """A text without what is for compilers of C, with tables where threads read them, and with numbers of the type."""
    lines = "\n".join(line for line in text.splitlines() if not LINES.fullmatch(line))
    return LITERAL.sub(r"f32(\g<0>)", lines).replace(TABLE, "static __device__ const")
