"""A page of the site: where it stands, what it says, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Page:
    """A page.

    Attributes:
        path: on the site.
        title: in the navigation.
        text: as GitHub reads it; its links are relative to `source`.
        source: the path in the repository of what it is made of.
        below: pages, and groups of pages, that stand below it in the navigation.
        found: whether the search finds it.
        whole: whether it stands for the whole source, and not for those anchors alone that it has.
    """

    path: str
    title: str
    text: str
    source: str
    below: tuple[Page | Group, ...] = ()
    found: bool = True
    whole: bool = True

    def all(self) -> Iterator[Page]:
        """It and the pages below it."""
        yield self
        for each in self.below:
            for page in each.pages if isinstance(each, Group) else (each,):
                yield from page.all()


@dataclass(frozen=True, slots=True)
class Group:
    """Pages below one title, which is no page."""

    title: str
    pages: tuple[Page, ...]


class SiteError(Exception):
    """The pages are not such that a site can be made of them; the message says where and why."""
