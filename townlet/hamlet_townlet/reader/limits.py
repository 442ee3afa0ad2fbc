"""The limits of a pack: what a person writes stays far below them, what would exhaust a machine does not."""

from __future__ import annotations

DEEPEST_NESTING = 32
"""The most lists and mappings inside each other in a YAML file."""

MOST_NODES = 50_000
"""The most scalars, lists and mappings in a YAML file."""

MOST_SUGGESTIONS = 100
"""The number of findings in a file after which no likely words are looked for."""

LONGEST_NAME = 64
"""The most characters of a name."""

MOST_METERS = 32
MOST_AFFORDANCES = 100
MOST_CASCADES = 500
MOST_ACTIONS = 300
MOST_VARIABLES = 200
MOST_CELLS = 10_000
MOST_AXES = 100
MOST_TICKS = 1_000_000_000
"""The longest lifespan and the longest duration."""
MOST_DIRECTIONS = 4096
LARGEST_INTEGER = 2**31 - 1
LARGEST_FLOAT = float.fromhex("0x1.fffffep127")
"""The largest finite binary32 number."""
SHORTEST_STEP = 1e-15
"""The least `movement_delta` in a plane: its square, times the slowest speed, is still a binary32 number."""
