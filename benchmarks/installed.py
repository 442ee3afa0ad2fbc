"""This repository as pip would install it, for a machine on which nothing is installed."""

from __future__ import annotations

import sys
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def as_installed(folder: Path) -> None:
    """Make the packages of this repository importable, and what they name in entry points known, where they are not
    installed."""
    sys.path[:0] = [str(ROOT / package) for package in ("runtime", "lab", "compiler")]
    try:
        metadata.distribution("hamletc")
    except metadata.PackageNotFoundError:
        write_entry_points(folder)
        sys.path.append(str(folder))


def write_entry_points(folder: Path) -> None:
    """What pip writes about the distribution, in a folder from which Python imports."""
    from hamlet import __version__

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    information = folder / f"{project['name']}-{__version__}.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(f"Name: {project['name']}\nVersion: {__version__}\n")
    (information / "entry_points.txt").write_text(
        "\n".join(
            f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in points.items())
            for group, points in project["entry-points"].items()
        )
    )
