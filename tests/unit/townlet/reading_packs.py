"""Changes of the sound pack, and what is found in it then."""

from __future__ import annotations

from pathlib import Path

from hamlet_townlet import read_pack
from hamletc.diagnostics import Diagnostic
from samples.packs import Edits, edited

CONTINUOUS = """\
type: continuous
continuous:
  dimensions: 2
  bounds: [[0.0, 4.0], [-1.0, 1]]
  boundary: clamp
  movement_delta: 0.5
  interaction_radius: 0.75
  distance_metric: euclidean
  observation_encoding: relative
"""
GRIDND = """\
type: gridnd
gridnd:
  {topology: hypercube, dimension_sizes: [2, 3, 2, 2], boundary: wrap, observation_encoding: relative}
"""
CUBIC = ("topology: square\n", "topology: cubic\n  depth: 2\n")
FULL = ("partial_observability: true", "partial_observability: false")
FIXED = ("randomize_affordances: true", "randomize_affordances: false")
INSTANT = ("enable_temporal_mechanics: true", "enable_temporal_mechanics: false")


def findings(folder: Path, edits: Edits) -> list[tuple[str, Diagnostic]]:
    _, files = read_pack(edited(folder, edits))
    return [(file.path.stem, diagnostic) for file in files for diagnostic in file.diagnostics]
