"""From what a user calls a side to what runs it: `town.hamlet@c`, `generated/town@sm_90`, `pack@interpreter`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch

from hamlet.backend.choose import choose, start
from hamlet.backend.registry import backend_names
from hamlet.env.make import PLAIN
from hamlet.interpreter import Interpreter
from hamlet.native.drafts import without_drafts
from hamlet.package.manifest import plain
from hamlet.package.module import Module, load
from hamlet.universe import Universe
from hamlet_lab.divergence.compiled import Compiled, lowered, packaged, scheduled, specialised
from hamlet_lab.divergence.events import CPU, Candidate
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.divergence.kernels import kernels_of
from hamlet_lab.divergence.session import Side
from hamlet_lab.runners import ARCHITECTURES, EXECUTED, RUNNERS
from hamlet_lab.verify.recording import Playback, Recording, read_recording
from hamletc.compile import Options, build, build_checked, check_file
from hamletc.errors import CompileError
from hamletc.frontend import Stopwatch
from hamletc.kinds import expect, kind_of
from hamletc.package import write
from hamletc.targets.target import targets_for


@dataclass(frozen=True, slots=True)
class Spec:
    """The name of a side: a path (`None`: that of the other side) and a backend (`None`: the usual one)."""

    path: Path | None
    backend: str | None


def spec(text: str) -> Spec:
    """`PATH`, `PATH@BACKEND` or `@BACKEND`. An `@` that no backend follows belongs to the path.

    Raises:
        CompileError: no such path is there, but the part before the `@` is.
    """
    path, at, backend = text.rpartition("@")
    if at and (backend in RUNNERS or not path):
        return Spec(Path(path) if path else None, backend)
    if at and Path(path).exists() and not Path(text).exists():
        raise CompileError(f"there is no backend {backend!r}: take {', '.join(RUNNERS)}")
    return Spec(Path(text), None)


@dataclass(frozen=True, slots=True)
class Opened:
    """A universe that a user named, and whatever can run it.

    Attributes:
        name: what it is called in labels.
        package: its generated package for what runs it, a backend or another runner, compiled when it is asked for.
        texts: its sources by file name, as far as they are at hand.
        usual: the backend that runs it where none is named.
        recorded: the recorded run that was named, which nothing runs.
    """

    name: str
    universe: Universe
    package: Callable[[str], Module]
    texts: Mapping[str, str]
    usual: str = "interpreter"
    recorded: Side | None = None

    def side(self, backend: str | None = None, device: str | None = None) -> Side:
        """The side of one backend of the universe, or of a recording.

        Args:
            backend: by default the usual one.
            device: where the interpreter or kernels run, by default where they usually do.

        Raises:
            CompileError, ModuleError, EnvError: a file cannot be read, or a backend cannot run here.
        """
        if backend is None and self.recorded is not None:
            return self.recorded
        backend, universe = backend or self.usual, self.universe
        if device is not None and backend not in backend_names():
            names = ", ".join(backend_names())
            raise CompileError(f"{backend} is executed on the CPU: leave the device out, or take {names}")
        label = f"{self.name}@{backend}"
        if backend == "interpreter":
            place = choose("interpreter", device).device
            label += "" if place.type == "cpu" else f" on {place}"
            candidate = Candidate(Interpreter(universe, place), place)
            return Side(label, universe, candidate, _lowered(universe), self.texts)
        module = self.package(backend)
        if backend in EXECUTED:
            form = packaged(module)
            schedule = scheduled(module) if backend == "kernel" else None
            candidate = Candidate(Executed(universe, form.program, backend, schedule=schedule), CPU)
            return Side(label, universe, candidate, cache(lambda: Compiled((lowered(universe), form))), self.texts)
        capability = int(backend.removeprefix("sm_")) if backend in ARCHITECTURES else None
        target = "triton" if capability is not None else backend
        if capability is not None:
            (candidate,) = ptx_candidates(module, [capability])
        else:
            prepare([backend])
            choice = choose(backend, device)
            with without_drafts():
                candidate = Candidate(start(module, choice), choice.device)
            if candidate.backend.origin not in PLAIN:
                label += f" ({candidate.backend.origin})"

        @cache
        def compiled() -> Compiled:
            first, optimised = lowered(universe), packaged(module)
            special = specialised(optimised, universe, target)
            forms = (first, optimised) if special is optimised else (first, optimised, special)
            return Compiled(forms, kernels_of(module, special, target, candidate.device, capability))

        return Side(label, universe, candidate, compiled, self.texts)


def opened(path: Path, folder: Path) -> Opened:
    """A universe's text, a pack, a generated package, or a recorded run. What has to be compiled goes into `folder`.

    Raises:
        SourceError: the universe has errors.
        CompileError, ModuleError, EnvError: a file cannot be read.
    """
    match expect(path, "text", "sources", "package", "recorded run", "nothing"):
        case "recorded run":
            return opened_recording(path, read_recording(path), folder)
        case "package":
            return opened_package(path, load(path))
        case _:
            checked = check_file(path, Stopwatch())
            package = _written(lambda targets: build_checked(checked, Options(targets), Stopwatch()), folder)
            return Opened(path.name or str(path), checked.universe, package, _texts(path, checked.universe))


def opened_package(path: Path, module: Module) -> Opened:
    """A generated package, made of what stands at `path`."""
    return Opened(path.name or str(path), module.universe, lambda _: module, _texts(path, module.universe), "c")


def opened_recording(path: Path, recording: Recording, folder: Path) -> Opened:
    """A recorded run, and the universe that was recorded."""
    universe = recording.universe
    label = f"{path.name} ({recording.label})"
    recorded = Side(label, universe, Candidate(Playback(recording), CPU), _lowered(universe))
    package = _written(lambda targets: build(universe, Options(targets), Stopwatch()), folder)
    return Opened(universe.name, universe, package, {}, recorded=recorded)


def built(universe: Universe, folder: Path, runner: str) -> Module:
    """The package of a universe that was checked before, compiled into a folder for what runs it."""
    return _written(lambda targets: build(universe, Options(targets), Stopwatch()), folder)(runner)


def beside(universe: Universe, backend: str, folder: Path) -> Side:
    """The side that runs a universe that was checked before, or a variant of one; what is compiled goes into a
    folder."""
    return Opened(universe.name, universe, lambda runner: built(universe, folder, runner), {}).side(backend)


def open_side(path: Path, backend: str | None, folder: Path) -> Side:
    """The side that `PATH@BACKEND` names; see `opened` and `Opened.side`."""
    return open_sides([Spec(path, backend)], folder)[0]


def open_sides(specs: Sequence[Spec], folder: Path) -> list[Side]:
    """The sides that specs name, of which at least one has a path."""
    paths = list(dict.fromkeys(spec.path for spec in specs if spec.path is not None))
    for each in specs:
        if each.path is not None and each.backend is not None and kind_of(each.path) == "recorded run":
            raise CompileError(f"{each.path} is a recorded run: nothing runs it, so that @{each.backend} means nothing")
    named = {path: opened(path, folder / str(number)) for number, path in enumerate(paths)}
    return [named[each.path or paths[0]].side(each.backend) for each in specs]


def prepare(backends: Iterable[str]) -> None:
    """Without CUDA, Triton's kernels run in its own interpreter. It has to be told before it is imported."""
    if "triton" in backends and not torch.cuda.is_available():
        os.environ["TRITON_INTERPRET"] = "1"


