"""Where the shipped universes are, and the type of the `hamletc` fixture."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

UNIVERSES = Path(__file__).parents[3] / "universes"

Command: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]
