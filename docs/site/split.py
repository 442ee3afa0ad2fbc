"""Pages that are too long for one page of the site: the language by its chapters, diagnostics by their codes."""

from __future__ import annotations

import re

from pages import ROOT, Group, Page, SiteError
from prose import anchors, promoted, sections, title_of
from shelves import CHAPTERS

from hamletc.codes import CODES
from hamletc.explained import section

LANGUAGE, DIAGNOSTICS = "docs/language.md", "docs/diagnostics.md"
CASES = "tests/golden/diagnostics"
"""Where the text stands of which docs/diagnostics.md shows what is said."""


def language() -> Page:
    """The language: what it is, and a page for each part of it."""
    text = (ROOT / LANGUAGE).read_text(encoding="utf-8")
    before, found = sections(text, 2)
    chapters = dict(found)
    listed = [name for _, names in CHAPTERS.values() for name in names]
    for name in {*chapters} ^ {*listed}:
        raise SiteError(f"{LANGUAGE} and docs/site/shelves.py do not agree about the chapter {name!r}")
    parts = []
    contents = ["", "## Parts", ""]
    for key, (title, names) in CHAPTERS.items():
        whole = "\n".join(chapters[name] for name in names)
        body = promoted(whole, 1) if names == (title,) else f"# {title}\n\n{whole}"
        parts.append(Page(f"language/{key}.md", title, body, LANGUAGE, whole=False))
        slugs = {line.title: anchor for line, anchor in anchors(text)}
        contents.append(f"- **{title}**: " + ", ".join(f"[{name}](#{slugs[name]})" for name in names))
    return Page("language/index.md", title_of(text), before + "\n".join(contents) + "\n", LANGUAGE, tuple(parts))


def diagnostics() -> Page:
    """Diagnostics: what they are, a list of all, and a page for each code, of what `hamletc explain` prints."""
    text = (ROOT / DIAGNOSTICS).read_text(encoding="utf-8")
    before, chapters = sections(text, 2)
    body, groups, listed = [before], [], set()
    for name, chapter in chapters:
        introduction, entries = sections(chapter, 3)
        pages = []
        body.append(introduction)
        for heading, _ in entries:
            code, _, words = heading.partition(": ")
            if code not in CODES:
                raise SiteError(f"{DIAGNOSTICS}: {heading!r} below {name!r} is about no code")
            anchor = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
            body.append(f"- [{code}](#{anchor}): {words}")
            pages.append(
                Page(f"diagnostics/{code}.md", f"{code}: {words}", _about(code, heading), DIAGNOSTICS, whole=False)
            )
            listed.add(code)
        body.append("")
        groups += [Group(name, tuple(pages))] if pages else []
    for code in {*CODES} - listed:
        raise SiteError(f"{DIAGNOSTICS} has nothing about {code}")
    return Page("diagnostics/index.md", title_of(text), "\n".join(body), DIAGNOSTICS, tuple(groups))


def _about(code: str, heading: str) -> str:
    severity = CODES[code].severity.capitalize()
    text = f"# {heading}\n\n*{severity}; `hamletc explain {code}` prints this.*\n\n{section(code)}"
    case = ROOT / CASES / f"{code}.hamlet"
    if case.is_file():
        text += f"\n## The text that is shown\n\n```hamlet part\n{case.read_text(encoding='utf-8')}```\n"
    return text
