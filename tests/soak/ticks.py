"""Ten million ticks: no backend drifts from another, nothing is counted wrong, and memory stays what it was.

    python tests/soak/ticks.py [NAME ...] --ticks 10000000 --json benchmarks/results/soak_ticks.json

An environment makes every tick by a step, with telemetry; another one makes the same ticks by rollouts of any lengths.
At a hundred points on the way the interpreter takes over the state of the steps and makes the next ticks beside them;
then both environments have the same state, observations and masks, and what telemetry told is what the rollouts
counted. All of that is compared to the bit. The most memory that the process had is noted on the way: the warm-up may
raise it, and nothing after that.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path

import torch

import hamlet
from hamlet.backend.buffers import Statistics
from hamlet.env.act.results import Rollout
from hamlet.env.environment import Env
from hamlet.telemetry import Record

ROOT = Path(__file__).parents[2]
UNIVERSES = {
    "town": ("universes/town.hamlet", 1),
    "shifts": ("universes/shifts.hamlet", 1),
    "commons": ("universes/gallery/commons.hamlet", 16),
    "cartpole": ("universes/gallery/cartpole.hamlet", 1),
}
"""Sources, and agents of a world."""
LANES = 64
TAPE = 4096
"""Ticks whose actions are recorded; afterwards they begin anew."""
POINTS, BESIDE = 100, 50
"""How often everything is compared, and how many ticks the interpreter makes then."""
WARM_UP = 0.1
"""The part of the ticks in which memory may grow."""
MOST_GROWTH = 4.0
"""Megabytes: lists of the allocator and of Python's collector, whatever the number of ticks."""


@dataclass(slots=True)
class Soaked:
    """What was found of a universe.

    Attributes:
        ticks: how many each lane made by steps; the rollouts made as many.
        rollouts: how many they were.
        beside: how many of these ticks the interpreter made, too.
        values: how many numbers were compared.
        ends, uses: what telemetry told, in all lanes.
        differences: names of what was not equal, and the tick.
        megabytes: the most that the process had, after the warm-up and at the end.
        seconds: of CPU time.
    """

    universe: str
    ticks: int = 0
    rollouts: int = 0
    beside: int = 0
    values: int = 0
    ends: dict[str, int] = field(default_factory=dict)
    uses: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def steady(self) -> bool:
        """Whether memory stayed what it was after the warm-up."""
        return self.megabytes[-1] - self.megabytes[0] <= MOST_GROWTH

    def compare(self, one: dict[str, torch.Tensor], other: dict[str, torch.Tensor], tick: int) -> None:
        """Compare arrays by their bits."""
        if one.keys() != other.keys():
            self.differences.append(f"names at tick {tick}")
        for name, array in one.items():
            self.values += array.numel()
            if not torch.equal(_bits(array), _bits(other[name])):
                self.differences.append(f"{name} at tick {tick}")


def _bits(array: torch.Tensor) -> torch.Tensor:
    return array.contiguous().view(torch.uint8)


def _shown(env: Env) -> dict[str, torch.Tensor]:
    """The state, and what agents see of it."""
    assert env.observation is not None
    return {**env.state_dict()["state"], "observation": env.observation, "mask": env.action_mask}


@dataclass(frozen=True, slots=True)
class Tape:
    """Actions [ticks, lanes] i32 and controls [ticks, controls, lanes] f32, which begin anew after `TAPE` ticks."""

    actions: torch.Tensor
    controls: torch.Tensor

    @classmethod
    def drawn(cls, env: Env) -> Tape:
        draw = torch.Generator().manual_seed(1)
        shape = (TAPE, env.num_lanes)
        low, high = env.control_low[:, None], env.control_high[:, None]
        controls = torch.rand((TAPE, len(env.control_low), env.num_lanes), generator=draw) * (high - low) + low
        return cls(torch.randint(env.num_actions, shape, generator=draw, dtype=torch.int32), controls)

    def step(self, env: Env) -> dict[str, torch.Tensor]:
        """The next tick of an environment, and what it did."""
        at = env.tick % TAPE
        controls = self.controls[at] if len(env.control_low) else None
        _, reward, terminated, truncated, _ = env.step(self.actions[at], controls)
        return {"reward": reward, "terminated": terminated, "truncated": truncated}

    def rollout(self, env: Env, length: int, counts: Statistics | bool) -> Rollout:
        """So many ticks, all on the tape, by a rollout."""
        at = env.tick % TAPE
        rows = slice(at, at + length)
        controls = self.controls[rows] if len(env.control_low) else None
        return env.rollout(length, self.actions[rows], statistics=counts, controls=controls)


