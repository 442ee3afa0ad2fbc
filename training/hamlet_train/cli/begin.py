"""The run that `hamletc train` begins, or goes on with."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from hamlet.package.module import Module, load
from hamlet_train.beside import opponents_of, past_of, write_opponents
from hamlet_train.budget import Aim
from hamlet_train.cli.defaults import TICKS, WORLDS
from hamlet_train.cli.options import folder_of, settings_of, threads_of
from hamlet_train.crews import crew_sizes, crews_of
from hamlet_train.devices import Device
from hamlet_train.errors import TrainError
from hamlet_train.exact.compiled import kernels
from hamlet_train.gpu.allowed import check_device, check_training
from hamlet_train.groups import Groups
from hamlet_train.past import check_past
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, Run, packaged, versions
from hamlet_train.settings import OF_OPTIONS, Settings, usual_of
from hamlet_train.training import begun
from hamlet_train.variety import params_of

TRIAL = 2.0
"""Seconds of updates by which a rate is measured."""
SPENT = 0.95
"""Of the time that updates take: the rest is that of evaluations and checkpoints."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of the user; `None` and an empty `settings` where nothing was said."""

    ticks: int | None
    worlds: int | None
    agents: int | None
    seed: int | None
    settings: tuple[str, ...]
    gradient_norm: int | None = None
    shared: bool = False
    opponents: tuple[str, ...] = ()
    against: str | None = None
    params: tuple[str, ...] = ()
    minutes: float | None = None
    until: str | None = None
    patience: int | None = None
    threads: int | None = None
    memory: str | None = None
    critic: str | None = None
    team: bool = False
    device: Device = "cpu"


def opened(universe: Path, name: str, arguments: Arguments, resume: bool, ranks: Ranks) -> tuple[Run, Module, Manifest]:
    """The run, its universe and its manifest. The first process writes them; the others wait and read.

    Raises:
        TrainError: there is such a run already, or none to go on with, or it is another one.
        CompileError: the universe cannot be read or has errors.
    """
    return opened_in(Run(folder_of(name)), universe, arguments, resume, ranks)


def opened_in(
    run: Run, universe: Path, arguments: Arguments, resume: bool, ranks: Ranks
) -> tuple[Run, Module, Manifest]:
    """The same for the folder of a run."""
    if ranks.first:
        # What is restarted before it wrote a manifest begins once more.
        if resume or (ranks.restarted and run.begun):
            _check_same(run, universe, arguments)
        else:
            _begin(run, universe, arguments, ranks.restarted, threads_of(arguments.threads), ranks.size)
        run.remove_parts()
    ranks.wait()
    return run, load(run.package), run.read()


def name_of(universe: Path) -> str:
    """The name of a run unless it is given another."""
    return universe.resolve().name.removesuffix(".hamlet")


def asked_settings(arguments: Arguments, usual: Settings) -> Settings:
    """The usual settings with those that the arguments change.

    Raises:
        TrainError: one is none, or is out of range.
    """
    settings = settings_of(arguments.settings, arguments.memory, usual)
    return replace(settings, critic=int(arguments.critic == "world"), team=int(arguments.team))


