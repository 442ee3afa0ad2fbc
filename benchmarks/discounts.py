"""The default discount in universes that pay for an end alone, and what the same rule would do in others.

    python benchmarks/discounts.py
    python benchmarks/discounts.py gallery/cellars --results /tmp

Each universe is trained by five seeds with a discount of 0.998, a view of 500 ticks, and by the same seeds with one of
1 - 1 / lifespan; all else is as `hamletc train` has it. Writes discounts.json and discounts.md into `--results` after
each training; those that are there already are not done again.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from facts import ROOT, facts

from hamlet.package.module import Module
from hamlet_train.evaluate import environment, played
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, open_universe
from hamlet_train.settings import Settings, usual_of
from hamlet_train.training import begun

RESULTS = Path(__file__).parent / "results"
SEEDS, EPISODES, WORLD_SEED = 5, 400, 7_000_001
STUDENT = 2.776
"""Standard errors of a 95 % interval of the mean of five differences."""


@dataclass(frozen=True, slots=True)
class Size:
    """Agent-ticks and worlds of a training."""

    ticks: int = 1_000_000
    worlds: int = 256


UNIVERSES = {
    "ports/minigrid_lava_gap_s7": Size(2_000_000, 1024),
    "gallery/cellars": Size(),
    "ports/frozen_lake": Size(),
    "ports/minigrid_four_rooms": Size(),
    "ports/frozen_lake_8x8": Size(),
    "ports/minigrid_empty_8x8": Size(),
    "gallery/moss": Size(),
    "gallery/combo": Size(),
    "gallery/alarm": Size(),
    "gallery/cold_night": Size(),
    "gallery/kata": Size(),
    "gallery/market": Size(),
    "gallery/thermostat": Size(),
}
"""First those that pay for an end alone and last less than 500 ticks, then some that pay otherwise: the rule leaves
their default as it is."""


def returned(module: Module, size: Size, discount: float, seed: int) -> float:
    """The mean return of a policy after a training, in worlds that no training has."""
    manifest = Manifest(
        universe=module.name,
        digest=module.digest,
        source="",
        command=(),
        versions={},
        worlds=size.worlds,
        agents=1,
        seed=seed,
        ticks=size.ticks,
        settings=replace(Settings(), discount=discount),
    )
    training = begun(module, manifest, Ranks(), 1)
    while training.update < manifest.updates:
        training.advance()
    lifespan = module.universe.lifespan
    assert lifespan is not None
    episodes = played(environment(module, EPISODES, 1, WORLD_SEED), training.policies(), 1, ticks=lifespan.ticks)
    return float(np.mean(episodes.returns))


def shown(values: dict[str, float]) -> str:
    """The mean of the returns of all seeds, with the least and the greatest."""
    every = list(values.values())
    return f"{statistics.fmean(every):.4g} ({min(every):.4g} to {max(every):.4g})" if every else ""


def gained(line: dict[str, Any]) -> str:
    """The mean difference that the rule makes, with its 95 % interval over seeds."""
    seeds = [seed for seed in line["usual"] if seed in line["lifespan"]]
    if len(seeds) < SEEDS:
        return ""
    every = [line["lifespan"][seed] - line["usual"][seed] for seed in seeds]
    half = STUDENT * statistics.stdev(every) / math.sqrt(len(every))
    return f"{statistics.fmean(every):+.3g} ± {half:.2g}"


def table(lines: dict[str, Any], about: dict[str, str]) -> str:
    """The page."""
    parts = [
        "# Discounts by lifespans",
        "",
        f"`{about['command']}`: {about['machine']}, {about['versions']}, commit {about['commit']}.",
        "",
        f"Mean returns of {EPISODES} first episodes, in worlds that no training has; in brackets those of the worst",
        f"and the best of {SEEDS} seeds. *Gain*: the mean difference between trainings with the same seed, and its",
        "95 % interval. *Default*: that of `hamletc train`, 1 - 1 / lifespan where agents are paid for an end alone.",
        "",
        "| universe | agent-ticks, worlds | lifespan | discount 0.998 | 1 - 1 / lifespan | gain | default |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    for name, line in lines.items():
        both = shown(line["usual"]), shown(line["lifespan"])
        sizes = f"{line['ticks']:,}, {line['worlds']:,}"
        parts.append(
            f"| {name} | {sizes} | {line['life']} | {' | '.join(both)} | {gained(line)} | {line['default']:.4g} |"
        )
    return "\n".join([*parts, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("universes", nargs="*", help=f"of {', '.join(UNIVERSES)}; by default all")
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    path = arguments.results / "discounts.json"
    lines: dict[str, Any] = json.loads(path.read_text())["lines"] if path.exists() else {}
    about = facts("benchmarks/discounts.py", "c") | {"command": shlex.join(["python", *sys.argv])}
    for name in arguments.universes or UNIVERSES:
        size, module = UNIVERSES[name], open_universe(ROOT / "universes" / f"{name}.hamlet")
        lifespan = module.universe.lifespan
        assert lifespan is not None
        sizes = {"ticks": size.ticks, "worlds": size.worlds, "life": lifespan.ticks}
        lines.setdefault(name, {"usual": {}, "lifespan": {}})
        lines[name] |= sizes | {"default": usual_of(module.universe).discount}
        for seed in map(str, range(SEEDS)):
            for kind, discount in (("usual", Settings().discount), ("lifespan", 1 - 1 / lifespan.ticks)):
                if seed not in lines[name][kind]:
                    lines[name][kind][seed] = returned(module, size, discount, int(seed))
                    print(f"{name}, discount {discount:.4g}, seed {seed}: {lines[name][kind][seed]:.4g}", flush=True)
                ordered = {each: lines[each] for each in UNIVERSES if each in lines}
                path.write_text(f"{json.dumps({'facts': about, 'lines': ordered}, indent=1)}\n")
                (arguments.results / "discounts.md").write_text(table(ordered, about))


if __name__ == "__main__":
    main()
