"""A language service for universes: pure functions over a text and those that it includes.

`Document` is a text that somebody edits. `diagnostics`, `fixes`, `symbols`, `definition`, `references`, `rename`,
`hover`, `completion`, `semantic_tokens`, `inlay_hints` and `formatting` answer what editors ask about it. Positions are
those of the language server protocol. `hamletc lsp` serves them (`hamlet_language.server`); nothing else here needs
more than the compiler.
"""

from hamlet_language.colouring import COLOURS, MODIFIERS, Coloured, semantic_tokens
from hamlet_language.completing import Offer, completion
from hamlet_language.document import Document
from hamlet_language.fixing import Fix, fixed, fixes
from hamlet_language.hinting import Hint, inlay_hints
from hamlet_language.hovering import Hover, hover
from hamlet_language.naming import Place, definition, references
from hamlet_language.noticing import Change, Notice, Related, diagnostics, formatting
from hamlet_language.outline import Outline, symbols
from hamlet_language.positions import Lines, Position, Range
from hamlet_language.renaming import Refusal, Renaming, rename, renamed

__all__ = [
    "COLOURS",
    "MODIFIERS",
    "Change",
    "Coloured",
    "Document",
    "Fix",
    "Hint",
    "Hover",
    "Lines",
    "Notice",
    "Offer",
    "Outline",
    "Place",
    "Position",
    "Range",
    "Refusal",
    "Related",
    "Renaming",
    "completion",
    "definition",
    "diagnostics",
    "fixed",
    "fixes",
    "formatting",
    "hover",
    "inlay_hints",
    "references",
    "rename",
    "renamed",
    "semantic_tokens",
    "symbols",
]
