"""Did you mean ...? The likeliest word that an author meant."""

from __future__ import annotations

from collections.abc import Iterable

ALIKE = 0.7
"""How like a word (1: equal) another must be to be suggested: `gird` and `grid` are 0.75, `import`, `report` 0.67."""

SHORTEST_SLIP = 3
"""The fewest letters of a word that can be a slip of another one."""


def closest(word: str, candidates: Iterable[str], alike: float = ALIKE) -> str | None:
    """The candidate most like `word` (letter case aside), or `None` where none is at least so much `alike`.

    Among equally close candidates the alphabetically first wins, so the answer does not depend on their order.
    """
    from difflib import get_close_matches

    by_lower = {candidate.lower(): candidate for candidate in sorted(candidates, reverse=True)}
    matches = get_close_matches(word.lower(), sorted(by_lower), n=1, cutoff=alike)
    return by_lower[matches[0]] if matches else None


def is_slip(word: str, meant: str) -> bool:
    """Whether a word is another one but for a letter that is too many, missing, or another, or for two that changed
    places; also for the case of letters. A word of fewer than three letters is none."""
    word, meant = word.lower(), meant.lower()
    if len(word) < SHORTEST_SLIP or abs(len(word) - len(meant)) > 1:
        return False
    ahead = next((n for n, (a, b) in enumerate(zip(word, meant, strict=False)) if a != b), min(len(word), len(meant)))
    rest, other = word[ahead:], meant[ahead:]
    swapped = rest[1:2] + rest[:1] + rest[2:]
    return other in (rest, rest[1:], swapped) or rest[1:] == other[1:] or rest == other[1:]