def _lengths(first: int, end: int, draw: random.Random) -> Iterator[int]:
    """Lengths of rollouts from a tick to another, none beyond the end of the tape."""
    while first < end:
        length = min(draw.randint(1, TAPE), end - first, TAPE - first % TAPE)
        yield length
        first += length


def soaked(name: str, ticks: int, compared: int = POINTS, beside: int = BESIDE) -> Soaked:
    """Play a universe for so many ticks; what was found, at so many points, with so many ticks of the interpreter."""
    path, agents = UNIVERSES[name]
    module, found, draw = hamlet.compile(ROOT / path), Soaked(name), random.Random(1)

    def made(backend: str) -> Env:
        return hamlet.make(module, worlds=LANES // agents, agents=agents, backend=backend, seed=1, quiet=True)

    stepped, rolled, interpreter = made("c"), made("c"), made("interpreter")
    tape, begun = Tape.drawn(stepped), time.process_time()
    counts: Statistics | bool = True

    def told(record: Record) -> None:
        for known, more in ((found.ends, record.ends), (found.uses, record.uses)):
            known.update({each: known.get(each, 0) + count for each, count in more.items()})

    points = [round(ticks * number / compared) for number in range(compared + 1)]
    with stepped.telemetry(every=max(1, ticks // compared), to=[told]) as telemetry:
        for first, end in pairwise(points):
            interpreter.load_state_dict(stepped.state_dict())
            for tick in range(first, end):
                done = tape.step(stepped)
                if tick < first + beside:
                    found.compare(done | _shown(stepped), tape.step(interpreter) | _shown(interpreter), tick)
                    found.beside += 1
            for length in _lengths(first, end, draw):
                played = tape.rollout(rolled, length, counts)
                counts = played.counts
                found.rollouts += 1
            telemetry.flush()
            found.compare(_shown(stepped), _shown(rolled), end)
            if (found.ends, found.uses) != (played.causes(), played.uses()):
                found.differences.append(f"counts at tick {end}")
            found.ticks = end
            if end >= ticks * WARM_UP:
                found.megabytes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    found.megabytes = [round(found.megabytes[0], 1), round(found.megabytes[-1], 1)]
    found.seconds = round(time.process_time() - begun, 1)
    return found


def table(all_found: list[Soaked], facts: dict[str, str]) -> str:
    """A page with what was found."""
    lines = [
        "# Ten million ticks",
        "",
        "Written by `make soak-ticks`, whose [text](../../tests/soak/ticks.py) says what is compared. With 64 lanes.",
        "",
        *(f"- {name}: {value}" for name, value in facts.items()),
        "",
        "| universe | ticks, by steps and by rollouts | rollouts | ticks of the interpreter | values compared "
        "| episodes | uses | differences | most memory after the warm-up, at the end | CPU s |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for each in all_found:
        happened = sum(each.ends.values()), sum(each.uses.values())
        numbers = [each.ticks, each.rollouts, each.beside, each.values, *happened]
        memory = " MB, ".join(f"{megabytes:.1f}" for megabytes in each.megabytes)
        cells = [each.universe, *(f"{number:,}" for number in numbers), str(len(each.differences)), f"{memory} MB"]
        lines.append("| " + " | ".join([*cells, f"{each.seconds:.0f}"]) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(UNIVERSES), help=", ".join(UNIVERSES))
    parser.add_argument("--ticks", type=int, default=10_000_000)
    parser.add_argument("--json", type=Path, help="where the result is written, and a page beside it")
    given = parser.parse_args()
    torch.set_num_threads(1)
    git = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    facts = {"commit": git.stdout.strip(), "python": platform.python_version(), "torch": torch.__version__}
    all_found = []
    for name in given.names:
        all_found.append(soaked(name, given.ticks))
        print(json.dumps(asdict(all_found[-1])), flush=True)
    if given.json:
        result = {"facts": facts, "universes": [asdict(each) for each in all_found]}
        given.json.write_text(json.dumps(result, indent=1) + "\n")
        given.json.with_suffix(".md").write_text(table(all_found, facts))
    return 0 if all(each.steady and not each.differences for each in all_found) else 1


if __name__ == "__main__":
    sys.exit(main())
