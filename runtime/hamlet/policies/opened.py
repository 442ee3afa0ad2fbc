"""Where the weights of a policy are, by what a user names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hamlet.errors import EnvError, shown
from hamlet.policies.described import read_described
from hamlet.policies.learnt import Learnt

FILENAME = "policy.safetensors"
CHECKPOINTS = "checkpoints"
MANIFEST = "manifest.json"


def policy(path: str | Path, greedy: bool = False) -> Learnt:
    """A policy that was learnt by `hamletc train`, or saved by an example that learns.

    Args:
        path: the folder of a run, its `policy.safetensors`, or a checkpoint. Of a run that has not ended it is the
            latest checkpoint.
        greedy: whether it takes its likeliest action and the means of its controls rather than draw them.

    Raises:
        EnvError: safetensors is not installed, or nothing can be read there, or it is damaged, or it is no policy that
            is played here.
    """
    return Learnt(read_described(weights_in(_path(path))), greedy)


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


def _path(path: Any) -> Path:
    if not isinstance(path, (str, Path)) or "\0" in str(path) or not str(path):
        raise EnvError(f"path is that of a run or of a file with weights, not {shown(path)}")
    return Path(path)
