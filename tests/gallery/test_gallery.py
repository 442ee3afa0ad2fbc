"""Every universe of the gallery: its text, its section and its picture."""

from __future__ import annotations

from pathlib import Path

import pytest
from watch import GALLERY, NAMES

from hamletc.language.formatter import format_source

DOCS = Path(__file__).parents[2] / "docs"
MOST_LINES = 60
SHORT = {
    "momentum",
    "cartpole",
    "sleep",
    "combo",
    "kata",
    "tools",
    "job",
    "queue",
    "notice_board",
    "cold_night",
    "vote",
    "reputation",
    "hidden_prey",
    "market",
    "auction",
    "maze",
    "commute",
    "alarm",
    "gifts",
    "potions",
    "cooldowns",
    "bus",
    "berries",
    "workshop",
    "moss",
    "forest_fire",
    "hex",
    "lessons",
}
"""Ideas that take at most 40 lines."""


@pytest.mark.parametrize("name", NAMES)
def test_a_universe_of_the_gallery_is_short_and_shown(name: str) -> None:
    text = (GALLERY / f"{name}.hamlet").read_text()
    assert len(text.splitlines()) <= (40 if name in SHORT else MOST_LINES)
    assert text.startswith("# ")
    assert format_source(text)[0] == text
    page = (DOCS / "gallery.md").read_text()
    assert f"](../universes/gallery/{name}.hamlet)" in page
    assert f"](gallery/{name}.png)" in page
    assert (DOCS / "gallery" / f"{name}.png").stat().st_size < 64 << 10


def test_the_gallery_shows_nothing_else() -> None:
    pictures = sorted(path.stem for path in (DOCS / "gallery").glob("*.png"))
    assert pictures == NAMES
    assert len(NAMES) >= 16
