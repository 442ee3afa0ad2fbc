"""A model of what 1 to 1,024 GPUs do, from figures of one GPU and of a network: the table of docs/scale.md.

    python benchmarks/scale_model.py
    torchrun --standalone --nproc-per-node 2 benchmarks/scale_model.py --network

The first prints the table; nothing is measured. The second measures what two ranks on this machine take for an
all-reduce by gloo (NCCL where there are GPUs), to be put in the place of the assumed figures.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from statistics import median

import torch
import torch.distributed as dist

from hamlet import distributed

GPUS = (1, 8, 64, 256, 1024)
PER_NODE = 8
LANES = 1 << 20
"""Lanes of a rollout on each GPU."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the model is made of. Times in seconds, bandwidths in bytes per second.

    Attributes:
        step, rollout: agent-ticks per second of one H100 in the town, observing and not (docs/performance.md, a model
            from counted instructions).
        flops: operations per second that small matrices reach in training, assumed.
        near, far: seconds that a message takes inside a node and between nodes, assumed.
        near_bytes, far_bytes: what one GPU sends per second there: data sheets of NVLink 4 and of InfiniBand NDR.
        skew: the share by which the slowest of many GPUs is slower than the mean, for each doubling, assumed.
    """

    step: float = 5.0e9
    rollout: float = 83.9e9
    flops: float = 20e12
    near: float = 5e-6
    far: float = 10e-6
    near_bytes: float = 450e9
    far_bytes: float = 50e9
    skew: float = 0.002


@dataclass(frozen=True, slots=True)
class Learning:
    """An iteration of PPO on each GPU: lanes x steps, epochs of minibatches, and a network of so many weights."""

    lanes: int = 65536
    steps: int = 32
    epochs: int = 4
    minibatches: int = 4
    weights: int = 12_000


def reduce_seconds(figures: Figures, gpus: int, size: int) -> float:
    """An all-reduce of so many bytes: a tree for its latency, a ring for its bandwidth; nodes first, then between."""
    inside, nodes = min(gpus, PER_NODE), max(gpus // PER_NODE, 1)
    latency = 2 * (math.log2(inside) * figures.near + math.log2(nodes) * figures.far)
    near = 2 * (inside - 1) / inside * size / figures.near_bytes
    return latency + near + 2 * (nodes - 1) / nodes * size / figures.far_bytes


def waiting(figures: Figures, gpus: int) -> float:
    """How much longer the slowest takes."""
    return 1 + figures.skew * math.log2(gpus)


def environment(figures: Figures, gpus: int, lanes: int, ticks: int, gathered_bytes: int) -> tuple[float, float]:
    """Agent-ticks per second of a rollout, and the efficiency; from each GPU so many bytes are gathered, and counters
    are added up."""
    alone = lanes * ticks / figures.rollout
    gathered = gpus * gathered_bytes / figures.far_bytes if gpus > 1 else 0.0
    seconds = alone * waiting(figures, gpus) + gathered + reduce_seconds(figures, gpus, 8192)
    return gpus * lanes * ticks / seconds, alone / seconds


def training(figures: Figures, gpus: int, learning: Learning) -> tuple[float, float]:
    """Agent-ticks per second of an iteration, and the efficiency."""
    ticks = learning.lanes * learning.steps
    alone = ticks / figures.step + 2 * learning.weights * ticks * (1 + 3 * learning.epochs) / figures.flops
    updates = learning.epochs * learning.minibatches
    seconds = alone * waiting(figures, gpus) + updates * reduce_seconds(figures, gpus, 4 * learning.weights)
    return gpus * ticks / seconds, alone / seconds


def table(figures: Figures) -> str:
    """The rows of the page."""
    wide = Learning(weights=5_000_000)
    lines = [
        "| GPUs | rollout, telemetry | rollout, `gathered` | PPO, 12 k weights | PPO, 5 M weights |",
        "| --: | --: | --: | --: | --: |",
    ]
    for gpus in GPUS:
        found = (
            environment(figures, gpus, LANES, 1000, 0),
            environment(figures, gpus, LANES, 1000, 4 * LANES),
            training(figures, gpus, Learning()),
            training(figures, gpus, wide),
        )
        cells = (f"{rate:.3g} /s ({100 * share:.1f} %)" for rate, share in found)
        lines.append(f"| {gpus:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def network() -> None:
    """Print what an all-reduce takes here."""
    here = distributed.begin()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for size in (4, 48_000, 20_000_000):
        values, seconds = torch.zeros(size // 4, device=device), []
        for _ in range(21):
            dist.barrier()
            begin = time.perf_counter()
            dist.all_reduce(values)
            if device == "cuda":
                torch.cuda.synchronize()
            seconds.append(time.perf_counter() - begin)
        if here.number == 0:
            middle, least = 1e6 * median(seconds), 1e6 * min(seconds)
            print(f"{here.count} ranks, {size:,} bytes: {middle:,.0f} us (at least {least:,.0f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", action="store_true")
    if parser.parse_args().network:
        network()
    else:
        print(table(Figures()))


if __name__ == "__main__":
    main()
