"""Policies that `hamletc export` writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamlet.policies.zoo import in_zoo
from hamletc.errors import CompileError

if TYPE_CHECKING:
    from hamlet.package.module import Module

SUFFIX = ".safetensors"


def is_policy(path: Path) -> bool:
    """Whether a path is that of a run of training, or of a file with weights."""
    named = in_zoo(path) or path.suffix == SUFFIX
    return named or (path / "manifest.json").is_file() or any(path.glob(f"policy*{SUFFIX}"))


def export_policy(path: Path, form: str, output: Path) -> None:
    """Write the policy of a run.

    Raises:
        CompileError: it is a table, or has a policy for each role, or this form has none.
        EnvError: it cannot be read.
    """
    from hamlet.env.keep.files import write_file
    from hamlet.policies.by_role import read_by_role

    policies = read_by_role(path)
    if None not in policies:
        roles = " and ".join(str(role) for role in policies)
        raise CompileError(
            f"{path} has a policy for {roles}: an export is of one that all agents share (train --shared)"
        )
    policy, module = policies[None], package_beside(path)
    match form:
        case "onnx":
            from hamletc.export.policy_onnx import CHECKED, compared, export_policy_onnx

            exported = export_policy_onnx(policy, module)
            same = compared(policy, next(iter(exported.files.values())))
        case "c":
            from hamletc.export.policy_c import export_policy_c

            exported, same = export_policy_c(policy, module), None
        case _:
            from hamletc.export.policy_wasm import export_policy_wasm

            exported, same = export_policy_wasm(policy, module), None
    output.mkdir(parents=True, exist_ok=True)
    for name, contents in exported.files.items():
        write_file(output / name, contents)
        click.echo(f"wrote {output / name}")
    if form == "onnx":
        click.echo(
            "onnxruntime or room for it is missing: nothing was compared"
            if same is None
            else f"{same:,} of {CHECKED:,} likeliest actions are the same in onnxruntime; bits are not promised there"
        )


def package_beside(path: Path) -> Module | None:
    """The package of the run that a policy is of; `None` where none is beside it."""
    from hamlet.package.module import load

    for folder in (path, path.parent, path.parent.parent):
        if (folder / "manifest.json").is_file() and (folder / "package").is_dir():
            return load(folder / "package")
    return None
