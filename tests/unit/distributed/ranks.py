"""What the ranks of a test run, each a process: worlds that they share, and what they gather of them.

    torchrun --nproc-per-node 3 tests/unit/distributed/ranks.py PACKAGE RESULT [BACKEND]

Without `torchrun` one process has all worlds. Rank 0 writes the result, by `torch.save`.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Any

import torch

import hamlet
from hamlet import distributed

WORLDS = 23
"""No number of ranks that is tested divides it."""
AGENTS = 2
TICKS = 40


def found(package: Path, backend: str) -> dict[str, Any]:
    """What all ranks see together: state, counts, statistics of worlds and lanes, after steps and a rollout."""
    params = {"wage": torch.linspace(0, 0.5, WORLDS), "hunger": hamlet.Uniform(0.5, 4)}
    env = hamlet.make(
        hamlet.load(package), worlds=WORLDS, agents=AGENTS, shard="torchrun", seed=5, params=params, backend=backend
    )
    first, end = distributed.shard().bounds(WORLDS)
    actions = torch.randint(env.num_actions, (TICKS, WORLDS, AGENTS), generator=torch.Generator().manual_seed(1))
    records: list[object] = []
    with env.telemetry(every=25, to=records.append, gather=True):
        for each in actions[:4, first:end]:
            env.step(each)
        env.rollout(TICKS, actions[:, first:end])
    result = env.rollout(TICKS, per_world=True, per_lane=3).gathered()
    assert result.counts.lanes is not None
    lanes = dict(zip(("uses", "episodes", "lengths", "returns", "causes"), result.lanes.arrays, strict=True))
    return {
        "state": {name: distributed.gather(values) for name, values in env.state.items()},
        "observation": distributed.gather(env.observation.T),
        "records": [repr(record) for record in records],
        "mean return": result.mean_return(),
        "lengths": result.lengths(),
        "worlds": [result.world_episodes(), result.world_mean_length(), result.world_mean_return()],
        "lanes": lanes,
    }


def main(package: str, result: str, backend: str = "interpreter") -> None:
    """A rank."""
    values = found(Path(package), backend)
    if distributed.shard().number == 0:
        torch.save(values, result)


def forked(ranks: int, *arguments: str) -> None:
    """So many ranks, as processes that share what this one has imported: of this program, or of `hamletc sweep`."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = {"MASTER_ADDR": "localhost", "MASTER_PORT": str(free.getsockname()[1])}
    children = []
    for rank in range(ranks):
        child = os.fork()
        if child == 0:
            os.environ |= address | {"RANK": str(rank), "WORLD_SIZE": str(ranks)}
            if arguments[0] == "sweep":
                _hamletc(arguments)
            else:
                main(*arguments)
            sys.stdout.flush()
            os._exit(0)
        children.append(child)
    failed = [child for child in children if os.waitpid(child, 0)[1] != 0]
    if failed:
        sys.exit(f"{len(failed)} of {ranks} ranks failed")


def _hamletc(arguments: tuple[str, ...]) -> None:
    from hamletc.cli.main import main as hamletc

    sys.argv = ["hamletc", *arguments]
    try:
        hamletc()
    except SystemExit as end:
        if end.code:
            raise


if __name__ == "__main__":
    main(*sys.argv[1:])
