"""python networks_on_triton.py [interpreter | ptx]: networks by Triton's kernel, against torch.

A program of its own, because Triton decides when it is imported whether kernels run on its interpreter.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ["TRITON_INTERPRET"] = "1" if sys.argv[1] == "interpreter" else "0"

import torch

import hamlet
from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import NetworkPolicy, Stream
from hamlet.backend.recall import Recall
from hamlet.interpreter.networks import decider as expected_of
from hamlet.launch.gpu.deciding import decider, kernel_of
from hamlet.policies.mlp import MLP
from unit.env.test_env_memory import network_that_remembers

ROOT = Path(__file__).parents[3]
VALUES, ACTIONS = 9, 5
AGENTS = [0, 1, 1]
"""Of a world, the member of each."""
CASES: tuple[tuple[int, dict[str, Any]], ...] = (
    (70, {"hidden": (6, 8), "controls": 2}),
    (66, {"hidden": (7,), "activation": "relu", "sample": False, "members": 33}),
    (128, {"hidden": (3,), "value": False, "members": 2}),
    (66, {"hidden": (6, 8), "members": 2, "of_agents": AGENTS}),
    (66, {"hidden": (6,), "members": 2, "value": False, "of_agents": AGENTS}),
)
"""Lanes and networks: a last block that is not full, members of few lanes, members of whole blocks; of agents."""
OF_OTHERS = ("of_agents", "controls")
"""Arguments that are none of a random network."""


def same(left: torch.Tensor | None, right: torch.Tensor | None) -> bool:
    if left is None or right is None:
        return left is right
    as_words = [each.contiguous().view(torch.int32) if each.dtype is torch.float32 else each for each in (left, right)]
    return torch.equal(*as_words)


def compare(kernel: Any) -> set[int]:
    """Compare the kernel with torch; the actions that were taken."""
    taken = set()
    for lanes, arguments in CASES:
        random = {name: value for name, value in arguments.items() if name not in OF_OTHERS}
        policy = replace(MLP.random(VALUES, ACTIONS, seed=3, **random), of_agents=arguments.get("of_agents"))
        policy.weights[-1].mul_(300)
        generator = torch.Generator().manual_seed(1)
        observation = torch.randn(VALUES, lanes, generator=generator)
        network = replace(policy.prepared(), controls=arguments.get("controls", 0))
        mask = torch.rand(network.actions, lanes, generator=generator) < 0.6
        mask[:, 3] = False
        agents = len(policy.of_agents or "1")
        given = network, Shape(lanes // agents, agents, 7), Stream((1 << 63) + 12345, 9)
        found = decider(*given, kernel)(observation, mask, (1 << 32) - 2, None)
        expected = expected_of(*given)(observation, mask, (1 << 32) - 2, None)
        for name in found._fields:
            assert same(getattr(found, name), getattr(expected, name)), (arguments, name)
        taken |= set(found.actions.tolist())
        # Blocks of 64 lanes in which nobody asks are left out.
        asking = torch.arange(lanes) == 65
        found = decider(*given, kernel)(observation, mask, (1 << 32) - 2, None, asking)
        for name, values in found._asdict().items():
            if values is not None:
                lane = 65 if name != "logits" else slice(65, 66)
                every = getattr(expected, name)
                at = (slice(65, 66),) if name == "logits" else (..., lane)
                assert same(values[at], every[at]), (arguments, name)
    return taken


def compare_remembering(made: Callable[[Any], Any], *numbers: int) -> set[int]:
    """The same of networks that remember so many numbers; `made` makes what is launched of a kernel. Some lanes begin
    an episode, and some have not acted yet."""
    taken = set()
    for size in numbers:
        lanes = 38 + size
        policy = network_that_remembers(VALUES, ACTIONS, size).prepared()
        generator = torch.Generator().manual_seed(1)
        observation, before = (torch.randn(VALUES, lanes, generator=generator) for _ in range(2))
        hidden = torch.randn(size, lanes, generator=generator)
        acted = torch.randint(-1, ACTIONS, (lanes,), generator=generator, dtype=torch.int32)
        policy = replace(policy, sample=size == 32, recall=Recall(hidden, before, acted))
        mask = torch.rand(ACTIONS, lanes, generator=generator) < 0.8
        given = policy, Shape(lanes, 1, 7), Stream((1 << 63) + 12345, 9)
        decides, expects = decider(*given, made(kernel_of(policy))), expected_of(*given)
        # As in a tick, and as for the value of what an episode ended with.
        for age in (torch.arange(lanes, dtype=torch.int32) % 3, None):
            found, expected = (each(observation, mask, (1 << 32) - 2, age) for each in (decides, expects))
            for name in found._fields:
                assert same(getattr(found, name), getattr(expected, name)), (size, name)
            taken |= set(found.actions.tolist())
            # Every third lane of an environment of others, of which one in the last block asks.
            numbers = 3 * torch.arange(lanes, dtype=torch.int32)
            some = policy, Shape(3 * lanes, 1, 7), given[2]
            part = decider(*some, made(kernel_of(policy)), numbers=numbers)
            found = part(observation, mask, (1 << 32) - 2, age, numbers == 3 * 65)
            every = _spread(policy, lanes)
            spread = expected_of(replace(policy, recall=every), *some[1:])
            wide = torch.zeros(VALUES, 3 * lanes), torch.ones(ACTIONS, 3 * lanes, dtype=torch.bool)
            for each, own in zip(wide, (observation, mask), strict=True):
                each[:, ::3] = own
            ages = None if age is None else age.repeat_interleave(3)
            expected = spread(*wide, (1 << 32) - 2, ages)
            for name in ("actions", "log_probs", "values", "hidden"):
                assert same(getattr(found, name)[..., 64:], getattr(expected, name)[..., ::3][..., 64:]), (size, name)
    return taken


def _spread(policy: NetworkPolicy, lanes: int) -> Recall:
    """The memory of a policy as that of every third lane."""
    assert policy.recall is not None
    every = Recall.empty(policy.remembers, VALUES, 3 * lanes, torch.device("cpu"))
    every.hidden[:, ::3], every.before[:, ::3], every.acted[::3] = (
        policy.recall.hidden, policy.recall.before, policy.recall.acted,
    )  # fmt: skip
    return every


def compare_rollouts(remembering: bool) -> int:
    """Compare rollouts of Triton's interpreter with those of ours; how many episodes ended."""
    module, results = hamlet.load(ROOT / "generated" / "first_meal"), []
    for backend in ("interpreter", "triton"):
        env = hamlet.make(module, worlds=40, backend=backend, seed=3, quiet=True)
        sizes = len(env.observation_names), env.num_actions
        policy = network_that_remembers(*sizes) if remembering else MLP.random(*sizes, hidden=(5,), seed=2)
        stored = env.storage(6)
        env.state["age"][::2] = 197
        counts = env.rollout(6, policy, observe=True, store=stored).counts
        assert env.observation is not None
        results.append(
            env.state | env.outcome | stored.tensors | {"observation": env.observation, "ends": counts.causes}
        )
    for name, values in results[0].items():
        assert same(values, results[1][name]), name
    return int(results[0]["ends"].sum())


def main() -> int:
    torch.set_num_threads(1)
    from hamlet.launch.gpu.networks import decide

    if sys.argv[1] == "interpreter":
        from hamlet.launch.gpu.interpreted import make_interpreter_exact

        make_interpreter_exact()
        print("episodes", *map(compare_rollouts, (False, True)))
        print("actions", sorted(compare(decide)), sorted(compare_remembering(lambda kernel: kernel, 32, 64)))
    else:
        from hamlet_lab.ptx.backend import Executed

        remembering = compare_remembering(lambda kernel: Executed(kernel, 90), 32)
        print("actions", sorted(compare(Executed(decide, 90))), sorted(remembering))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
