"""A training once more from its manifest, held to what was noted of it."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet.package.module import load
from hamlet_train.errors import TrainError
from hamlet_train.ppo import Progress, digest_of
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, Run, versions
from hamlet_train.training import Watch, begun


@dataclass(frozen=True, slots=True)
class Repeated:
    """The result of a repetition.

    Attributes:
        updates: how many were compared.
        weights: the SHA-256 of the parameters at the end.
        differs: the first update that differs, as it was noted and as it is here; `None` where all are equal.
        versions: what is of another version here, a line each.
    """

    updates: int
    weights: str
    differs: tuple[Progress, Progress] | None
    versions: list[str]


def repeat(run: Run, manifest: Manifest, threads: int, watch: Watch) -> Repeated:
    """Train again until something differs, or as far as was noted.

    Raises:
        TrainError: the run noted no updates, or has the package of another universe.
        ModuleError: its package was changed.
    """
    module, noted = load(run.package), run.lines()
    if module.digest != manifest.digest:
        raise TrainError(f"{run.package} is another universe than manifest.json says")
    if not noted:
        raise TrainError(f"{run.folder} has no update to compare with")
    training = begun(module, manifest, Ranks(), threads, run.opponents(module, manifest.opponents))
    crews, others = len(training.crews), _others(manifest)
    updates, last = len(noted) // crews, {line.role: line.weights for line in noted}
    whole = updates == (manifest.ended or manifest.updates) and digest_of(last) == manifest.weights
    if manifest.weights is not None and not whole:
        raise TrainError(f"progress.jsonl and manifest.json of {run.folder} say different things")
    for update in range(updates):
        for line, here in zip(noted[update * crews :], training.advance(), strict=False):
            watch.updated(here)
            if here.weights != line.weights:
                return Repeated(here.update, here.weights, (line, here), others)
    return Repeated(updates, training.digest(), None, others)


def _others(manifest: Manifest) -> list[str]:
    here = versions()
    return [
        f"{name} is {here.get(name, 'none')} here, and was {version}"
        for name, version in manifest.versions.items()
        if here.get(name) != version
    ]
