"""A universe in C behind functions that all universes have in common, with the five results of a step of Gymnasium."""

from __future__ import annotations

import json

from hamlet import schema
from hamletc.compilation import Compilation
from hamletc.export.c import FILES, rendered, values_of
from hamletc.export.exported import Exported

COMMON = "gym_env.h"
"""The header that is the same for every universe."""


def export_gym(compilation: Compilation, digest: int) -> Exported:
    """The files of `export_c`, the common functions, and their header; arguments as of `export_c`."""
    universe, values = compilation.universe, values_of(compilation, digest)
    name = values["name"]
    labels = [json.dumps(each, ensure_ascii=False) for each in schema.action_names(universe)]
    values |= {"labels": labels, "rows": values["observations"]}
    texts = {f"{name}.{end}": rendered(f"{template}.j2", values) for end, template in FILES.items()}
    texts |= {f"{name}_env.c": rendered("gym.c.j2", values), COMMON: rendered(f"{COMMON}.j2", values)}
    return Exported({file: text.encode() for file, text in texts.items()})
