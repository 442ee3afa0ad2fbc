"""Reading a pack: nine YAML files to one `Pack`, or to diagnostics that say where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from hamlet.universe import Span
from hamlet_townlet.pack import (
    ACTIONS,
    FILES,
    Affordance,
    Aspatial,
    Bars,
    Continuous,
    CustomAction,
    Pack,
    Substrate,
    Training,
    Variable,
    deployed_affordances,
)
from hamlet_townlet.reader.events import compose
from hamlet_townlet.reader.fields import refer
from hamlet_townlet.reader.nodes import MapNode, Node
from hamlet_townlet.reader.read_actions import read_actions, substrate_actions
from hamlet_townlet.reader.read_affordances import check_deployment, check_room, read_affordances
from hamlet_townlet.reader.read_bars import read_bars, read_cues
from hamlet_townlet.reader.read_cascades import read_cascades
from hamlet_townlet.reader.read_rewards import Names, read_rewards, variables_of
from hamlet_townlet.reader.read_substrate import read_substrate
from hamlet_townlet.reader.read_training import read_training
from hamlet_townlet.reader.read_variables import (
    automatic_variables,
    check_encoding,
    check_unread,
    check_variables,
    read_variables,
)
from hamlet_townlet.reader.report import PackFindings
from hamletc.diagnostics import Diagnostic, FileDiagnostics, diagnose
from hamletc.language.source import Source, read_source
from hamletc.suggest import closest

T = TypeVar("T")


class _Reading:
    """The files of a pack while they are read: a report and a tree for each."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.reports = {name: PackFindings(self.path(name), file) for file, name in enumerate(FILES)}
        self.nodes = {name: _load(report) for name, report in self.reports.items()}

    def path(self, name: str) -> Path:
        path = self.directory / name
        above = self.directory.resolve().parent / name
        return above if name == ACTIONS and not _is_there(path) and _is_there(above) else path

    def read(self, name: str, reader: Callable[[PackFindings, Node], T]) -> T | None:
        """What a file says; `None` where it cannot be read, or has an error."""
        report, node = self.reports[name], self.nodes[name]
        if node is None:
            return None
        result = reader(report, node)
        return None if report.failed else result

    def results(self) -> tuple[FileDiagnostics, ...]:
        return tuple(result for report in self.reports.values() if (result := report.result()).diagnostics)


def read_pack(directory: Path) -> tuple[Pack | None, tuple[FileDiagnostics, ...]]:
    """The pack in a folder; `None` where there are errors. And what was found, file by file: errors and warnings.

    A file whose references lead into a file with errors is not looked into, so that no mistake is reported twice.
    """
    if not _is_there(directory) or directory.is_file():
        reason = "is not a folder" if _is_there(directory) else "does not exist"
        hint = "Name the folder with bars.yaml, substrate.yaml and so on."
        missing = diagnose("H100", f"the pack {reason}", Span(1, 1, 1, 1), hint=hint)
        return None, (FileDiagnostics(directory, "", (missing,)),)
    reading = _Reading(directory)
    pack = _pack(reading)
    results = reading.results()
    failed = any(report.failed for report in reading.reports.values())
    return None if failed else pack, results


def _is_there(path: Path) -> bool:
    """Whether something has this path; also where it may not be looked at: reading it says why."""
    try:
        return path.exists()
    except OSError:
        return True


def _load(report: PackFindings) -> Node | None:
    if not _is_there(report.path):
        message = f"the pack has no {report.path.name}"
        hint = f"HAMLET reads {len(FILES)} files of a pack, this one too."
        if report.path.name == ACTIONS:
            hint = "HAMLET looks for it in the folder of the pack and in the folder above."
        elif near := closest(report.path.name, _others(report.path.parent)):
            hint = f"Did you mean `{near}`? Rename it."
        report.add("H100", message, Span(1, 1, 1, 1), hint=hint)
        return None
    if (problem := _strange(report.path)) is not None:
        message, hint = problem
        report.add("H100", message, Span(1, 1, 1, 1), hint=hint)
        return None
    text = read_source(report.path)
    if isinstance(text, Diagnostic):
        report.found.append(text)
        return None
    report.text = text
    node, found = compose(text, report.file)
    report.found.extend(found)
    if not report.failed and not isinstance(node, MapNode):
        report.add("H109", f"{report.path.name} has no keys at its top", Span(1, 1, 1, 1), hint="Write `key: value`.")
    return None if report.failed else node


def _strange(path: Path) -> tuple[str, str] | None:
    """What is wrong with a file of a pack that is none, or that lies elsewhere; and what to do."""
    try:
        real, folder = path.resolve(), path.parent.resolve()
        if not real.is_relative_to(folder):
            message = f"`{path.name}` is a link to a file outside of its folder"
            return message, "A link does not lead out of the folder of a pack: copy the file."
        if not (path.is_file() or path.is_dir()):
            return f"`{path.name}` is no file", "Put a file with text there."
    except (OSError, RuntimeError):
        return None  # whoever reads it says why it cannot be read
    return None


