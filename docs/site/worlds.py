"""A page for each universe of the gallery, of the ports, and beside them: what it teaches, its numbers, its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path

from pages import ROOT, Page
from prose import lines, sections, title_of

from hamlet import schema
from hamlet.schema.roles import fewest_agents
from hamlet.universe import Universe, meet
from hamletc.compile import check_file
from hamletc.frontend import Stopwatch

GALLERY, PORTS = "docs/gallery.md", "docs/ports.md"
_NAMED = re.compile(r"\(\.\./(universes/[\w/]+\.hamlet)\)")
_ABOUT = re.compile(r"(Port of|Source|Differs): ")
_CELL = re.compile(r"(?<!\\)\|")


def boards() -> Iterator[tuple[str, Path]]:
    """The universes that have a page: the path of the page, and the text."""
    for text in sorted((ROOT / "universes").glob("*.hamlet")):
        yield f"universes/{text.stem}.md", text
    for shelf in ("gallery", "ports"):
        for text in sorted((ROOT / "universes" / shelf).glob("*.hamlet")):
            yield f"universes/{shelf}/{text.stem}.md", text


@cache
def checked(path: Path) -> Universe:
    """The universe of a text."""
    return check_file(path, Stopwatch()).universe


def board_of(path: str) -> str:
    """Where the picture of a board is on the site, by the path of the universe's page."""
    return f"boards/{path.removeprefix('universes/').removesuffix('.md').replace('/', '-')}.png"


def gallery(pictured: frozenset[str], runs: bool) -> Page:
    """The gallery, and a page for each universe of it, in the order in which it tells of them; then those beside it."""
    text = (ROOT / GALLERY).read_text(encoding="utf-8")
    told = dict(_told(text))
    ordered = [*told, *sorted(str(text.relative_to(ROOT)) for _, text in boards() if "/ports/" not in str(text))]
    below = tuple(_page(name, told.get(name, ""), (), pictured, runs) for name in dict.fromkeys(ordered))
    return Page("universes/gallery/index.md", title_of(text), text, GALLERY, below)


def ports(pictured: frozenset[str], runs: bool) -> Page:
    """The ports, and a page for each."""
    text = (ROOT / PORTS).read_text(encoding="utf-8")
    below = tuple(
        _page(name, "", tuple(_rows(text, Path(name).stem)), pictured, runs)
        for name in sorted(str(port.relative_to(ROOT)) for port in (ROOT / "universes/ports").glob("*.hamlet"))
    )
    return Page("universes/ports/index.md", title_of(text), text, PORTS, below)


def _told(text: str) -> Iterator[tuple[str, str]]:
    """What the gallery tells of each universe, by the universe's path."""
    for _, chapter in sections(text, 2)[1]:
        for _, section in sections(chapter, 3)[1]:
            heading, _, rest = section.partition("\n")
            if named := _NAMED.search(heading):
                yield named[1], rest.strip()


def _rows(text: str, port: str) -> Iterator[tuple[str, str]]:
    """What the tables of the ports say of one: a column, and what stands there."""
    head: list[str] = []
    for line in lines(text):
        cells = [cell.strip() for cell in _CELL.split(line.text.strip().strip("|"))]
        if line.fenced or not line.text.startswith("|"):
            head = []
        elif not head:
            head = cells
        elif re.match(rf"\[?{port}\b(?!_)", cells[0]):
            more = cells[0].partition("), ")[2]
            said = f" ({more})" if more else ""
            yield from ((f"{name}{said}", cell) for name, cell in zip(head[1:], cells[1:], strict=True) if cell)


def _page(name: str, told: str, rows: tuple[tuple[str, str], ...], pictured: frozenset[str], runs: bool) -> Page:
    source = (ROOT / name).read_text(encoding="utf-8")
    path, stem = name.removesuffix(".hamlet") + ".md", Path(name).stem
    title = stem.replace("_", " ").capitalize()
    body = [f"# {title}", "", told or _remarks(source), ""]
    if board_of(path) in pictured:
        body += [f"![A world of {title} after some ticks of random play](board:{board_of(path)})", ""]
    if runs:
        body += [f"run:universe={path.removeprefix('universes/').removesuffix('.md')}", ""]
    facts = (*rows, *_numbers(name, source))
    body += ["## Numbers", "", "| | |", "|---|---|", *(f"| {key} | {value} |" for key, value in facts)]
    body += ["", "## Text", "", f"`{name}`", "", f"```hamlet part\n{source.rstrip()}\n```", ""]
    return Page(path, title, "\n".join(body), PORTS if "/ports/" in name else GALLERY, whole=False)


def _remarks(source: str) -> str:
    """The remarks at the beginning of a text; those of ports, which begin with what they are about, as a list."""
    said: list[str] = []
    for line in takewhile(lambda line: line.startswith("#"), source.splitlines()):
        text = line.lstrip("# ").rstrip()
        if about := _ABOUT.match(text):
            said.append(f"- **{about[1]}:** {text[about.end() :]}")
        elif said and text:
            said[-1] += f" {text}"
        elif text:
            said.append(text)
    return "\n".join(said)


def _numbers(name: str, source: str) -> Iterator[tuple[str, str]]:
    """What a universe has, and how many."""
    universe = checked(ROOT / name)
    written = sum(1 for line in source.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    said = {
        "lines of text": written,
        "agents of a world": _agents(universe),
        "meters and states of an agent": len(universe.meters),
        "of the world": 0 if universe.world is None else len(universe.world.meters),
        "of a cell": 0 if universe.cells is None else len(universe.cells.meters),
        "affordances": len({each.copy_of or each.name for each in universe.affordances}),
        "actions": len(schema.choices(universe)),
        "controls": len(universe.controls),
        "observed numbers": sum(segment.count for segment in schema.observation_segments(universe)),
    }
    return ((key, str(number)) for key, number in said.items() if number)


def _agents(universe: Universe) -> str:
    if universe.agents is not None:
        return str(universe.agents)
    return f"{fewest_agents(universe)} or more, who meet" if meet(universe) else "any number"
