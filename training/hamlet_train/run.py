"""The folder of a training, and what it says about itself.

manifest.json               what is trained, how, with which versions; at the end the SHA-256 of the weights
package/                    the generated package of the universe
opponents/                  policies of other runs that play as they are
progress.jsonl              a line per update
evaluations.jsonl           a line per evaluation: how good the policy was, and first of all how good random actions are
checkpoints/*.safetensors   everything that determines how the training goes on
policy.safetensors          the weights at the end; policy-ROLE.safetensors where each role has a policy
curve.png, episode.gif      what came out
report.html                 the report
seeds/SEED/                 the same training with another seed, a folder like this one
"""

from __future__ import annotations

import json
import math
import platform
import shutil
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from hamlet.errors import shown
from hamlet.package.module import Module, load
from hamlet.regular import read_regular
from hamlet.strict_json import parsed
from hamlet_train.errors import TrainError
from hamlet_train.evaluation import Evaluated
from hamlet_train.files import remove_parts, write_whole
from hamlet_train.policy import Policy, filename, read_all
from hamlet_train.ppo import Progress
from hamlet_train.remembering import check_memory
from hamlet_train.schedule import Change, Schedule, check_changes, read_changes
from hamlet_train.settings import Settings, read_settings

FORMAT = 1
PLOT = "meters.png"
"""The plot that `hamletc run` writes into a folder of the same name."""
NUMBERS = {
    "worlds": (1, 2**24),
    "agents": (1, 2**24),
    "seed": (0, 2**64 - 1),
    "ticks": (1, 2**63 - 1),
    "gradient_norm": (0, 2**31 - 1),
    "past": (0, 2**16),
    "patience": (0, 2**16),
    "ended": (0, 2**63 - 1),
}
"""The whole numbers of a manifest, and where they lie."""
TEXTS = ("weights", "role")
"""The entries of a line of `progress.jsonl` that are no numbers."""
OPTIONAL = ("role", "stages")
"""The entries that lines of trainings without roles, and without stages, have not."""
PACKAGES = ("hamletc", "torch", "numpy", "safetensors")

