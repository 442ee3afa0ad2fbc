"""Values of code as expressions of C."""

from __future__ import annotations

import pytest

from hamletc.ir.ops import Type
from hamletc.kernel.expressions import Typed
from hamletc.targets.c.values import constant


@pytest.mark.parametrize(
    ("type", "value", "text"),
    [
        (Type.I32, 0, "0"), (Type.I32, -1, "(-1)"), (Type.I32, 2147483647, "2147483647"),
        # The number 2147483648 is none of an int, and so its negation is none.
        (Type.I32, -2147483648, "(-2147483647 - 1)"), (Type.I32, -2147483647, "(-2147483647)"),
        (Type.U32, 4294967295, "4294967295u"), (Type.BOOL, True, "true"), (Type.BOOL, False, "false"),
        (Type.F32, 1.5, "0x1.8000000000000p+0f"), (Type.F32, -0.0, "(-0x0.0p+0f)"),
    ],
)  # fmt: skip
def test_constants(type: Type, value: float, text: str) -> None:
    assert constant(Typed(type, value)).text == text
