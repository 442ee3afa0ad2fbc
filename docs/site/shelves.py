"""What stands where on the site: shelves of pages, and pages that are several there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shelf:
    """Pages that stand together, by their paths in the repository."""

    title: str
    pages: tuple[str, ...]


SHELVES = (
    Shelf("Start", ("README.md", "docs/tutorial.md", "docs/gallery.md", "docs/ports.md")),
    Shelf("Language", ("docs/language.md", "docs/diagnostics.md", "docs/explain.md", "docs/editors.md",
                       "docs/sweep.md", "docs/townlet.md")),
    Shelf("Training", ("docs/train.md", "docs/training.md", "docs/learning.md")),
    Shelf("Running", ("docs/api.md", "docs/policies.md", "docs/play.md", "docs/adapters.md", "docs/telemetry.md",
                      "docs/scale.md", "docs/gpu.md", "docs/page.md", "docs/export.md",
                      "docs/recipes.md")),
    Shelf("Meaning and speed", ("docs/semantics.md", "docs/functions.md", "docs/exactness.md", "docs/performance.md",
                                "benchmarks/README.md")),
    Shelf("Inside hamletc", ("docs/start.md", "docs/design.md", "docs/extending.md", "docs/proof.md", "CONTRIBUTING.md",
                             "CHANGELOG.md")),
)  # fmt: skip
FIRST = "README.md"
"""The page that a reader sees first."""

CHAPTERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "core": (
        "Core",
        ("The file", "Clock and lifespan", "Episodes by hand", "Before the first tick", "Params", "Inputs", "Controls",
         "Meters", "States", "Statements", "Rules", "Cascades", "Effects", "Affordances", "Things", "Tracking uses",
         "Actions", "Masks", "Turns", "Death", "Goals", "Reward"),
    ),
    "space": ("Space and moves", ("Space", "Moves")),
    "agents": ("Many agents", ("Many agents",)),
    "reuse": (
        "Reuse",
        ("Names for numbers and expressions", "Templates", "Several files", "Universes over others"),
    ),
    "expressions": ("Expressions", ("Expressions",)),
    "seen": ("Observations and pictures", ("Observations", "Pictures")),
}  # fmt: skip
"""The pages that docs/language.md is on the site: titles, and chapters of the text."""

STANDS_FOR = {
    "universes": "docs/gallery.md",
    "universes/gallery": "docs/gallery.md",
    "universes/ports": "docs/ports.md",
}
"""Folders for which a page stands that tells of them."""
