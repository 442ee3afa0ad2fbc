"""Did you mean ...? The likeliest word that an author meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `word` (letter case aside), or `None` where none is close.

    Among equally close candidates the alphabetically first wins, so the answer does not depend on their order.
    """
    by_lower = {candidate.lower(): candidate for candidate in sorted(candidates, reverse=True)}
    matches = get_close_matches(word.lower(), sorted(by_lower), n=1, cutoff=0.6)
    return by_lower[matches[0]] if matches else None
