"""The town in JAX on a GPU (peers/jax_town.py), beside the town of `hamletc`, in one run:

    python benchmarks/gpu_jax.py --json benchmarks/results/gpu_jax.json

Both play at random for 64 ticks, with and without the observations of every tick, and take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from installed import as_installed

ROOT = Path(__file__).resolve().parent.parent
TICKS = 64
ROUNDS = 7


def in_jax(lanes: int, observing: bool) -> Callable[[], None]:
    """A rollout by XLA."""
    import jax
    import jax.numpy as jnp

    sys.path.insert(0, str(ROOT / "benchmarks" / "peers"))
    import jax_town

    seed = jnp.array([1, 2], jnp.uint32)
    kept: dict[str, Any] = {"state": jax_town.start(lanes, seed), "tick": 0}
    kept["shown"] = jnp.zeros((jax_town.OBSERVED, lanes if observing else 1), jnp.float32)

    def rollout() -> None:
        first = jnp.uint32(kept["tick"])
        state, outcome, shown = jax_town.rollout(kept["state"], kept["shown"], seed, first, TICKS, observing)
        jax.block_until_ready((state, outcome, shown))
        kept.update(state=state, shown=shown, tick=kept["tick"] + TICKS)

    return rollout


def in_hamletc(lanes: int, observing: bool) -> Callable[[], None]:
    """A rollout by Triton's kernel."""
    import torch

    import hamlet

    env = hamlet.make(
        hamlet.load(ROOT / "generated" / "town"),
        worlds=lanes,
        device="cuda",
        backend="triton",
        seed=1,
        obs_dtype="float32" if observing else None,
        validate=False,
        quiet=True,
        launch="step",
        tune="off",
    )

    def rollout() -> None:
        env.rollout(TICKS, observe=observing, statistics=False)
        torch.cuda.synchronize()

    return rollout


def main() -> int:
    """Exit code 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True, help="where to write")
    parser.add_argument("--commit", help="hash of the commit, where git cannot say it")
    arguments = parser.parse_args()
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    with tempfile.TemporaryDirectory() as cache:
        os.environ |= {"TRITON_CACHE_DIR": cache, "XDG_CACHE_HOME": cache}
        as_installed(Path(cache) / "installed")
        import jax
        import torch
        from gpu_parts import facts

        jax.config.update("jax_enable_x64", True)
        machine = facts(torch.device("cuda"), arguments.commit) | {"jax": jax.__version__}
        machine["jax device"] = str(jax.devices()[0])
        rows: list[dict[str, Any]] = []
        for lanes in (1 << 20, 1 << 16, 1 << 12):
            for observing in (False, True):
                calls = {"jax": in_jax(lanes, observing), "hamletc": in_hamletc(lanes, observing)}
                rates: dict[str, list[float]] = {name: [] for name in calls}
                for turn in range(ROUNDS + 1):
                    for name, call in calls.items():
                        begin = time.perf_counter()
                        call()
                        if turn:
                            rates[name].append(lanes * TICKS / (time.perf_counter() - begin))
                ratios = [one / other for one, other in zip(rates["hamletc"], rates["jax"], strict=True)]
                rows.append(
                    {"lanes": lanes, "observing": observing, "rates": rates, "ratio": statistics.median(ratios)}
                )
                arguments.json.write_text(json.dumps({"facts": machine, "rows": rows}, indent=2) + "\n")
                median = {name: f"{statistics.median(each) / 1e9:.3f} G/s" for name, each in rates.items()}
                print(lanes, observing, median, f"{min(ratios):.1f} to {max(ratios):.1f} times", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
