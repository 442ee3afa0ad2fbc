"""Packs that differ from the sound one, in the text language."""

from __future__ import annotations

import re
from pathlib import Path

from hamlet_townlet.frontend import read_pack, translate
from hamlet_townlet.translate.text import text_of
from hamletc.compile import Checked, check_file
from hamletc.frontend import Stopwatch
from samples.packs import Edits, edited

FULL = ("partial_observability: true", "partial_observability: false")
INSTANT = ("enable_temporal_mechanics: true", "enable_temporal_mechanics: false")
FIXED = ("randomize_affordances: true", "randomize_affordances: false")
ALL_ACTIONS = ("enabled_actions: [UP, DOWN, LEFT, RIGHT, INTERACT, WAIT, HUM]", "device: cpu")
HAMLETS_BARS = [("name: mood", "name: hygiene"), ("name: warmth", "name: satiation")]
HAMLETS_CASCADES = [("source: warmth", "source: satiation"), ("source: mood", "source: hygiene")]


def lines(folder: Path, edits: Edits) -> list[str]:
    """The lines of the text of a changed pack, without indentation; each is checked to be a universe."""
    pack = edited(folder, edits)
    check_file(pack, Stopwatch())
    read, _ = read_pack(pack)
    return [re.sub(r" +", " ", line).strip() for line in text_of(translate(read)[0], read).split("\n")]


def checked(folder: Path, edits: Edits) -> Checked:
    return check_file(edited(folder, edits), Stopwatch())


def elsewhere(edits: dict[str, str | list[tuple[str, str]]]) -> Edits:
    """Edits that put the sound pack into another space than a plane of cells: HAMLET wants its meters there."""
    mood = [("meter: mood", "meter: hygiene"), ("meter: warmth", "meter: satiation")]
    return {
        "bars": HAMLETS_BARS,
        "cascades": HAMLETS_CASCADES,
        "affordances": mood,
        "training": [FULL, ALL_ACTIONS],
        "global_actions": [("mood", "hygiene")],
        **edits,
    }


def continuous(axes: int, kind: str = "continuous", more: str = "") -> str:
    bounds = ", ".join("[0.0, 10.0]" for _ in range(axes))
    return (
        f"type: {kind}\ncontinuous:\n  dimensions: {axes}\n  bounds: [{bounds}]\n  boundary: clamp\n"
        "  movement_delta: 0.1\n  interaction_radius: 0.8\n  distance_metric: euclidean\n"
        f"  observation_encoding: relative\n{more}"
    )


def drive(extrinsic: str, modifiers: str = "{}", shaping: str = "[]", applied: str = "[]") -> str:
    return (
        f"drive_as_code:\n  modifiers: {modifiers}\n  extrinsic: {extrinsic}\n"
        f"  intrinsic: {{strategy: none, base_weight: 0.5, apply_modifiers: {applied}}}\n  shaping: {shaping}\n"
    )
