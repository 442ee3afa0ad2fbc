from __future__ import annotations

import re

from language_cases import parsed

from hamletc.foreign import FOREIGN_WORDS, OWN_WORDS
from hamletc.language.braces import DECLARATIONS

PLACEHOLDER = re.compile(r"\b[A-Z]{4,}\b")
"""CONDITION, VALUE: what the author writes there."""


def declarations() -> set[str]:
    """The declarations that hints quote whole."""
    quoted = {
        code for hint in {*FOREIGN_WORDS.values(), *OWN_WORDS.values()} for code in re.findall(r"`([^`]*)`", hint)
    }
    whole = {code for code in quoted if code.split(" ")[0] in DECLARATIONS and " " in code and "..." not in code}
    return {PLACEHOLDER.sub("x", code) for code in whole}


def test_declarations_in_hints_can_be_read() -> None:
    found = declarations()
    assert len(found) > 30
    for code in sorted(found):
        parsed(f"universe u\n{code}")
