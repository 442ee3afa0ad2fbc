"""Every diagnostic code: how severe it is and what it is about, in a few words.

A code keeps its meaning for ever; `docs/diagnostics.md` has a paragraph for each and `hamletc.diagnostics.diagnose`
takes the severity from here. H001 to H019 are about reading and parsing a source, H020 and up about checking it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Code:
    """What a code stands for. `title` is a noun phrase without a full stop."""

    severity: Severity
    title: str


CODES: Mapping[str, Code] = MappingProxyType(
    {
        # --- reading a source ---
        "H001": Code("error", "file that cannot be read"),
        "H002": Code("error", "file that is not UTF-8"),
        "H003": Code("error", "file that is too large"),
        # --- tokens ---
        "H004": Code("error", "character that has no meaning here"),
        "H005": Code("error", "malformed number"),
        "H006": Code("error", "number that binary32 cannot hold"),
        "H007": Code("error", "name that is too long"),
        # --- syntax ---
        "H008": Code("error", "file that does not begin with `universe NAME`"),
        "H009": Code("error", "unexpected word or symbol"),
        "H010": Code("error", "brace that is never closed"),
        "H011": Code("error", "closing brace without an opening one"),
        "H012": Code("error", "reserved word used as a name"),
        "H013": Code("error", "chained comparison"),
        "H014": Code("error", "empty braces"),
        "H015": Code("error", "nesting that is too deep"),
        "H016": Code("error", "too many syntax errors"),
        # --- checking ---
    }
)