def ticks_in(
    minutes: float, run: Run, module: Module, manifest: Manifest, threads: int, processes: int, device: Device
) -> int:
    """How many agent-ticks this machine trains in so many minutes, by the rate of a few updates that nothing is kept
    of: from then on the training is that of so many ticks."""
    opponents = run.opponents(module, manifest.opponents)
    trial = begun(module, replace(manifest, ticks=TICKS), Ranks(), threads, opponents, device)
    trial.advance()
    begin, first = monotonic(), trial.update
    while trial.update == first or monotonic() - begin < TRIAL:
        trial.advance()
    each = manifest.worlds * manifest.agents * manifest.settings.horizon
    rate = (trial.update - first) * each / (monotonic() - begin) * processes * SPENT
    return max(int(rate * 60 * minutes) // each, 1) * each


def _begin(run: Run, universe: Path, arguments: Arguments, again: bool, threads: int, processes: int) -> None:
    """Write the package and the manifest, both or none; nothing where kernels cannot be compiled."""
    from hamlet.env.make import checked_shape, make

    if run.folder.exists() and not again and not run.hardly_begun:
        raise TrainError(f"{run.folder} exists: take --resume to go on with it, or another --name")
    if arguments.minutes is not None and arguments.ticks is not None:
        raise TrainError("--minutes and --ticks both say how long it trains: take one of them")
    settings, past = asked_settings(arguments, Settings()), past_of(arguments.against)
    check_device(arguments.device)
    kernels()
    try:
        module = packaged(universe, run.package)
        settings = asked_settings(arguments, usual_of(module.universe))
        shape = checked_shape(module.universe, arguments.worlds or WORLDS, arguments.agents, 0)
        opponents = opponents_of(arguments.opponents, module)
        if arguments.shared and (opponents or past):
            raise TrainError("--shared has all roles learn one policy: leave it out, or --opponent and --against")
        if past:
            sizes = crew_sizes(module.universe, shape.agents, arguments.shared)
            check_past(len(sizes) - len(opponents), Groups.of_crews(shape.worlds, sizes)[0])
        if shape.agents == 1 and (settings.critic or settings.team):
            raise TrainError("--critic world and --team are for worlds of several agents: give --agents")
        params_of(arguments.params, module.universe)
        # Whoever cannot learn is told so before there is a run.
        crews_of(make(module, worlds=1, agents=shape.agents, backend="interpreter", quiet=True), arguments.shared)
        if arguments.until is not None:
            Aim.of(arguments.until, [role.name for role in module.universe.roles or ()])
        manifest = Manifest(
            universe=module.name,
            digest=module.digest,
            source=str(universe),
            command=tuple(sys.argv),
            versions=versions(),
            worlds=shape.worlds,
            agents=shape.agents,
            seed=arguments.seed or 0,
            ticks=arguments.ticks or TICKS,
            settings=settings,
            gradient_norm=arguments.gradient_norm or 0,
            shared=arguments.shared or not module.universe.roles,
            opponents=write_opponents(run, opponents),
            past=past,
            params=arguments.params,
            until=arguments.until,
            patience=arguments.patience or 0,
        )
        if arguments.device == "cuda":
            check_training(manifest)
        if arguments.minutes is not None:
            ticks = ticks_in(arguments.minutes, run, module, manifest, threads, processes, arguments.device)
            manifest = replace(manifest, ticks=ticks)
        run.write(manifest)
    except BaseException:
        shutil.rmtree(run.folder, ignore_errors=True)
        raise


def _check_same(run: Run, universe: Path, arguments: Arguments) -> None:
    """Raise `TrainError` unless the run is the one that is asked for."""
    manifest = run.read()
    for name in ("ticks", "worlds", "agents", "seed", "gradient_norm"):
        value, has, said = getattr(arguments, name), getattr(manifest, name), name.replace("_", "-")
        if value is not None and value != has:
            raise TrainError(f"{run.folder} has {said} {has}, not {value}: leave out --{said}, or take another --name")
    if arguments.minutes is not None:
        raise TrainError(f"{run.folder} has ticks {manifest.ticks}: leave out --minutes, or take another --name")
    for name, said in (("params", "param"), ("until", "until"), ("patience", "patience")):
        value = getattr(arguments, name)
        if value and value != getattr(manifest, name):
            raise TrainError(f"{run.folder} has another {said}: leave out --{said}, or take another --name")
    if arguments.shared and not manifest.shared:
        raise TrainError(f"{run.folder} has a policy for each role: leave out --shared, or take another --name")
    if arguments.against and past_of(arguments.against) != manifest.past:
        raise TrainError(f"{run.folder} has past:{manifest.past}: leave out --against, or take another --name")
    if arguments.opponents:
        opponents = opponents_of(arguments.opponents, load(run.package))
        if {role: policy.digest() for role, policy in opponents.items()} != manifest.opponents:
            raise TrainError(f"{run.folder} has other opponents: leave out --opponent, or take another --name")
    memory = arguments.memory or (f"gru:{manifest.settings.memory}" if manifest.settings.memory else None)
    if arguments.memory and settings_of((), memory).memory != manifest.settings.memory:
        raise TrainError(f"{run.folder} has another memory: leave out --memory, or take another --name")
    for name, asked in (("critic", arguments.critic == "world"), ("team", arguments.team)):
        if asked and not getattr(manifest.settings, name):
            raise TrainError(f"{run.folder} is trained without --{name}: leave it out, or take another --name")
    options = {name: getattr(manifest.settings, name) for name in OF_OPTIONS}
    usual = usual_of(load(run.package).universe)
    if arguments.settings and replace(settings_of(arguments.settings, memory, usual), **options) != manifest.settings:
        raise TrainError(f"{run.folder} has other settings: leave out --set, or take another --name")
    if digest_of(universe) != manifest.digest:
        raise TrainError(f"{run.folder} trains another universe, or another version of {manifest.universe}")


def digest_of(universe: Path) -> str:
    """The SHA-256 of what a universe says.

    Raises:
        CompileError: it cannot be read or has errors.
    """
    from hamlet.package.manifest import sha256
    from hamlet.universe.codec import to_json
    from hamletc.compile import check_file
    from hamletc.frontend import Stopwatch
    from hamletc.kinds import expect

    if expect(universe, "text", "sources", "package", "nothing") == "package":
        return load(universe).digest
    return sha256(to_json(check_file(universe, Stopwatch()).universe).encode())
