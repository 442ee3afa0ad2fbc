"""From what a user calls a side to what runs it: `town.hamlet@numba`, `generated/town@sm_90`, `pack@interpreter`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hamlet.backend.choose import choose, start
from hamlet.backend.registry import backend_names
from hamlet.interpreter import Interpreter
from hamlet.package.manifest import plain
from hamlet.package.module import Module, kernels_file, load
from hamlet.universe import Universe
from hamlet_lab.diff import Contender, numba_taps, triton_taps
from hamlet_lab.diff.evaluated import Evaluated
from hamlet_lab.diff.forms import Form, lowered, packaged, specialised
from hamlet_lab.diff.generated import Generated, generated
from hamlet_lab.diff.kernel import Kernels
from hamlet_lab.diff.match import CPU
from hamlet_lab.diff.recording import Playback, read_recording
from hamlet_lab.diff.side import Side
from hamlet_lab.diff.taps import run_numba_tap, run_triton_tap
from hamlet_lab.runners import ARCHITECTURES, RUNNERS
from hamlet_lab.verify import Candidate
from hamlet_lab.verify.candidates import candidates, ptx_candidates
from hamletc.compile import Checked, Options, build, build_checked, check_file
from hamletc.errors import CompileError
from hamletc.frontend import Stopwatch
from hamletc.ir.evaluate import Array
from hamletc.ir.ops import Value
from hamletc.kinds import expect
from hamletc.package import write
from hamletc.targets.body import Body


@dataclass(frozen=True, slots=True)
class Spec:
    """What a user calls a side: a path (`None`: that of the other side) and a backend (`None`: the usual one)."""

    path: Path | None
    backend: str | None


def spec(text: str) -> Spec:
    """`PATH`, `PATH@BACKEND` or `@BACKEND`. An `@` that no backend follows belongs to the path."""
    path, at, backend = text.rpartition("@")
    if at and (backend in RUNNERS or not path):
        return Spec(Path(path) if path else None, backend)
    return Spec(Path(text), None)


def open_side(path: Path, backend: str | None, folder: Path, device: str | None = None) -> Side:
    """A side. What has to be compiled for it is written into `folder`.

    Args:
        path: of a universe's text, a pack, a generated package, or a recorded run.
        backend: by default the interpreter, and the numba kernels of a package.
        device: where the interpreter or kernels run, by default where they usually do.

    Raises:
        SourceError: the universe has errors.
        CompileError, ModuleError, EnvError: a file cannot be read, or a backend cannot run here.
    """
    match expect(path, "text", "sources", "package", "recorded run", "nothing"):
        case "recorded run":
            if backend is not None:
                raise CompileError(f"{path} is a recorded run: nothing runs it, so that @{backend} means nothing")
            return open_recorded(path)
        case "package":
            module = load(path)
            return _side(path, backend or "numba", module.universe, module, {}, device)
        case _:
            checked = check_file(path, Stopwatch())
            texts = _texts(path, checked)
            if backend in (None, "interpreter"):
                return _side(path, "interpreter", checked.universe, None, texts, device)
            write(build_checked(checked, Options(), Stopwatch()), folder)
            return _side(path, backend or "interpreter", checked.universe, load(folder), texts, device)


def again(recorded: Side, backend: str, folder: Path, device: str | None = None) -> Side:
    """A side that runs the universe of a recorded run now. What has to be compiled for it is written into `folder`.

    Raises:
        CompileError, EnvError: a backend cannot run here, or not on this device.
    """
    universe = recorded.universe
    module = None
    if backend != "interpreter":
        write(build(universe, Options(), Stopwatch()), folder)
        module = load(folder)
    return _side(Path(universe.name), backend, universe, module, {}, device)


def open_recorded(path: Path, steps: int | None = None) -> Side:
    """A recorded run, or its first so many steps.

    Raises:
        EnvError: the file is no recorded run.
    """
    recording = read_recording(path)
    if steps is not None:
        recording = recording.first(steps)
    label = f"{path.name} ({recording.label})"
    contender = Contender(label, recording.universe, Candidate(Playback(recording), CPU), recording)
    return Side(contender, (lowered(recording.universe),), None, False, {})


def _side(
    path: Path, backend: str, universe: Universe, module: Module | None, texts: Mapping[str, str], device: str | None
) -> Side:
    if device is not None and backend not in backend_names():
        raise CompileError(
            f"{backend} is executed on the CPU: leave the device out, or take {', '.join(backend_names())}"
        )
    first = lowered(universe)
    forms: tuple[Form, ...] = (first,)
    kernels = None
    if module is None or backend == "interpreter":
        place = choose("interpreter", device).device
        candidate = Candidate(Interpreter(universe, place), place)
    elif backend == "ir":
        forms = first, packaged(module)
        candidate = Candidate(Evaluated(universe, forms[-1].program, "ir"), CPU)
    else:
        capability = int(backend.removeprefix("sm_")) if backend in ARCHITECTURES else None
        target: str = "numba" if backend == "numba" else "triton"
        if capability is not None:
            (candidate,) = ptx_candidates(module, [capability])
        elif device is not None:
            choice = choose(target, device)
            candidate = Candidate(start(module, choice), choice.device)
        else:
            (candidate,) = candidates(module, [target])
        optimised = packaged(module)
        special = specialised(optimised, universe, target)
        forms = (first, optimised) if special is optimised else (first, optimised, special)
        kernels = _kernels(
            module, special, target, partial(run_triton_tap, device=candidate.device, capability=capability)
        )
    label = f"{path.name or path}@{backend}"
    return Side(Contender(label, universe, candidate), forms, kernels, backend == "interpreter", texts)


def _kernels(module: Module, form: Form, target: str, run_triton: Callable[..., Array]) -> Kernels:
    """The kernels of a package, as text whose lines can be looked at."""
    file = kernels_file(target)
    source = module.sources[file].decode()
    tapped, run = (numba_taps.tapped, run_numba_tap) if target == "numba" else (triton_taps.tapped, run_triton)

    def tap(
        wanted: Generated, printed: Body, lines: Collection[Value], inputs: list[Array | str]
    ) -> tuple[list[Value], Array]:
        text, rows = tapped(source, wanted, printed, lines)
        lanes = next(len(item) for item in inputs if not isinstance(item, str))
        return rows, run(text, inputs, len(rows), lanes)

    return Kernels(file, source, form.program, generated if target == "numba" else triton_taps.functions, tap)


def _texts(path: Path, checked: Checked) -> dict[str, str]:
    """The sources of a universe by the names that it has for them."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    names = {plain(file.name): file for file in files}
    wanted = {name: names[name] for name in checked.universe.sources if name in names}
    return {name: file.read_text(encoding="utf-8", errors="replace") for name, file in wanted.items()}