def ptx_candidates(module: Module, capabilities: Sequence[int]) -> list[Candidate]:
    """The PTX of a package's kernels for these compute capabilities (90: sm_90), executed on the CPU."""
    if not capabilities:
        return []
    from hamlet_lab.ptx.backend import PtxBackend

    kernels = module.kernels("triton")
    return [Candidate(PtxBackend(module.universe, kernels, capability), CPU) for capability in capabilities]


def _written(files: Callable[[tuple[str, ...]], Mapping[str, bytes]], folder: Path) -> Callable[[str], Module]:
    """A package that is compiled for a runner when somebody asks: with kernels of the usual targets, and of that."""

    @cache
    def package(targets: tuple[str, ...]) -> Module:
        own = folder.with_name(f"{folder.name}-{'-'.join(targets)}")
        write(files(targets), own)
        return load(own)

    return lambda runner: package(targets_for([runner]))


def _lowered(universe: Universe) -> Callable[[], Compiled]:
    """Of what runs a universe as it is there is the first program."""
    return cache(lambda: Compiled((lowered(universe),)))


def _texts(path: Path, universe: Universe) -> dict[str, str]:
    """The sources of a universe by the names that it has for them."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    by_name = {plain(file.name): file for file in files}
    sources = {name: by_name[name] for name in universe.sources if name in by_name}
    return {name: file.read_text(encoding="utf-8", errors="replace") for name, file in sources.items()}
