"""Links between pages: from those of the repository to those of the site, each to something that is there."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path

from pages import ROOT, Page, SiteError
from prose import anchors, title_of
from shelves import STANDS_FOR

_LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)")
_CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
SHOWN = {".py": "python", ".c": "c", ".h": "c", ".hamlet": "hamlet", ".js": "js"}
"""Files that are shown as pages, and their languages."""
LARGEST = 60_000
"""Bytes of a file that is shown as a page, at most."""
PICTURES = (".png", ".svg")


@dataclass(slots=True)
class Links:
    """Where everything is on the site.

    Attributes:
        pages: by their paths on the site.
        files: what is copied, by paths on the site: the path in the repository.
        waiting: pages that links brought in, and that nobody has written yet.
    """

    pages: dict[str, Page] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    waiting: list[Page] = field(default_factory=list)
    _homes: dict[str, str] = field(default_factory=dict)
    _places: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, page: Page) -> None:
        """A page, and those below it."""
        for each in page.all():
            self.pages[each.path] = each
            if each.whole:
                self._homes[each.source] = each.path
            elif each.path.startswith("universes/"):
                self._homes[each.path.removesuffix(".md") + ".hamlet"] = each.path
        for each in page.all():
            for _, anchor in anchors(each.text):
                self._places.setdefault((each.source, anchor), f"{each.path}#{anchor}")

    def on(self, page: Page, line: str) -> str:
        """A line of a page, with links to where things are on the site."""
        codes = [match.span() for match in _CODE.finditer(line)]

        def there(link: re.Match[str]) -> str:
            if any(begin < link.start() < end for begin, end in codes):
                return link[0]
            return f"]({self._there(page, link[1], link[2])})"

        return _LINK.sub(there, line).replace("](board:", f"]({_way(page, '')}")

    def _there(self, page: Page, target: str, anchor: str | None) -> str:
        folder = posixpath.dirname(page.source)
        wanted = posixpath.normpath(posixpath.join(folder, target)) if target else page.source
        wanted = STANDS_FOR.get(wanted, wanted)
        where = f"{page.source}: [...]({target}{'#' + anchor if anchor else ''})"
        if not (ROOT / wanted).exists():
            raise SiteError(f"{where} leads nowhere")
        home = self._homes.get(wanted) or self._brought(wanted)
        if anchor is None:
            return _way(page, home)
        place = self._places.get((wanted, anchor))
        if place is None:
            raise SiteError(f"{where}: {wanted} has no heading with this anchor")
        return _way(page, place)

    def _brought(self, wanted: str) -> str:
        """Bring something in that no shelf has: a page, a file, or the files of a folder."""
        path = ROOT / wanted
        if path.is_dir():
            files = sorted(each for each in path.rglob("*") if each.is_file() and not _hidden(each.relative_to(path)))
            listed = "".join(f"- [`{each.relative_to(path)}`]({each.relative_to(path)})\n" for each in files)
            page = Page(f"source/{wanted}/index.md", wanted, f"# {wanted}\n\n{listed}", f"{wanted}/.", found=False)
        elif path.suffix == ".md":
            text = path.read_text(encoding="utf-8")
            page = Page(f"source/{wanted}", title_of(text), text, wanted)
        elif path.suffix in SHOWN and path.stat().st_size <= LARGEST:
            text = path.read_text(encoding="utf-8")
            fence = f"````{SHOWN[path.suffix]} part\n{text.rstrip()}\n````"
            # A file of its own suffix and another one of the same name are two pages.
            site = f"source/{wanted.replace('.', '_')}.md"
            page = Page(
                site,
                path.name,
                f"# {path.name.replace('_', chr(92) + '_')}\n\n`{wanted}`\n\n{fence}\n",
                wanted,
                found=False,
            )
        else:
            site = wanted.removeprefix("docs/") if path.suffix in PICTURES else f"source/{wanted}"
            plain = path.suffix in {*PICTURES, ".json", ".txt"}
            self._homes[wanted] = site if plain else f"{site}.txt"
            self.files[self._homes[wanted]] = path
            return self._homes[wanted]
        self._homes[wanted] = page.path
        self.add(page)
        self.waiting.append(page)
        return page.path


def _way(page: Page, to: str) -> str:
    """The relative path from a page to something on the site."""
    there, mark, anchor = to.partition("#")
    if there == page.path:
        return f"{mark}{anchor}" if mark else posixpath.basename(there)
    way = posixpath.relpath(there or ".", posixpath.dirname(page.path) or ".")
    return f"{way}/" if not there else f"{way}{mark}{anchor}"


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "__pycache__")) for part in path.parts)
