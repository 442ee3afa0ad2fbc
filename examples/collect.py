"""Collect what a trainer needs, by a network inside of the rollout kernel, and by a loop of steps with torch.

    python examples/collect.py
    python examples/collect.py --universe universes/shifts.hamlet --worlds 4096

Both fill the same tensors: observations, masks, actions, their log-probabilities, values, rewards, ends. The kernel
keeps what is between the layers of a lane close; the loop writes it to memory for all lanes. Weights are those of a
`torch.nn` network, so a trainer that learns from what was collected changes the policy in place.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import torch
from torch import nn

import hamlet
from hamlet.env.environment import Env

TOWN = Path(__file__).parents[1] / "universes" / "town.hamlet"
HIDDEN = 64


def network(env: Env) -> nn.Sequential:
    """Logits of actions and a value, [lanes, actions + 1], of observations [lanes, values]."""
    sizes = (len(env.observation_names), HIDDEN, HIDDEN, env.num_actions + 1)
    first, second, heads = (nn.Linear(inputs, outputs) for inputs, outputs in pairwise(sizes))
    return nn.Sequential(first, nn.Tanh(), second, nn.Tanh(), heads).to(env.device)


def inside(policy: nn.Sequential) -> hamlet.MLP:
    """The same network as kernels run it. It shares its weights with `policy`."""
    layers = [layer for layer in policy if isinstance(layer, nn.Linear)]
    return hamlet.MLP([layer.weight.detach() for layer in layers], [layer.bias.detach() for layer in layers])


@torch.no_grad()
def stepped(env: Env, policy: nn.Sequential, stored: hamlet.Storage) -> None:
    """Fill the tensors by a step for each tick."""
    for tick in range(len(stored.rewards)):
        heads = policy(env.observation)
        log_probs = heads[:, :-1].masked_fill(~env.action_mask, -1e9).log_softmax(dim=1)
        actions = torch.multinomial(log_probs.exp(), 1)
        stored.observations[tick], stored.masks[tick] = env.observation.T, env.action_mask.T
        stored.actions[tick], stored.values[tick] = actions[:, 0], heads[:, -1]
        stored.log_probs[tick] = log_probs.gather(1, actions)[:, 0]
        _, reward, terminated, truncated, info = env.step(actions[:, 0].int())
        stored.rewards[tick], stored.terminated[tick], stored.truncated[tick] = reward, terminated, truncated
        stored.final_values[tick] = policy(info["final_observation"])[:, -1] * truncated
    stored.values[-1] = policy(env.observation)[:, -1]


def rate(fill: Callable[[], object], samples: int) -> float:
    """Samples in a second of this process' CPU time where there is no GPU, of which the first time is not counted."""
    fill()
    started = time.process_time()
    fill()
    return samples / (time.process_time() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--universe", default=str(TOWN))
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--ticks", type=int, default=128)
    given = parser.parse_args()
    torch.manual_seed(1)
    env = hamlet.make(hamlet.compile(given.universe), worlds=given.worlds, backend=given.backend, seed=1, quiet=True)
    stored, policy = env.storage(given.ticks), network(env)
    kernel = inside(policy)
    samples = given.ticks * env.num_lanes
    for name, fill in (
        ("a network inside of the rollout", lambda: env.rollout(given.ticks, kernel, store=stored, statistics=False)),
        ("a loop of steps with torch", lambda: stepped(env, policy, stored)),
    ):
        found = rate(fill, samples)
        print(f"{name}: {found:,.0f} agent-ticks in a CPU second; mean reward {stored.rewards.mean().item():.3f}")


if __name__ == "__main__":
    main()
