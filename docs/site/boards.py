"""Pictures of boards: worlds after some ticks of random play, as `env.render` paints them, kept by what they show."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from pages import ROOT
from worlds import board_of, boards, checked

from hamlet.universe.codec import to_json

sys.path.append(str(ROOT / "docs" / "gallery"))


def kept(folder: Path, paint: bool) -> Mapping[str, Path]:
    """The pictures of boards in a folder, by their paths on the site; with `paint` others are painted."""
    return {board_of(page): picture for page, picture in _kept(folder, paint)}


def _kept(folder: Path, paint: bool) -> Iterator[tuple[str, Path]]:
    for page, text in boards():
        shown = sha256(to_json(checked(text)).encode()).hexdigest()[:16]
        picture = folder / f"{text.stem}-{shown}.png"
        if paint and not picture.is_file():
            from matplotlib import image
            from sheet import board

            folder.mkdir(parents=True, exist_ok=True)
            image.imsave(picture, board(text), metadata={"Software": ""})
        if picture.is_file():
            yield page, picture