def _others(folder: Path) -> list[str]:
    """The names of files beside those of a pack."""
    try:
        return sorted(path.name for path in folder.iterdir() if path.name not in FILES)
    except OSError:
        return []


def _pack(reading: _Reading) -> Pack | None:
    bars = reading.read("bars.yaml", read_bars)
    substrate = reading.read("substrate.yaml", read_substrate)
    variables = reading.read("variables_reference.yaml", read_variables)
    training = None
    if substrate is not None:
        training = reading.read("training.yaml", lambda report, node: read_training(report, node, substrate))
    if bars is None:
        return None
    meters = tuple(bar.name.value for bar in bars.bars)
    cascades = reading.read("cascades.yaml", lambda report, node: read_cascades(report, node, meters))
    reading.read("cues.yaml", lambda report, node: read_cues(report, node, meters))
    if substrate is None:
        return None
    _check_meters(reading.reports["bars.yaml"], meters, substrate)
    actions = reading.read(ACTIONS, lambda report, node: read_actions(report, node, meters, substrate))
    if training is None:
        return None
    affordances = reading.read(
        "affordances.yaml", lambda report, node: read_affordances(report, node, meters, substrate, training)
    )
    if actions is not None:
        _check_enabled_actions(reading.reports["training.yaml"], training, substrate, actions)
    if affordances is None:
        return None
    deployed = _check_affordances(reading, affordances, substrate, training)
    if variables is None:
        return None
    names = _names(reading, bars, affordances, deployed, substrate, training, variables)
    rewards = reading.read("drive_as_code.yaml", lambda report, node: read_rewards(report, node, names))
    if rewards is not None:
        check_unread(reading.reports["variables_reference.yaml"], variables, variables_of(rewards), substrate)
    if cascades is None or actions is None or rewards is None:
        return None
    return Pack(
        reading.directory,
        tuple(Source(report.path, report.text) for report in reading.reports.values()),
        bars.bars,
        bars.terminal_conditions,
        cascades.modulations,
        cascades.cascades,
        affordances,
        actions,
        substrate,
        training,
        variables,
        rewards,
    )


def _check_meters(report: PackFindings, meters: tuple[str, ...], substrate: Substrate) -> None:
    """The moves of HAMLET name meters in costs that it never charges, and it wants them to exist."""
    needed: tuple[str, ...] = ()
    if not isinstance(substrate, Aspatial):
        plain = not isinstance(substrate, Continuous) and len(substrate.sizes) == 2
        needed = ("energy",) if plain else ("energy", "hygiene", "satiation")
    for name in needed:
        if name not in meters:
            hint = f"Add a bar `{name}`: HAMLET's moves in this space name it, though they do not charge it."
            report.add("H120", f"HAMLET runs no such space without the bar `{name}`", Span(1, 1, 1, 1), hint=hint)


def _check_enabled_actions(
    report: PackFindings, training: Training, substrate: Substrate, actions: tuple[CustomAction, ...]
) -> None:
    known = (*substrate_actions(substrate), *(action.name.value for action in actions))
    for name in training.enabled_actions or ():
        refer(report, name, known, "action")


def _check_affordances(
    reading: _Reading, affordances: tuple[Affordance, ...], substrate: Substrate, training: Training
) -> tuple[Affordance, ...]:
    """The deployed affordances, after checking them."""
    names = tuple(affordance.name.value for affordance in affordances)
    for name in training.enabled_affordances or ():
        refer(reading.reports["training.yaml"], name, names, "affordance")
    deployed = deployed_affordances(affordances, training)
    check_deployment(reading.reports["affordances.yaml"], deployed, substrate, training)
    check_room(reading.reports["substrate.yaml"], len(deployed), substrate, training)
    return deployed


def _names(
    reading: _Reading,
    bars: Bars,
    affordances: tuple[Affordance, ...],
    deployed: tuple[Affordance, ...],
    substrate: Substrate,
    training: Training,
    variables: tuple[Variable, ...],
) -> Names:
    """What rewards can refer to, after checking the variables."""
    meters = tuple(bar.name.value for bar in bars.bars)
    automatic = automatic_variables(substrate, meters, len(affordances), training)
    check_variables(reading.reports["variables_reference.yaml"], variables, automatic, substrate, training)
    check_encoding(reading.reports["substrate.yaml"], variables, automatic, substrate)
    scalars = {name: size is None for name, size in automatic.items()}
    scalars.update({v.id.value: v.type.value in ("scalar", "bool") for v in variables})
    return Names(
        meters,
        tuple(affordance.id.value for affordance in affordances),
        tuple(affordance.name.value for affordance in affordances),
        tuple(affordance.name.value for affordance in deployed),
        tuple(name for name, scalar in scalars.items() if scalar),
        tuple(name for name, scalar in scalars.items() if not scalar),
        tuple(variable.id.value for variable in variables if "engine" not in variable.readers),
        training.temporal.value,
        isinstance(substrate, Continuous),
    )
