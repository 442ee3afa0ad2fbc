"""docs/diagnostics.md: what each code means, with an example, and what to do."""

from __future__ import annotations

import re
from importlib.resources import files

from hamletc.errors import CompileError

PAGE = "diagnostics.md"
"""In the folder of the diagnostics: docs/diagnostics.md itself, which a wheel holds a copy of."""
SECTION = r"^### {code}: [^\n]+\n(.*?)(?=^#|\Z)"


def section(code: str) -> str:
    """The text about a code, in Markdown.

    Raises:
        CompileError: the page cannot be read, or says nothing about the code.
    """
    try:
        page = (files("hamletc.diagnostics") / PAGE).read_text(encoding="utf-8")
    except OSError as error:
        raise CompileError(f"{PAGE} of this installation cannot be read: {error.strerror}") from error
    about = re.search(SECTION.format(code=code), page, re.MULTILINE | re.DOTALL)
    if about is None:
        raise CompileError(f"{PAGE} of this installation has nothing about {code}")
    return about[1].strip("\n") + "\n"
