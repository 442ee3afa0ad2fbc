"""Pages as GitHub reads them, made into what the generator of the site reads (Python-Markdown)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^\s*(```+|~~~+)\s*(\w*)")
_HEADING = re.compile(r"^(#{1,6}) (.*)$")
_ITEM = re.compile(r"^(\s*)([-*] |\d+\. )")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
INDENT = 4
"""How far Python-Markdown wants what belongs to an item of a list."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page; `fenced` if it is in a block of code, or begins or ends one."""

    text: str
    fenced: bool

    @property
    def level(self) -> int:
        """The level of a heading, 1 to 6, and 0 of another line."""
        heading = None if self.fenced else _HEADING.match(self.text)
        return 0 if heading is None else len(heading[1])

    @property
    def title(self) -> str:
        """The words of a heading, without marks of links."""
        return _LINK.sub(r"\1", self.text.lstrip("#").strip())


def lines(text: str) -> Iterator[Line]:
    """The lines of a page, with which of them are code."""
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            yield Line(line, True)
            if line.strip() == fence:
                fence = ""
        elif mark:
            fence = mark[1]
            yield Line(line, True)
        else:
            yield Line(line, False)


def title_of(text: str) -> str:
    """The first heading of a page."""
    return next(line.title for line in lines(text) if line.level == 1)


def anchors(text: str) -> list[tuple[Line, str]]:
    """The headings of a page with the anchors that GitHub gives them."""
    seen: Counter[str] = Counter()
    result = []
    for line in lines(text):
        if line.level:
            slug = re.sub(r"[^\w -]", "", line.title.lower()).replace(" ", "-")
            result.append((line, f"{slug}-{seen[slug]}" if seen[slug] else slug))
            seen[slug] += 1
    return result


def sections(text: str, level: int) -> tuple[str, list[tuple[str, str]]]:
    """What stands before the first heading of a level; each heading of that level, and the text from it to the next."""
    before: list[str] = []
    found: list[tuple[str, list[str]]] = []
    for line in lines(text):
        if line.level == level:
            found.append((line.title, []))
        (found[-1][1] if found else before).append(line.text)
    return "\n".join(before) + "\n", [(title, "\n".join(part) + "\n") for title, part in found]


def promoted(text: str, by: int) -> str:
    """A text whose headings are so many levels higher."""
    return "".join(f"{line.text[by:] if line.level else line.text}\n" for line in lines(text))


def converted(text: str, linked: Callable[[str], str], after: Callable[[str, str], str]) -> str:
    """A page for Python-Markdown: headings have the anchors of GitHub as their ids, lists the indents that it wants,
    and blocks of code nothing but their language behind the fence.

    Args:
        linked: a line with links in it, as they are on the site.
        after: what follows a block of code, by all words behind its fence, and its text.
    """
    named = iter(anchors(text))
    result: list[str] = []
    inside: list[int] = []
    block: list[str] | None = None
    words = ""
    blank = True
    for line in lines(text):
        depth = len(line.text) - len(line.text.lstrip())
        if block is None and line.text.strip() and not (line.fenced and not inside):
            item = _ITEM.match(line.text)
            lazy = item is None and not blank and not line.fenced and not line.level
            while inside and depth < inside[-1] and not lazy:
                inside.pop()
        margin = INDENT * len(inside)
        shift = margin - (inside[-1] if inside else 0)
        if line.fenced:
            if block is None:
                block, words = [], line.text.strip("`~ \t")
                language = words.partition(" ")[0]
                result.append(" " * (depth + shift) + "```" + language)
            elif _FENCE.match(line.text) and line.text.strip().strip("`~") == "":
                result += [" " * (depth + shift) + "```", after(words, "\n".join(block) + "\n")]
                block = None
            else:
                block.append(line.text)
                result.append(" " * shift + line.text if line.text.strip() else "")
            blank = False
            continue
        if line.level:
            _, anchor = next(named)
            result.append(f"{linked(line.text)} {{#{anchor}}}")
        elif item := _ITEM.match(line.text):
            if not inside and not blank and depth == 0:
                result.append("")
            result.append(" " * (depth + shift) + linked(line.text.lstrip()))
            inside.append(depth + len(item[2]))
        else:
            result.append((" " * shift if line.text.strip() else "") + linked(line.text))
        blank = not line.text.strip()
    return "\n".join(result) + "\n"
