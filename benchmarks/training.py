"""What training costs, part by part, and the price of a stated order: the same update in PyTorch.

    python benchmarks/training.py --json benchmarks/results/training.json --markdown benchmarks/results/training.md

Three things take turns in one run, on the town with 1,024 worlds: acting for 32 ticks; the update of `hamletc train` (2
epochs of 16 minibatches: forward, backward, Adam, the order of samples and advantages included); and epochs of the same
size by PyTorch, with the same network, loss and optimiser, on the same minibatches. A sample is a round; the table has
medians, and the least and the greatest. Times are those of the processor, all threads together, so that what else runs
on the machine counts little.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent))

from facts import facts

from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, packaged
from hamlet_train.settings import Settings
from hamlet_train.training import Training, begun

ROOT = Path(__file__).parents[1]
TOWN = ROOT / "universes" / "town.hamlet"


class TorchUpdate:
    """The epochs of an update by PyTorch."""

    def __init__(self, training: Training) -> None:
        (self._crew,) = training.crews
        self._settings = self._crew.learner.settings
        sizes = self._crew.learner.network.sizes
        layers: list[torch.nn.Module] = []
        for inputs, outputs in pairwise(sizes):
            layers += [torch.nn.Linear(inputs, outputs), torch.nn.Tanh()]
        self._network = torch.nn.Sequential(*layers[:-1])
        self._adam = torch.optim.Adam(self._network.parameters(), lr=self._settings.rate, eps=1e-8)

    def __call__(self) -> None:
        store, settings = self._crew.store, self._settings
        x = torch.from_numpy(store.inputs).flatten(0, 1)[:, : self._crew.learner.network.inputs]
        masks = torch.from_numpy(store.masks).flatten(0, 1).bool()
        actions = torch.from_numpy(store.actions).flatten().long()
        before, gained = (torch.from_numpy(each).flatten() for each in (store.chances, store.advantages))
        aims = gained + torch.from_numpy(store.values[:, :-1].copy()).flatten()
        gains = (gained - gained.mean()) / (gained.std() + 1e-8)
        for _ in range(settings.epochs):
            for taken in torch.randperm(len(x)).chunk(settings.minibatches):
                self._learn(x[taken], masks[taken], actions[taken], before[taken], gains[taken], aims[taken])

    def _learn(self, x: Any, masks: Any, actions: Any, before: Any, gains: Any, aims: Any) -> None:
        settings = self._settings
        rows = self._network(x)
        chances = rows[:, :-1].masked_fill(~masks, -1e30).log_softmax(dim=1)
        ratio = (chances.gather(1, actions.unsqueeze(1)).squeeze(1) - before).exp()
        paid = torch.minimum(ratio * gains, ratio.clamp(1 - settings.clip, 1 + settings.clip) * gains)
        entropy = -(chances.exp() * chances).sum(dim=1)
        loss = (
            -paid.mean() - settings.entropy * entropy.mean() + settings.value * 0.5 * (rows[:, -1] - aims).pow(2).mean()
        )
        self._adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), settings.norm)
        self._adam.step()


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the processor, and of the clock."""
    begin, clock = process_time(), perf_counter()
    work()
    return process_time() - begin, perf_counter() - clock


def measure(rounds: int, worlds: int, threads: int) -> dict[str, Any]:
    torch.set_num_threads(threads)
    settings = Settings()
    with tempfile.TemporaryDirectory() as folder:
        module = packaged(TOWN, Path(folder) / "package")
        ticks = worlds * settings.horizon * 10_000
        manifest = Manifest("town", module.digest, str(TOWN), (), {}, worlds, 1, 1, ticks, settings)
        training = begun(module, manifest, Ranks(), threads)
        (crew,) = training.crews
        sides = {
            "acting": training.collect,
            "update": lambda: crew.learner.update(crew.store),
            "update by PyTorch": TorchUpdate(training),
        }
        for work in sides.values():
            work()
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
        for _ in range(rounds):
            for name, work in sides.items():
                times[name].append(timed(work))
    samples = worlds * settings.horizon
    return {
        "facts": facts("benchmarks/training.py", "c"),
        "load": os.getloadavg()[0],
        "worlds": worlds,
        "threads": threads,
        "samples": samples,
        "seconds": {name: [each for each, _ in found] for name, found in times.items()},
        "clock": {name: [each for _, each in found] for name, found in times.items()},
    }


def table(found: dict[str, Any]) -> str:
    samples, seconds = found["samples"], found["seconds"]
    lines = [
        f"# Training: the town, {found['worlds']:,} worlds, {found['threads']} thread(s)",
        "",
        "Microseconds of the processor per tick of an agent.",
        f"{found['facts']['machine']}; {found['facts']['versions']};",
        f"load of the machine: {found['load']:.1f}. `{found['facts']['command']}`",
        "",
        "| part | median | least | greatest |",
        "|---|--:|--:|--:|",
    ]
    for name, values in seconds.items():
        each = [value / samples * 1e6 for value in values]
        lines.append(f"| {name} | {median(each):.2f} | {min(each):.2f} | {max(each):.2f} |")
    ours, theirs = (median(seconds[name]) for name in ("update", "update by PyTorch"))
    whole = [a + b for a, b in zip(seconds["acting"], seconds["update"], strict=True)]
    lines += [
        "",
        f"An update in the stated order takes {ours / theirs:.2f} times the processor time of PyTorch's. Acting and "
        f"learning together make {samples / median(whole):,.0f} ticks of agents in a second of one processor.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    found = measure(given.rounds, given.worlds, given.threads)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    if given.markdown:
        given.markdown.write_text(table(found))
    print(table(found))


if __name__ == "__main__":
    main()
