"""The skeleton of a training loop: action masks, terminated and truncated, final observations, autoreset.

    python examples/training_loop.py

A linear policy learns by REINFORCE with a value baseline, one tick at a time. It is the shortest program that learns,
not a good learner: replace `update` by your own.
"""

from pathlib import Path

import torch

import hamlet

UNIVERSES = Path(__file__).parents[1] / "universes"
DISCOUNT = 0.99

universe = hamlet.compile(UNIVERSES / "first_meal.hamlet")
env = hamlet.make(universe, worlds=256, seed=1)
torch.manual_seed(1)

inputs = len(env.observation_names)
policy = torch.nn.Linear(inputs, env.num_actions).to(env.device)
value = torch.nn.Linear(inputs, 1).to(env.device)
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-2)


def distribution(observation: torch.Tensor, mask: torch.Tensor) -> torch.distributions.Categorical:
    """The policy's distribution over actions; actions that the mask switches off get no probability."""
    return torch.distributions.Categorical(logits=policy(observation).masked_fill(~mask, -1e9))


def update(observation, mask, actions, reward, terminated, truncated, following, final) -> float:
    """One gradient step. After a death the value is 0. At the lifespan it is the value of the final observation of the
    old episode, not of the first observation of the new one."""
    with torch.no_grad():
        after = torch.where(truncated, value(final).squeeze(1), value(following).squeeze(1))
        target = reward + DISCOUNT * after * ~terminated
    advantage = target - value(observation).squeeze(1)
    log_probability = distribution(observation, mask).log_prob(actions)
    loss = advantage.square().mean() - (log_probability * advantage.detach()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


# The environment's tensors are views of its own buffers, so tensors that are needed after the next step are cloned.
observation, info = env.reset()
for tick in range(200):
    before, mask = observation.clone(), info["action_mask"].clone()
    with torch.no_grad():
        actions = distribution(before, mask).sample()
    observation, reward, terminated, truncated, info = env.step(actions)
    loss = update(before, mask, actions, reward, terminated, truncated, observation, info["final_observation"])
    if tick % 50 == 49:
        print(f"tick {tick + 1}: mean reward {reward.mean().item():.3f}, loss {loss:.4f}")
