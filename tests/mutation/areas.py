"""Which tests guard which part of the compiler, and of the C that runs beside it."""

from __future__ import annotations

from collections.abc import Sequence

from mutant import ROOT, TABLE


def _named(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"tests/{folder}_{name}.py" for name in names)


TARGETS = _named("unit/targets/test", "body", "target", "known_rows", "python", "parts")
C = _named("unit/targets/c/test_c", "emit", "printer", "values", "counts", "kernels", "together", "worlds", "speaking")
TRITON = _named("unit/targets/triton/test_triton", "emit", "code", "formatter", "functions", "columns", "launch")
LOWERING = _named(
    *("unit/lowering/test", "contract", "moves", "permutation", "occupancy", "tables", "reductions", "window"),
    *("order_of_a_tick", "cell_cache"),
)
PASSES = _named(
    *("unit/passes/test", "single_passes", "constant_folding", "transfer", "interval", "facts", "tabulation"),
    *("constant_division", "ranges", "bits", "few_priorities", "orders"),
)
NETWORKS = _named("unit/env/test", "env_networks", "env_networks_of_few")
MEMORY = ("tests/unit/env/test_env_memory.py",)
OPERATIONS = _named("unit/targets/c/test_c", "operations", "exactness", "memory", "together", "counts", "launch")

POLICIES = ("tests/unit/export/test_policy_wasm.py", "tests/unit/targets/wasm")

UNITS: dict[str, tuple[str, ...]] = {
    "lowering": (*LOWERING, "tests/features/functions"),
    "lowering/acting.py": (*LOWERING, "tests/features/actions/test_acts_when.py"),
    "lowering/view_tables.py": (*LOWERING, "tests/features/observations/test_views.py"),
    "lowering/observe.py": (
        *LOWERING,
        "tests/features/functions",
        "tests/features/observations/test_cells_in_sight.py",
    ),
    "lowering/views.py": (*LOWERING, "tests/features/observations/test_views.py"),
    "lowering/elsewhere.py": (*LOWERING, "tests/features/many_agents/test_cells_by_coordinates.py"),
    "passes": (*PASSES, "tests/unit/targets/triton/test_triton_formatter.py"),
    "kernel": ("tests/unit/kernel", *TARGETS),
    "triton": (*TARGETS, *TRITON),
    **{
        f"targets/triton/{name}.py": (*TARGETS, *TRITON, "tests/equivalence/test_together.py")
        for name in ("reductions", "meeting", "pairs", "together")
    },
    **{
        f"targets/triton/{name}.py": (*TARGETS, *TRITON, "tests/equivalence/test_cells.py")
        for name in ("cells", "crowds", "spread")
    },
    "c": (*TARGETS, *C),
    "wasm": (*TARGETS, *C, "tests/unit/targets/wasm", "tests/unit/launch/test_wasm.py"),
    "both": (*TARGETS, "tests/unit/ir", *TRITON, *C),
    **dict.fromkeys(("targets/wasm/networks.py", "targets/wasm/recalling.py"), POLICIES),
    "native": (*OPERATIONS, "tests/unit/native", "tests/unit/env/test_env_stepping.py"),
    "native/elementary.h": ("tests/unit/native/test_elementary.py", *NETWORKS),
    "native/networks.h": (*NETWORKS, "tests/unit/launch/test_heads.py", *MEMORY),
    "native/playing.c": (*NETWORKS, *MEMORY),
    "native/recall.h": MEMORY,
    "native/remembering.h": MEMORY,
    "native/team.c": ("tests/unit/native/test_team.py",),
    "native/turn.c": ("tests/adapters/test_single.py", "tests/adapters/test_handover.py"),
    "exact": ("tests/training/test_exact_training.py", "tests/training/test_remembering.py"),
}
"""The unit tests of each area, or of a file."""

SLOW = "large_universes_compile_in_time or kernels_do_not_grow or without_a_pass"
"""Unit tests that take long: they are run at last."""

NETWORKS_ON_GPUS = "tests/unit/launch/test_networks_on_triton.py"
EQUIVALENCE = (*_named("equivalence/test", "regressions", "random_universes", "backends"), "tests/features")
LONG: dict[str, tuple[str, ...]] = {
    "lowering": ("tests/equivalence/test_corners.py", "tests/unit/lowering", *EQUIVALENCE, "tests/unit/targets"),
    "passes": ("tests/unit/passes", *EQUIVALENCE, "tests/unit/targets", "tests/unit/lowering"),
    "kernel": (*EQUIVALENCE, "tests/unit/targets"),
    "triton": (
        "tests/equivalence/test_blocks.py",
        *EQUIVALENCE,
        "tests/static",
        "tests/ptx/test_ptx_kernels.py",
        NETWORKS_ON_GPUS,
    ),
    "c": ("tests/unit/targets/c", *EQUIVALENCE, "tests/equivalence/test_metamorphic.py"),
    "wasm": ("tests/unit/targets/c", *EQUIVALENCE, "tests/unit/export/test_export_wasm.py"),
    "both": ("tests/equivalence/test_blocks.py", *EQUIVALENCE, "tests/static", "tests/unit/targets"),
    "native": ("tests/unit/targets/c", *NETWORKS, "tests/unit/native", "tests/unit/diff", *EQUIVALENCE),
    "exact": ("tests/training",),
}
"""The slow rest of the suite."""


def area(path: str) -> str:
    """Which tests look at a file: `lowering`, `passes`, `kernel`, a target (`triton`, `c`), `both` targets that run
    (and how they spell), C by hand for kernels (`native`) or for training (`exact`)."""
    if path == TABLE:
        return "both"
    folders = path.split("/")
    return folders[0] if folders[0] != "targets" else folders[1] if len(folders) > 2 else "both"


def units(path: str) -> list[str]:
    """The files of unit tests that guard a file."""
    listed = UNITS[path] if path in UNITS else UNITS[area(path)]
    return list(dict.fromkeys(name for each in listed for name in _files(each)))


def _files(listed: str) -> Sequence[str]:
    if listed.endswith(".py"):
        return [listed]
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / listed).rglob("test_*.py"))
