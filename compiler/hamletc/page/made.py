"""A universe as a page runs it: its module, and what a page knows of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hamlet.universe import Universe
from hamletc.compile import Options, lower, optimise, specialise
from hamletc.export.wasm import export_wasm
from hamletc.page.shown import Shown
from hamletc.page.told import Learnt, Named, told


@dataclass(frozen=True, slots=True)
class Made:
    """A module, and as JSON what a page knows beside it."""

    module: bytes
    about: dict[str, Any]


AT_ONCE = Options(
    targets=(),
    disabled_passes=("algebra", "clamp_removal", "clamp_merging", "merge_exclusive", "few_priorities", "tabulation"),
)
"""Options where somebody waits: without the passes that take longer than they save in a page. No bit hangs on them."""


def made(
    named: Named,
    universe: Universe,
    digest: Callable[[], int | None],
    options: Options | None = None,
    policy: Learnt | None = None,
) -> Made:
    """A universe for a page. `digest` gives that of the test run, `None` where no interpreter is; `policy` plays it."""
    shown = Shown(universe, policy is not None)
    compilation = specialise(optimise(lower(shown.universe, options)), "c")
    exported = export_wasm(compilation, digest(), shown.undigested)
    [module] = (contents for name, contents in exported.files.items() if name.endswith(".wasm"))
    return Made(module, told(named, universe, shown, policy))
