"""`hamletc sweep`: many variants of a universe at once, and a table of what happened in each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamletc.cli.policy import player_of, policy_option
from hamletc.errors import CompileError

if TYPE_CHECKING:
    from hamlet_lab.sweep.grid import Grid
    from hamlet_lab.sweep.run import Numbers, Trial
    from hamlet_lab.sweep.table import Table

PATH = click.Path(path_type=Path)


@click.command()
@click.argument("universe", type=PATH)
@click.option("--param", "param", multiple=True, metavar="NAME=VALUES",
              help="FROM:TO:COUNT[:log] or NUMBER,NUMBER,... Repeatable: all combinations.")  # fmt: skip
@policy_option()
@click.option("--ticks", type=click.IntRange(1, 2**31 - 1), default=1000, show_default=True, help="For how long.")
@click.option("--worlds", type=click.IntRange(min=1), default=1, show_default=True, help="Worlds of each variant.")
@click.option(
    "--agents", type=click.IntRange(min=1), default=None, help="In each world; by default 1, or as roles say."
)
@click.option("--independent", is_flag=True, help="Worlds of other random numbers for each variant.")
@click.option("--out", type=PATH, help="Write the table there: .csv, or .parquet, which needs pyarrow.")
@click.option("--plot", type=PATH, help="Write a PNG there: of one or two params that vary.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--backend", default="auto", show_default=True, help="auto, triton, c or interpreter.")
@click.option("--device", help="cpu, cuda, cuda:1, ...; by default what the backend runs on.")
def sweep(
    universe: Path,
    param: tuple[str, ...],
    policy: str,
    ticks: int,
    worlds: int,
    agents: int | None,
    independent: bool,
    out: Path | None,
    plot: Path | None,
    seed: int,
    backend: str,
    device: str | None,
) -> None:
    """Run variants of UNIVERSE (a file, or a generated package) that differ in their params, all side by side.

    The table has a row for each variant: its params, how many episodes ended, mean, median and quartiles of their
    returns and of lives, and what share each affordance has in all uses and each cause in all ends.

    All variants have the same worlds, so rows differ by their params and not by chance, and a row says the same
    wherever it stands in the table.

    Under `torchrun` every rank runs a part of the variants, and rank 0 writes the same table.
    """
    from time import perf_counter

    from rich.console import Console

    from hamlet import distributed
    from hamlet.schema.roles import fewest_agents
    from hamlet_lab.sweep.grid import grid
    from hamlet_lab.sweep.picture import check_drawable, draw
    from hamlet_lab.sweep.run import Trial
    from hamlet_lab.sweep.table import SHOWN, WIDTH, printed, write, writer
    from hamletc.cli.package import open_package

    chosen = player_of(policy)
    # What rank 0 compiles the others find.
    module = distributed.one_after_another(lambda: open_package(universe))
    chosen.check(module)
    variants = grid(param, module.universe)
    agents = agents or fewest_agents(module.universe)
    if out is not None:
        writer(out)
    if plot is not None:
        check_drawable(variants)
    begin = perf_counter()
    numbers: Numbers = "independent" if independent else "common"
    table = swept(Trial(module, worlds, agents, ticks, seed, backend, device, chosen, numbers), variants)
    seconds = perf_counter() - begin
    if distributed.shard().number > 0:
        return
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = WIDTH
    lanes = variants.variants * worlds * agents
    if out is None:
        console.print(printed(table, module.universe, [axis.name for axis in variants.axes]))
        if variants.variants > SHOWN:
            console.print(f"... and {variants.variants - SHOWN:,} more: --out writes all of them")
    console.print(f"{module.name}: {variants.variants:,} variants, {lanes * ticks:,} agent-ticks")
    console.print(f"time   {seconds:.1f} s")
    if out is not None:
        write(table, out)
        click.echo(f"table  {out}")
    if plot is not None:
        draw(f"{module.name}: {variants.variants:,} variants, {ticks:,} ticks each", variants, table, plot)
        click.echo(f"plot   {plot}")


def swept(trial: Trial, grid: Grid) -> Table:
    """The whole table.

    Raises:
        CompileError: it does not fit into memory, or `measure` raises it.
    """
    import numpy as np
    import torch

    from hamlet import distributed
    from hamlet.system import exceeds_memory
    from hamlet_lab.sweep.run import measure
    from hamlet_lab.sweep.table import columns, row_bytes
    from hamletc.cli.progress import progress_of

    universe = trial.module.universe
    # The table is in memory twice when its parts are put together.
    needed = 2 * grid.variants * row_bytes(universe, len(grid.axes))
    if exceeds_memory(needed):
        raise CompileError(
            f"a table of {grid.variants:,} variants takes {needed >> 30:,} GiB, more memory than this machine has: "
            "take fewer values"
        )
    part = distributed.begin()
    if part.count > grid.variants:
        raise CompileError(f"{grid.variants:,} variants cannot be split over {part.count:,} ranks: start fewer")
    first, end = part.bounds(grid.variants)
    parts, done = [], 0
    with progress_of(f"{universe.name}: {grid.variants:,} variants") as tell:
        for measured in measure(trial, grid.values, end - first, first):
            part_of_table = columns(universe, measured)
            parts.append(part_of_table)
            done += len(part_of_table["episodes"])
            tell(done / (end - first))
    own = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    # In the order of ranks, so in that of variants.
    of_variants = {name: distributed.gather(torch.from_numpy(column)).numpy() for name, column in own.items()}
    return dict(grid.values(0, grid.variants)) | of_variants
