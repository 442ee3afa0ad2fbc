"""`hamletc replay`: does a pack give what was recorded from HAMLET's engine?"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    from hamlet.module import Module
    from hamlet.replay import Report

BACKENDS = ("interpreter", "numba", "triton")


@click.command()
@click.argument("pack", type=click.Path(path_type=Path))
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--backend", type=click.Choice(BACKENDS), default="interpreter", show_default=True, help="What runs it.")
@click.option("--steps", type=click.IntRange(min=1), help="Only so many steps of the trace.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def replay(ctx: click.Context, pack: Path, trace: Path, backend: str, steps: int | None, as_json: bool) -> None:
    """Take the recorded actions of TRACE (NAME.npz, with NAME.json beside it) in the universe of PACK (its folder, or a
    generated package), and compare every recorded stream bit for bit.

    Triton runs on the GPU, or without one under TRITON_INTERPRET=1. Exit code 0 if everything is equal and something
    was compared, 1 if something differs, 2 if the pack or the trace has errors.
    """
    from hamlet.errors import HamletError
    from hamletc.cli.show import show_diagnostics
    from hamletc.compile import SourceError

    try:
        report = _replayed(pack, trace, backend, steps)
    except SourceError as error:
        show_diagnostics(error.path, error.found)
        ctx.exit(2)
    except HamletError as error:
        click.echo(f"error: {error}", err=True)
        ctx.exit(2)
    click.echo(report.to_json() if as_json else report.render(), nl=not as_json)
    if not report.ok:
        ctx.exit(1)


def _replayed(pack: Path, trace: Path, backend: str, steps: int | None) -> Report:
    from hamlet.replay import read_trace
    from hamlet.replay import replay as compare
    from hamlet.replay.device import device_for

    recorded = read_trace(trace)
    device = device_for(backend)
    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder:
        return compare(_module(pack, Path(folder) / "package"), recorded, backend, device, steps)


def _module(pack: Path, folder: Path) -> Module:
    """The universe of a pack, compiled into a folder; or that of a generated package."""
    import hamlet
    from hamletc.cli.package import is_pack

    if pack.is_dir() and not is_pack(pack):
        return hamlet.load(pack)
    return hamlet.compile(pack, folder)
