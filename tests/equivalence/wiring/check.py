"""Whether a wire is connected: on the interpreter, and on other backends."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import torch
from agreement import BackendName, checked, kernels

from examples import LONG
from hamlet.backend.protocol import Backend
from hamlet.universe import Universe
from hamlet_lab.divergence.executed import Executed
from hamletc.compilation import Compilation
from hamletc.lowering.plan import LIMITS
from hamletc.passes.pipeline import gpu_passes
from wiring.reflection import changes, concerns
from wiring.runs import Rows, run, shows
from wiring.wire import Base, Wire

FOLLOWING = (
    "ObserveValue.low",
    "ObserveValue.high",
    "ObserveValue.name",
    "ObserveOneHot.name",
    "ObserveHot.low",
    "ObserveHot.high",
    *("ObserveView.low", "ObserveView.high", "ObserveView.name", "ObservePairs.low", "ObservePairs.high"),
)
"""What follows from the meters, params and spaces that are observed."""


class Bench:
    """Runs a base once and its changes one by one.

    Attributes:
        compared: how many values of other backends were compared with the interpreter's.
    """

    def __init__(self, base: Base, backends: Sequence[BackendName]) -> None:
        self.compared = 0
        self._base = base
        self._backends = backends
        self._universe = checked(base.text)
        self._before = self._run(self._universe)

    def check(self, wire: Wire) -> None:
        """`AssertionError` where a change changes another attribute, or shows elsewhere, or on some backends only."""
        name = f"{self._base.name}: {wire.field}, {wire.new!r}"
        changed = checked(self._base.changed(wire))
        assert concerns(wire.field, self._universe, changed), f"{name} is no change of it"
        if "." in wire.field or wire.also:
            allowed = {wire.field, *wire.also.split(), *FOLLOWING}
            others = [path for path in changes(self._universe, changed) if not allowed.intersection(path)]
            assert not others, f"{name} changes {others} too"
        expected = wire.tick, " ".join(sorted(wire.shows.split()))
        assert shows(self._before, self._run(changed)) == expected, name

    def _run(self, universe: Universe) -> list[Rows]:
        """The run of the interpreter, which is that of all backends."""
        expected = run(self._base, universe)
        with tempfile.TemporaryDirectory(prefix="wired-") as folder:
            for backend in _backends(universe, self._backends, Path(folder) / "package"):
                found = run(self._base, universe, backend)
                for tick, (ours, theirs) in enumerate(zip(expected, found, strict=True)):
                    assert ours.keys() == theirs.keys()
                    for name, values in ours.items():
                        place = f"{self._base.name}: {backend.name} differs in {name} after {tick} ticks"
                        assert torch.equal(values, theirs[name]), place
                        self.compared += values.numel()
        return expected


def _backends(universe: Universe, names: Sequence[BackendName], folder: Path) -> list[Backend]:
    result: list[Backend] = []
    if "ir" in names:
        # Passes see operations: what an attribute means is in what they start from.
        plain = Compilation.begin(universe)
        program = (plain.run().run(gpu_passes) if LONG else plain).program
        result.append(Executed(universe, program, "the program"))
    return [*result, *(candidate.backend for candidate in kernels(universe, names, LIMITS, folder))]
