"""Did you mean ...? The likeliest word that an author meant."""

from __future__ import annotations

from collections.abc import Iterable

ALIKE = 0.7
"""How like a word (1: equal) another must be to be suggested: `gird` and `grid` are 0.75, `import`, `report` 0.67."""


def closest(word: str, candidates: Iterable[str], alike: float = ALIKE) -> str | None:
    """The candidate most like `word` (letter case aside), or `None` where none is at least so much `alike`.

    Among equally close candidates the alphabetically first wins, so the answer does not depend on their order.
    """
    from difflib import get_close_matches

    by_lower = {candidate.lower(): candidate for candidate in sorted(candidates, reverse=True)}
    matches = get_close_matches(word.lower(), sorted(by_lower), n=1, cutoff=alike)
    return by_lower[matches[0]] if matches else None
