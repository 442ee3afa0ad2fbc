"""Run the town with random actions, and print how long agents live, what they die of and which affordances they use.

python examples/first_rollout.py
"""

from pathlib import Path

import hamlet

UNIVERSES = Path(__file__).parents[1] / "universes"

universe = hamlet.compile(UNIVERSES / "town.hamlet")
env = hamlet.make(universe, worlds=4096, seed=1)
result = env.rollout(500)

print(f"{result.episodes():,} episodes, mean length {result.mean_length():.1f}, mean return {result.mean_return():.2f}")
for cause, count in result.causes().items():
    print(f"  {cause:<12} {count:>8,}")
for affordance, count in sorted(result.uses().items(), key=lambda item: -item[1]):
    print(f"  {affordance:<12} {count:>8,}")
