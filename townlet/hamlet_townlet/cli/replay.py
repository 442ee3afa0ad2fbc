"""`hamletc replay`: does a universe give what was recorded, by `hamletc record` or from HAMLET's engine?"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamlet.backend.registry import backend_names
from hamlet.terminal import visible_lines
from hamlet_lab.runners import RUNNERS
from hamlet_townlet.frontend import is_trace
from hamletc.cli.policy import player_of, policy_option
from hamletc.errors import CompileError
from hamletc.kinds import EPISODE, RECORDED, expect, kind_of

if TYPE_CHECKING:
    from hamlet.env.replay import Replay
    from hamlet.package.module import Module
    from hamlet_lab.verify import Comparison
    from hamlet_townlet.traces import TraceReplay


@click.command()
@click.argument("universe", type=click.Path(path_type=Path), metavar="[UNIVERSE]")
@click.argument("run", type=click.Path(path_type=Path), required=False, metavar="RUN")
@click.option("--backend", type=click.Choice(RUNNERS), default="interpreter", show_default=True, help="What runs it.")
@click.option("--device", help="cpu, cuda, cuda:1, ...; by default what the backend runs on.")
@click.option("--steps", type=click.IntRange(min=1), help="Only so many steps of the run.")
@policy_option("Hold the actions of an episode to those of a policy", None)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def replay(
    ctx: click.Context,
    universe: Path,
    run: Path | None,
    backend: str,
    device: str | None,
    steps: int | None,
    policy: str | None,
    as_json: bool,
) -> None:
    """Take the recorded actions of RUN in UNIVERSE, and compare everything that was recorded bit for bit, up to the
    first difference.

    RUN is what `hamletc record` wrote, a run (NAME.npz) or an episode (NAME.episode), and UNIVERSE a text, a pack, a
    generated package, or left out: then it is the one that was recorded. An episode is refused for another universe.
    Or RUN is a trace of HAMLET's engine (NAME.npz, with NAME.json beside it), and UNIVERSE its
    pack or the package of that. Neither an episode nor a trace is replayed by ir and sm_80, ...

    With --policy the actions of an episode have to be those that the policy takes: whoever shows an episode shows then
    who played it.

    Triton runs on the GPU, or without one under TRITON_INTERPRET=1. Exit code 0 if everything is equal and something
    was compared, 1 if something differs, 2 if the universe or the run has errors.
    """
    from hamlet.errors import HamletError
    from hamletc.cli.show import show_diagnostics
    from hamletc.errors import SourceError

    if run is None and kind_of(universe) not in ("recorded run", "episode"):
        if not universe.exists() and universe.suffix in (RECORDED, EPISODE):
            raise click.UsageError(f"{universe} does not exist.")
        raise click.UsageError("Missing argument 'RUN'.")
    try:
        report = _replayed(universe, run, backend, device, steps)
        other = None if policy is None else _other(universe, run, policy)
    except SourceError as error:
        show_diagnostics(error.path, error.found)
        ctx.exit(2)
    except HamletError as error:
        click.echo(f"error: {error}", err=True)
        ctx.exit(2)
    click.echo((report.to_json() if as_json else visible_lines(report.render())).rstrip("\n"))
    if policy is not None:
        acts = (
            f"every action is that of {policy}" if other is None else f"{policy} acts otherwise first in tick {other}"
        )
        click.echo(acts, err=as_json)
    if not report.ok or other is not None:
        ctx.exit(1)


def _replayed(
    universe: Path, run: Path | None, backend: str, device: str | None, steps: int | None
) -> TraceReplay | Comparison | Replay:
    if run is None:
        again = _recorded if kind_of(universe) == "recorded run" else _episode
        return again(None, universe, backend, device, steps)
    expect(universe, "text", "sources", "package", "nothing")
    if is_trace(run):
        return _trace(universe, run, backend, device, steps)
    if expect(run, "recorded run", "episode") == "episode":
        return _episode(universe, run, backend, device, steps)
    return _recorded(universe, run, backend, device, steps)


def _recorded(universe: Path | None, run: Path, backend: str, device: str | None, steps: int | None) -> Comparison:
    """A run of `hamletc record` beside one of the universe now; `None`: the recorded one."""
    from rich.console import Console

    from hamlet_lab.diff.diff import diff
    from hamlet_lab.diff.open import opened, opened_recording
    from hamlet_lab.verify import QUICK
    from hamlet_lab.verify.recording import read_recording

    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder, Console(stderr=True).status("replaying"):
        recording = read_recording(run)
        package = Path(folder) / "package"
        recorded = opened_recording(run, recording if steps is None else recording.first(steps), package)
        side = recorded if universe is None else opened(universe, package)
        return diff(recorded.side(), side.side(backend, device), QUICK, 0)


def _episode(universe: Path | None, run: Path, backend: str, device: str | None, steps: int | None) -> Replay:
    """An episode of `hamletc record --world`, run again; `None`: in the universe that was recorded."""
    import hamlet
    from hamlet.env.keep.episode import Episode
    from hamlet_lab.diff.open import built, opened, prepare

    if backend not in backend_names():
        raise CompileError(f"{run} is an episode, which {', '.join(backend_names())} replay, not {backend}")
    episode = Episode.load(run)
    prepare([backend])
    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder:
        package = Path(folder) / "package"
        module = (
            built(episode.universe, package, backend)
            if universe is None
            else opened(universe, package).package(backend)
        )
        return hamlet.replay(episode, module, backend, device, steps)


def _other(universe: Path, run: Path | None, policy: str) -> int | None:
    """The first tick in which a policy acts otherwise than in an episode."""
    from hamlet.env.keep.episode import Episode
    from hamlet.env.replay import first_other
    from hamlet_lab.diff.open import built, opened

    recorded = universe if run is None else run
    if kind_of(recorded) != "episode":
        raise CompileError(f"--policy is about an episode, and {recorded} is none")
    episode, player = Episode.load(recorded), player_of(policy)
    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder:
        package = Path(folder) / "package"
        here = run is None
        module = built(episode.universe, package, "c") if here else opened(universe, package).package("interpreter")
        return first_other(episode, module, player.of)


def _trace(pack: Path, trace: Path, backend: str, device: str | None, steps: int | None) -> TraceReplay:
    import torch

    from hamlet_lab.diff.open import prepare
    from hamlet_townlet.traces import read_trace
    from hamlet_townlet.traces import replay as compare

    if backend not in backend_names():
        raise CompileError(f"{trace} is a trace of HAMLET, which {', '.join(backend_names())} replay, not {backend}")
    recorded = read_trace(trace)
    prepare([backend])
    place = "cuda" if backend == "triton" and torch.cuda.is_available() else "cpu"
    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder:
        return compare(_module(pack, Path(folder) / "package"), recorded, backend, device or place, steps)


def _module(pack: Path, folder: Path) -> Module:
    """The universe of a pack, compiled into a folder; or that of a generated package."""
    import hamlet

    return hamlet.load(pack) if kind_of(pack) == "package" else hamlet.compile(pack, folder)
