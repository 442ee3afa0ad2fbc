"""Policies that `hamletc export` writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamlet.policies.zoo import SHIPPED, in_zoo, located
from hamlet.strict_json import parsed

if TYPE_CHECKING:
    from hamlet.universe import Universe

SUFFIX = ".safetensors"


def is_policy(path: Path) -> bool:
    """Whether a path is that of a run of training, or of a file with weights."""
    named = in_zoo(path) or path.suffix == SUFFIX
    return named or (path / "manifest.json").is_file() or any(path.glob(f"policy*{SUFFIX}"))


def export_policy(path: Path, form: str, output: Path) -> None:
    """Write the policy of a run, or those of its roles, a file for each.

    Raises:
        CompileError: one is a table, or has a role or controls of which nobody says more, or this form has none.
        EnvError: one cannot be read, or is for another version of the universe beside it.
    """
    from hamlet.env.keep.files import write_file

    written, said = policies_as(path, form, universe_beside(path))
    output.mkdir(parents=True, exist_ok=True)
    for name, contents in written.items():
        write_file(output / name, contents)
        click.echo(f"wrote {output / name}")
    for line in said:
        click.echo(line)


def policies_as(path: Path, form: str, universe: Universe | None) -> tuple[dict[str, bytes], list[str]]:
    """The files of a run's policies in a form, and lines about them. Raises as `export_policy` does."""
    from hamlet.policies.by_role import read_every_role

    written, said = dict[str, bytes](), list[str]()
    for role, policy in read_every_role(path).items():
        match form:
            case "onnx":
                from hamletc.export.policy_onnx import compared, export_policy_onnx

                exported = export_policy_onnx(policy, universe)
                said.append(_told(role, compared(policy, next(iter(exported.files.values())))))
            case "c":
                from hamletc.export.policy_c import export_policy_c

                exported = export_policy_c(policy, universe)
            case _:
                from hamletc.export.policy_wasm import export_policy_wasm

                exported = export_policy_wasm(policy, universe)
        written |= exported.files
    return written, said


def _told(role: str | None, same: int | None) -> str:
    """A line about how many actions onnxruntime takes as kernels do."""
    from hamletc.export.policy_onnx import CHECKED

    whose = "" if role is None else f"{role}: "
    if same is None:
        return f"{whose}onnxruntime or room for it is missing: nothing was compared"
    return f"{whose}{same:,} of {CHECKED:,} likeliest actions are the same in onnxruntime; bits are not promised there"


def universe_beside(path: Path) -> Universe | None:
    """The universe of the run that a policy is of, or of the zoo; `None` where none is beside it."""
    from hamlet.package.module import load
    from hamletc.compile import check_file
    from hamletc.frontend import Stopwatch

    if in_zoo(path):
        manifest = parsed((located(path) / "manifest.json").read_bytes())
        return check_file(SHIPPED / manifest["source"].removeprefix("universes/"), Stopwatch()).universe
    for folder in (path, path.parent, path.parent.parent):
        if (folder / "manifest.json").is_file() and (folder / "package").is_dir():
            return load(folder / "package").universe
    return None
