"""The counters of random words (docs/semantics.md, "Randomness"): what tells apart what is drawn for different things.

Only numbers here: the interpreter (torch) and the lowering (IR) each make words of counters in their own way.
"""

from __future__ import annotations

POLICY = 0
"""The stream, the last number of a counter, of the random policy: (lane, tick >> 2, POLICY_BLOCK, 0)."""
POLICY_BLOCK = 1
LANE_DRAWS = 1
"""The stream of what is drawn for an agent in a tick: (lane, tick, block, 1)."""
WORLD_DRAWS = 2
"""The stream of what is drawn for a world in a tick: (global world, tick, block, 2)."""
EPISODE_DRAWS = 3
"""The stream of what is drawn for an agent at the beginning of an episode: (lane, episode, block, 3)."""
PARAM_DRAWS = 4
"""The stream of what params are drawn from: (global world, episode, key of the param's name, 4)."""
BLOCK_WORDS = 4
"""The words that one counter gives: site s is word s % 4 of block s // 4."""
BLOCKS = 1 << 32
"""A block is the third number of a counter, 0 .. BLOCKS - 1."""
