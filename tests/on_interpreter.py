"""Makes this process run Triton's kernels on Triton's interpreter, which decides that when it is imported."""

from __future__ import annotations

import dataclasses
import os
import sys


def interpret() -> None:
    """Call it before anything loads kernels of Triton.

    A third of the interpreter's time goes into sums and products anew in i64, to see whether they overflow: it looks at
    the result only where it debugs, so nothing is lost without.
    """
    assert "triton" not in sys.modules
    os.environ["TRITON_INTERPRET"] = "1"
    from triton.runtime import interpreter

    builder = interpreter.interpreter_builder
    assert not builder.options.debug
    builder.options = dataclasses.replace(builder.options, sanitize_overflow=False)
