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
CONTROL_DRAWS = 5
"""The stream of the controls that a policy draws: (lane, tick, block, 5); control k has the word of site k."""
CELL_DRAWS = 6
"""The stream of what is drawn for a cell in a tick: (global world, tick, block, cell << CELL_SHIFT | 6)."""
CELL_EPISODE_DRAWS = 7
"""The stream of what is drawn for a cell at the beginning of an episode: (global world, episode, block, cell <<
CELL_SHIFT | 7)."""
CELL_SHIFT = 16
"""The number of a cell is above the bits of the stream. There are at most 2 ** (32 - CELL_SHIFT) cells that draw."""
WORLD_EPISODE_DRAWS = 8
"""The stream of what is drawn for a world at the beginning of an episode: (global world, episode, block, 8)."""
BIRTH_DRAWS = 9
"""The stream of what is drawn for an agent that is born within an episode: (lane, tick, block, 9)."""
PAIR_DRAWS = 10
"""The stream of what is drawn for two agents in a tick: (lane, tick, block, other << PAIR_SHIFT | 10), where the lane
is that of the agent that asks and `other` the number of the other one."""
PAIR_EPISODE_DRAWS = 11
"""The stream of what is drawn for two agents at the beginning of an episode: (lane, episode, block, other <<
PAIR_SHIFT | 11)."""
PAIR_SHIFT = CELL_SHIFT
"""The number of the other agent is above the bits of the stream."""
BLOCK_WORDS = 4
"""The words that one counter gives: site s is word s % 4 of block s // 4."""
BLOCKS = 1 << 32
"""A block is the third number of a counter, 0 .. BLOCKS - 1."""
