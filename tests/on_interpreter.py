"""Makes this process run Triton's kernels on Triton's interpreter, which decides that when it is imported."""

from __future__ import annotations

import os
import sys


def interpret() -> None:
    """Call it before anything loads kernels of Triton."""
    assert "triton" not in sys.modules
    os.environ["TRITON_INTERPRET"] = "1"