Line = TypeVar("Line")


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of `manifest.json`.

    Attributes:
        universe, digest, source: its name, the SHA-256 of its `universe.json`, and the path that it was compiled from.
        command: the arguments of the first process that trained.
        versions: of Python and of the packages that compute.
        worlds, agents, seed, ticks: of the training; ticks are those of all agents together.
        settings: of PPO.
        gradient_norm: updates from one whose norm of the gradient is noted to the next; 0: it is never noted.
        shared: whether all roles learn one policy, as they do in a universe without roles.
        opponents: by role, the SHA-256 of the parameters of policies that play as they are; `Run.opponent` has them.
        past: how many past selves of those who learn play too, at most.
        params: of worlds, as `hamlet_train.variety` reads them; of a distribution each world draws once.
        until: the mean at which it ends, see `hamlet_train.budget.Aim`; patience: after how many evaluations without a
            better return it ends, never if 0.
        ended: the last update of a training that has ended before all were done; 0 of others.
        weights: the SHA-256 of the parameters at the end, see `Learned.digest`; `None` while it goes on.
        changes: of settings while it learns, as a tuning of a population leaves them.
    """

    universe: str
    digest: str
    source: str
    command: tuple[str, ...]
    versions: dict[str, str]
    worlds: int
    agents: int
    seed: int
    ticks: int
    settings: Settings
    gradient_norm: int = 0
    shared: bool = True
    opponents: dict[str, str] = field(default_factory=dict)
    past: int = 0
    params: tuple[str, ...] = ()
    until: str | None = None
    patience: int = 0
    ended: int = 0
    weights: str | None = None
    changes: tuple[Change, ...] = ()

    @property
    def schedule(self) -> Schedule:
        """The settings of each update."""
        return Schedule(self.settings, self.changes)

    @property
    def updates(self) -> int:
        """How many updates there are."""
        return max(math.ceil(self.ticks / (self.worlds * self.agents * self.settings.horizon)), 1)


@dataclass(frozen=True, slots=True)
class Run:
    """The folder of a training."""

    folder: Path

    @property
    def package(self) -> Path:
        return self.folder / "package"

    @property
    def begun(self) -> bool:
        """Whether there is a manifest, which is written when everything else is there that a training needs."""
        return (self.folder / "manifest.json").exists()

    @property
    def hardly_begun(self) -> bool:
        """Whether no training has begun there: nothing is there but a package, of one that was killed before there was
        a manifest, and the plot of `hamletc run`, which has the same folder."""
        return (
            not self.begun
            and self.folder.is_dir()
            and all(path.name in ("package", PLOT) or path.name.startswith(".") for path in self.folder.iterdir())
        )

    @property
    def checkpoints(self) -> Path:
        return self.folder / "checkpoints"

    def opponent(self, role: str) -> Path:
        """The file with the policy of a role that plays as it is."""
        return self.folder / "opponents" / filename(role)

    def opponents(self, module: Module, digests: Mapping[str, str]) -> dict[str | None, Policy]:
        """The policies that play as they are, by role; `digests` are the SHA-256 of the parameters of each.

        Raises:
            TrainError: a file is not there, or is another one.
        """
        policies: dict[str | None, Policy] = {}
        for role, sha in digests.items():
            path = self.opponent(role)
            policy = next(iter(read_all(path, module).values()))
            if not isinstance(policy, Policy) or policy.digest() != sha:
                raise TrainError(f"{path} is another policy than {self.folder}/manifest.json says")
            policies[role] = policy
        return policies

    @property
    def seeds(self) -> Path:
        """The folder with a run for each further seed, by that number."""
        return self.folder / "seeds"

    def remove_parts(self) -> None:
        """Remove what a process that was killed left half-written."""
        for folder in (self.folder, self.checkpoints):
            remove_parts(folder)

    def read(self) -> Manifest:
        """The manifest.

        Raises:
            TrainError: there is none, or a damaged one, or one that no training wrote.
        """
        path = self.folder / "manifest.json"
        try:
            said = parsed(read_regular(path))
        except OSError as error:
            raise TrainError(f"{self.folder} is no folder of a training: it has no manifest.json") from error
        except ValueError as error:
            raise TrainError(f"{path} is no manifest of a training, or a damaged one") from error
        if not isinstance(said, dict) or "format" not in said:
            raise TrainError(f"{path} is no manifest of a training, or a damaged one")
        if said["format"] != FORMAT:
            raise TrainError(f"{path} has format {shown(said['format'])}, and this hamletc reads {FORMAT}")
        try:
            return _manifest(said)
        except ValueError as error:
            raise TrainError(f"{path} is no manifest of a training, or a damaged one: {error}") from error

    def write(self, manifest: Manifest) -> None:
        """Write the manifest."""
        said = asdict(manifest)
        if not manifest.changes:
            del said["changes"]
        text = json.dumps({"format": FORMAT, **said}, indent=2)
        write_whole(self.folder / "manifest.json", f"{text}\n".encode())

    def finish(self, manifest: Manifest, weights: str, ended: int = 0) -> None:
        """Note the weights at the end, and the last update if it has come early."""
        self.write(replace(manifest, weights=weights, ended=ended))

    def lines(self) -> list[Progress]:
        """All updates so far.

        Raises:
            TrainError: a line is none of a training.
        """
        return self._read("progress.jsonl", progress_of)

    def keep_lines(self, updates: int) -> list[Progress]:
        """Forget the updates after these, which are done once more; those that are left."""
        lines = [line for line in self.lines() if line.update <= updates]
        write_whole(self.folder / "progress.jsonl", "".join(map(line_of, lines)).encode())
        return lines

    def add_line(self, progress: Progress) -> None:
        """Note an update."""
        self._add("progress.jsonl", line_of(progress))

    def evaluations(self) -> list[Evaluated]:
        """All evaluations so far, that of random actions first.

        Raises:
            TrainError: a line is none of a training.
        """
        return self._read("evaluations.jsonl", Evaluated.read)

    def keep_evaluations(self, updates: int) -> list[Evaluated]:
        """Forget evaluations after so many updates, which are done once more; those that are left."""
        evaluations = [each for each in self.evaluations() if each.update <= updates]
        text = "".join(map(line_of_evaluation, evaluations))
        write_whole(self.folder / "evaluations.jsonl", text.encode())
        return evaluations

    def add_evaluation(self, evaluated: Evaluated) -> None:
        """Note an evaluation."""
        self._add("evaluations.jsonl", line_of_evaluation(evaluated))

    def _add(self, name: str, line: str) -> None:
        with (self.folder / name).open("a") as file:
            file.write(line)

    def _read(self, name: str, read: Callable[[dict[str, Any]], Line]) -> list[Line]:
        path, lines = self.folder / name, list[Line]()
        try:
            text = path.read_text()
        except OSError:
            return []
        except ValueError as error:
            raise TrainError(f"{path} is no text of a training") from error
        for number, line in enumerate(text.splitlines(keepends=True), 1):
            # A process that was killed may have left half a line.
            if line.endswith("\n"):
                try:
                    said = json.loads(line)
                    if not isinstance(said, dict):
                        raise TypeError("a line is an object of JSON")
                    lines.append(read(said))
                except (ValueError, TypeError, KeyError, RecursionError) as error:
                    raise TrainError(f"{path}, line {number}: it is none that a training writes") from error
        return lines


def line_of(progress: Progress) -> str:
    """An update as a line of JSON, the same whenever and wherever it was computed."""
    return _line({name: value for name, value in asdict(progress).items() if name not in OPTIONAL or value is not None})


def line_of_evaluation(evaluated: Evaluated) -> str:
    """An evaluation as a line of JSON."""
    return _line({name: value for name, value in asdict(evaluated).items() if name != "kinds" or value})


def _line(said: dict[str, Any]) -> str:
    return json.dumps({name: None if value != value else value for name, value in said.items()}) + "\n"


def progress_of(said: dict[str, Any]) -> Progress:
    """An update from JSON, in which `null` is a number that there is not.

    Raises:
        TypeError: it is none.
    """
    stages = said.pop("stages", None)
    if stages is not None and not (isinstance(stages, dict) and all(type(each) is int for each in stages.values())):
        raise TypeError("stages are numbers of worlds by name")
    whole: dict[str, Any] = {name: math.nan if value is None else value for name, value in said.items()}
    if not all(isinstance(value, str if name in TEXTS else (int, float)) for name, value in whole.items()):
        raise TypeError("an update is numbers, and the SHA-256 of weights")
    return Progress(**whole, stages=stages)


def _manifest(said: dict[str, Any]) -> Manifest:
    """A manifest from JSON.

    Raises:
        ValueError: an entry lacks, is unknown or is not what it must be.
    """
    values = {name: value for name, value in said.items() if name != "format"}
    members = {each.name: each for each in fields(Manifest)}
    for name in values:
        if name not in members:
            raise ValueError(f"it has an entry {shown(name)}")
    for name, each in members.items():
        if name not in values and each.default is MISSING and each.default_factory is MISSING:
            raise ValueError(f"it has no {name}")
    for name, (low, high) in NUMBERS.items():
        number = values.get(name, low)
        if type(number) is not int or not low <= number <= high:
            raise ValueError(f"{name} is a whole number in {low} .. {high}, not {shown(number)}")
    params, until = values.get("params", []), values.get("until")
    if not isinstance(params, list) or not isinstance(until, str | None):
        raise ValueError("params are a list of texts, and until is one")
    texts = [*params, until or "", values["universe"], values["digest"], values["source"], values.get("weights") or ""]
    if not isinstance(values.get("shared", True), bool):
        raise ValueError("shared is true or false")
    opponents = values.get("opponents", {})
    if not isinstance(opponents, dict) or not all(
        isinstance(sha, str) and role.isidentifier() for role, sha in opponents.items()
    ):
        raise ValueError("opponents are SHA-256 by role")
    if not isinstance(values["versions"], dict) or not isinstance(values["command"], list):
        raise ValueError("versions are by name, and the command is a list")
    for text in (*texts, *values["versions"], *values["versions"].values()):
        if not isinstance(text, str) or not text.isprintable():
            raise ValueError(f"this is no text for it: {shown(text)}")
    settings = read_settings(values["settings"])
    check_memory(settings)
    changes = read_changes(values.get("changes", []))
    check_changes(settings, changes)
    tuples: dict[str, Any] = {"command": tuple(map(str, values["command"])), "params": tuple(params)}
    tuples["changes"] = changes
    return Manifest(**values | {"settings": settings, **tuples})


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that compute."""
    return {"python": platform.python_version()} | {name: _version(name) for name in PACKAGES}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"


def packaged(universe: Path, folder: Path) -> Module:
    """The package of a universe, a text, a pack or a generated package, written into a folder.

    Raises:
        CompileError: it cannot be read or has errors.
    """
    from hamletc.cli.show import count_warnings
    from hamletc.compile import Options, build_checked, check_file
    from hamletc.frontend import Stopwatch
    from hamletc.kinds import expect
    from hamletc.package import write

    if expect(universe, "text", "sources", "package", "nothing") == "package":
        load(universe)
        shutil.copytree(universe, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        return load(folder)
    stopwatch = Stopwatch()
    checked = check_file(universe, stopwatch)
    count_warnings(checked)
    write(build_checked(checked, Options(), stopwatch), folder)
    return load(folder)


def open_universe(universe: Path) -> Module:
    """The package of a universe, which is written into the user's cache.

    Raises:
        CompileError: it cannot be read or has errors.
    """
    from hamletc.compile import compile_file
    from hamletc.kinds import expect

    if expect(universe, "text", "sources", "package", "nothing") == "package":
        return load(universe)
    return compile_file(universe, None, lambda _warnings: None)
