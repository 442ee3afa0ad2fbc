"""Where the weights of a policy are, by what a user names."""

from __future__ import annotations

from pathlib import Path

from hamlet.errors import EnvError

FILENAME = "policy.safetensors"
CHECKPOINTS = "checkpoints"
MANIFEST = "manifest.json"
WEIGHTS, ONNX = ".safetensors", ".onnx"
"""Suffixes of files with weights, and with networks of others."""


def weights_in(path: Path) -> Path:
    """The file that has the weights of a run: those of its end, or of its latest checkpoint if it has not ended. A
    path that is no folder is that of a file already.

    Raises:
        EnvError: the folder has neither.
    """
    if not path.is_dir():
        return path
    if (path / FILENAME).exists():
        return path / FILENAME
    checkpoint = max(checkpoints_in(path / CHECKPOINTS), default=None)
    if checkpoint is None:
        begun = (path / MANIFEST).exists()
        why = "its training has no checkpoint yet" if begun else "it is no folder of a training"
        raise EnvError(f"{path} has no {FILENAME}: {why}")
    return checkpoint


def checkpoints_in(folder: Path) -> list[Path]:
    """The checkpoints in a folder by ascending updates: their names are numbers."""
    return sorted(path for path in folder.glob("*.safetensors") if path.stem.isdecimal())
