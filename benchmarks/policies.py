"""Networks inside of rollouts, beside the same networks outside, in the town:

    HAMLET_THREADS=1 OMP_NUM_THREADS=1 python benchmarks/policies.py

A network of two hidden layers of 64 chooses what every agent does; gru:32 and gru:64 have a memory of so many numbers
between them, as `hamletc train --memory` makes it. *in a rollout*: `env.rollout(ticks, MLP)`.
*torch*: `torch.nn.functional.linear`, a masked softmax, a draw and `env.step`, as trainers do it; its bits depend on
the library. *by the order*: `MLP.forward` and `env.step`, with the rollout's bits. All take turns, one round after the
other; a rate is by the time of the processor that the process took, so that others on the machine disturb little.
`--count` counts instead what the kernel of networks executes on sm_90, as PTX. Both write
benchmarks/results/policies.json and a table.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as nn
from facts import ROOT, facts

import hamlet
from hamlet.env.environment import Env
from hamlet.policies.mlp import MLP

RESULT = ROOT / "benchmarks" / "results" / "policies.json"
WORLDS = 4096
TICKS = 32
OUTSIDE_TICKS = 16
SLOW_TICKS, SLOW_WORLDS = 2, 256
CAPABILITY = 90
LANES = 64


def town(worlds: int, name: str = "town") -> Env:
    return hamlet.make(hamlet.load(ROOT / "generated" / name), worlds=worlds, backend="c", seed=3, quiet=True)


def network(env: Env, **arguments: Any) -> MLP:
    return MLP.random(len(env.observation_names), env.num_actions, seed=1, **arguments)


def remembering(env: Env, numbers: int, first: int = 64, second: int = 64) -> MLP:
    """A network that remembers so many numbers."""
    generator = torch.Generator().manual_seed(1)
    values, actions = len(env.observation_names), env.num_actions

    def weights(outputs: int, inputs: int) -> torch.Tensor:
        return (torch.rand(outputs, inputs, generator=generator) * 2 - 1) * (3 / inputs) ** 0.5

    sizes = (first, 2 * values + actions), (second, first + numbers), (actions + 1, second)
    layers = [weights(*each) for each in sizes]
    layers[-1] *= 0.01
    gates = weights(2 * numbers, first), torch.zeros(2 * numbers)
    return MLP(layers, [torch.zeros(outputs) for outputs, _ in sizes], gates=gates)


def with_torch(env: Env, policy: MLP, ticks: int) -> None:
    """The policy as trainers run it."""
    activation = torch.tanh if policy.activation == "tanh" else torch.relu
    *hidden, heads = zip(policy.weights, policy.biases, strict=True)
    with torch.inference_mode():
        for _ in range(ticks):
            assert env.observation is not None
            x = env.observation
            for weight, bias in hidden:
                x = activation(nn.linear(x, weight, bias))
            logits = nn.linear(x, *heads)[:, :-1].masked_fill(~env.action_mask, -torch.inf)
            log_probs = torch.log_softmax(logits, 1)
            sums = log_probs.exp().cumsum(1)
            actions = (sums <= torch.rand(len(sums), 1)).sum(1).clamp_(max=env.num_actions - 1)
            log_probs.gather(1, actions.unsqueeze(1))
            env.step(actions)


def by_the_order(env: Env, policy: MLP, ticks: int) -> None:
    for _ in range(ticks):
        assert env.observation is not None
        env.step(policy.forward(env.observation, env.action_mask, env.policy_words()).actions)


def cases() -> dict[str, tuple[int, Callable[[], object]]]:
    """By name the agent-ticks of a run, and the run."""
    found: dict[str, tuple[int, Callable[[], object]]] = {}
    for activation in ("tanh", "relu"):
        env, slow = town(WORLDS), town(SLOW_WORLDS)
        policy = network(env, activation=activation)
        stored = env.storage(TICKS)
        inside = _rollout(env, policy)
        found[f"{activation}, in a rollout"] = WORLDS * TICKS, inside
        found[f"{activation}, in a rollout, all stored"] = WORLDS * TICKS, _rollout(town(WORLDS), policy, store=stored)
        found[f"{activation}, torch"] = WORLDS * OUTSIDE_TICKS, _run(with_torch, town(WORLDS), policy, OUTSIDE_TICKS)
        found[f"{activation}, by the order"] = SLOW_WORLDS * SLOW_TICKS, _run(by_the_order, slow, policy, SLOW_TICKS)
    for name in ("town", "shifts"):
        env = town(WORLDS, name)
        networks = {f"gru:{numbers}": remembering(env, numbers) for numbers in (32, 64)}
        if name != "town":
            networks |= {activation: network(env, activation=activation) for activation in ("tanh", "relu")}
        said = "" if name == "town" else f"{name}, "
        for kind, policy in networks.items():
            found[f"{said}{kind}, in a rollout"] = WORLDS * TICKS, _rollout(env, policy)
    few = town(64)
    found["tanh, 64 worlds, in a rollout"] = 64 * TICKS * 8, _rollout(few, network(few), TICKS * 8)
    found["tanh, 64 worlds, torch"] = 64 * TICKS * 8, _run(with_torch, town(64), network(few), TICKS * 8)
    for members in (256, 4096):
        env = town(WORLDS)
        policy = network(env, members=members)
        found[f"tanh, in a rollout, {members} members"] = WORLDS * TICKS * 4, _rollout(env, policy, TICKS * 4)
    env = town(WORLDS)
    found["random actions, in a rollout"] = WORLDS * TICKS * 20, lambda: env.rollout(TICKS * 20, statistics=False)
    return found


def _rollout(env: Env, policy: MLP, ticks: int = TICKS, store: hamlet.Storage | None = None) -> Callable[[], object]:
    return lambda: env.rollout(ticks, policy, statistics=False, store=store)


def _run(what: Callable[[Env, MLP, int], None], env: Env, policy: MLP, ticks: int) -> Callable[[], object]:
    return lambda: what(env, policy, ticks)


def measured(rounds: int) -> dict[str, Any]:
    """Millions of agent-ticks in a second of one processor: the median of rounds, the least and the most."""
    torch.set_num_threads(1)
    runs = cases()
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds + 1):
        for name, (agent_ticks, run) in runs.items():
            begin = time.process_time()
            run()
            # The first round compiles.
            if turn:
                rates[name].append(agent_ticks / (time.process_time() - begin) / 1e6)
    return {
        name: {"median": statistics.median(all_), "least": min(all_), "most": max(all_)} for name, all_ in rates.items()
    }


def counted(kind: str) -> dict[str, Any]:
    """What the kernel of a network (tanh, relu, gru:32) executes on sm_90 for a full block: PTX instructions of a lane
    by name, and the rate at which an H100 could issue them."""
    from hamlet.backend.buffers import Shape
    from hamlet.backend.protocol import Stream
    from hamlet.launch.gpu.deciding import THREADS, decider, kernel_of
    from hamlet_lab.profile.model import GPUS
    from hamlet_lab.ptx.backend import Executed

    env, (kind, _, numbers) = town(LANES), kind.partition(":")
    made = remembering(env, int(numbers)) if numbers else network(env, activation=kind)
    policy = made.prepared().beginning(LANES, env.device)
    executed = Executed(kernel_of(policy), CAPABILITY)
    assert env.observation is not None
    deciding = decider(policy, Shape(LANES, 1), Stream(1, 0), executed)
    deciding(env.observation.T, env.action_mask.T, 0, env.state["age"])
    ((kernel, program),) = executed.compiled()
    lines, names = kernel.ptx.splitlines(), Counter[str]()
    for piece, warps in program.executions():
        for line in piece:
            names[_name(lines[line - 1])] += warps * 32 / LANES
    gpu = next(gpu for gpu in GPUS if gpu.name == "H100")
    total = sum(names.values())
    rate = gpu.multiprocessors * 4 * 32 * gpu.clock / total / 1e6
    return {"threads": THREADS, "lane": total, "by name": dict(names.most_common(12)), "issued M/s": rate}


def _name(line: str) -> str:
    words = line.split()
    return words[1 if words[0].startswith("@") else 0].rstrip(";")


def table(report: dict[str, Any]) -> str:
    lines = [
        "# Networks inside of rollouts",
        "",
        f"Written by `{report['command']}`, on {report['machine']}; {report['load']}.",
        f"Commit {report['commit']}. {report['versions']}.",
        "",
        "Millions of agent-ticks in a second of one processor, by the time that the process took of it:",
        "",
        "| two hidden layers of 64; the town, or shifts | median | least | most |",
        "|---|--:|--:|--:|",
    ]
    lines += [
        f"| {name} | {rate['median']:.3g} | {rate['least']:.3g} | {rate['most']:.3g} |"
        for name, rate in report["rates"].items()
    ]
    for kind, count in report["sm_90"].items():
        names = ", ".join(f"{name} {number:,.0f}" for name, number in count["by name"].items())
        lines += [
            "",
            f"The kernel of networks on sm_90, {kind}: {count['lane']:,.0f} instructions of PTX per agent-tick "
            f"({names}). An H100 that issued one in every clock on each of its schedulers would come to "
            f"{count['issued M/s']:,.0f} million agent-ticks in a second; nothing here was measured on a GPU.",
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--count", action="store_true", help="count instructions, and leave rates as they are")
    parser.add_argument("--json", type=Path, default=RESULT)
    arguments = parser.parse_args()
    old = json.loads(arguments.json.read_text()) if arguments.json.exists() else {}
    if arguments.count:
        report = old | {"sm_90": {kind: counted(kind) for kind in ("tanh", "relu", "gru:32")}}
    else:
        threads = {name: os.environ.get(name, "") for name in ("HAMLET_THREADS", "OMP_NUM_THREADS")}
        report = old | facts("benchmarks/policies.py", "c") | {"threads": threads, "rates": measured(arguments.rounds)}
    arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    if "rates" in report and "sm_90" in report:
        arguments.json.with_suffix(".md").write_text(table(report))
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
