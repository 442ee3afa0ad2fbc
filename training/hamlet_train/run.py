"""The folder of a training, and what it says about itself.

manifest.json               what is trained, how, with which versions; at the end the SHA-256 of the weights
package/                    the generated package of the universe
progress.jsonl              a line per update
checkpoints/*.safetensors   everything that determines how the training goes on
policy.safetensors          the weights at the end
curve.png, episode.gif      what came out
"""

from __future__ import annotations

import json
import math
import platform
import shutil
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from hamlet.package.module import Module, load
from hamlet.regular import read_regular
from hamlet.strict_json import parsed
from hamlet_train.errors import TrainError
from hamlet_train.files import write_whole
from hamlet_train.ppo import Progress
from hamlet_train.settings import Settings

FORMAT = 1
PACKAGES = ("hamletc", "torch", "numba", "llvmlite", "numpy", "safetensors")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `manifest.json` says.

    Attributes:
        universe, digest, source: its name, the SHA-256 of its `universe.json`, and the path that it was compiled from.
        command: the arguments of the first process that trained.
        versions: of Python and of the packages that compute.
        worlds, agents, seed, ticks: of the training; ticks are those of all agents together.
        settings: of PPO.
        weights: the SHA-256 of the parameters at the end, see `Learned.digest`; `None` while it goes on.
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
    weights: str | None = None

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
    def checkpoints(self) -> Path:
        return self.folder / "checkpoints"

    def read(self) -> Manifest:
        """The manifest.

        Raises:
            TrainError: there is none, or a damaged one.
        """
        path = self.folder / "manifest.json"
        try:
            said: dict[str, Any] = parsed(read_regular(path))
            known = said.pop("format")
            if known == FORMAT:
                settings = said["settings"]
                of_ppo = Settings(**settings | {"hidden": tuple(settings["hidden"])})
                return Manifest(**said | {"settings": of_ppo, "command": tuple(said["command"])})
        except OSError as error:
            raise TrainError(f"{self.folder} is no folder of a training: it has no manifest.json") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise TrainError(f"{path} is no manifest of a training, or a damaged one") from error
        raise TrainError(f"{path} has format {known}, and this hamletc reads {FORMAT}")

    def write(self, manifest: Manifest) -> None:
        """Write the manifest."""
        text = json.dumps({"format": FORMAT, **asdict(manifest)}, indent=2)
        write_whole(self.folder / "manifest.json", f"{text}\n".encode())

    def finish(self, manifest: Manifest, weights: str) -> None:
        """Note the weights at the end."""
        self.write(replace(manifest, weights=weights))

    def lines(self) -> list[Progress]:
        """All updates so far."""
        try:
            text = (self.folder / "progress.jsonl").read_text()
        except OSError:
            return []
        # A process that was killed may have left half a line.
        return [_progress(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def keep_lines(self, updates: int) -> list[Progress]:
        """Forget the updates after these, which are done once more; those that are left."""
        kept = self.lines()[:updates]
        write_whole(self.folder / "progress.jsonl", "".join(map(line_of, kept)).encode())
        return kept

    def add_line(self, progress: Progress) -> None:
        """Note an update."""
        with (self.folder / "progress.jsonl").open("a") as file:
            file.write(line_of(progress))


def line_of(progress: Progress) -> str:
    """An update as a line of JSON, the same whenever and wherever it was computed."""
    said = {name: None if value != value else value for name, value in asdict(progress).items()}
    return json.dumps(said) + "\n"


def _progress(line: str) -> Progress:
    said: dict[str, Any] = json.loads(line)
    whole: dict[str, Any] = {name: math.nan if value is None else value for name, value in said.items()}
    return Progress(**whole)


def versions() -> dict[str, str]:
    """Those of what computes."""
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
