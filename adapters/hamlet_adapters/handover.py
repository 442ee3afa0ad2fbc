"""An environment of an adapter for which nobody named a backend: it begins at once, and a long run of it is fast.

The interpreter needs nothing compiled, and takes about a millisecond for a step; kernels take some seconds to compile,
once on a machine, and then microseconds for a step. So the interpreter runs the first steps, and kernels in C all
others. The bits are the same, so that nobody can see it but by the clock.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from hamlet.env.environment import Env
from hamlet.env.handover import hand_over
from hamlet.errors import HamletError
from hamlet.launch.cpu.ahead import find
from hamlet.launch.cpu.kernels import SUFFIX
from hamlet.package.module import kernels_file

FIRST, THEN = "interpreter", "c"
STEPS = 1000
"""Steps of the interpreter, which take about a second: a short run waits for no compiler, and a long one loses little.
Where the package has machine code there are none."""


class Handover:
    """Hands an environment over to kernels after its first steps."""

    def __init__(self, env: Env, arguments: Mapping[str, Any]) -> None:
        """`env` was made with these `arguments` of `hamlet.make`: a backend that is named among them stays."""
        self._env = env
        self._quiet = bool(arguments.get("quiet", False))
        self._left: int | None = STEPS
        if "backend" in arguments or env.device.type != "cpu" or kernels_file(THEN, SUFFIX) not in env.module.sources:
            self._left = None
        elif find(env.module)[0] is not None:
            self._left = 0

    def due(self) -> bool:
        """Count a step that is to be run next; gives whether it is the first one of kernels. Where these cannot run, a
        line on stderr says so once, and the interpreter goes on."""
        if self._left is None:
            return False
        if self._left:
            self._left -= 1
            return False
        # After Ctrl-C the next step begins to compile again.
        done = self._handed_over()
        self._left = None
        return done

    def _handed_over(self) -> bool:
        try:
            hand_over(self._env, THEN, f"in the place of the {FIRST}, which began", self._quiet)
        except (HamletError, ImportError) as error:
            if not self._quiet:
                print(f"hamlet: {self._env.universe.name} stays on the {FIRST}: {error}", file=sys.stderr)
            return False
        return True
