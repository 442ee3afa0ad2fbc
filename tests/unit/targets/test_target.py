"""Which targets kernels are written for."""

from __future__ import annotations

import pytest

from hamletc.targets.target import ON_REQUEST, target_names, targets_for, working_targets


@pytest.mark.parametrize("runners", [(), ("c",), ("wasm",), ("interpreter", "c", "wasm"), ("nobody",)])
def test_targets_on_request_are_written_where_they_are_named(runners: tuple[str, ...]) -> None:
    """And those that can be loaded always, each once, in the order of all."""
    assert "wasm" in ON_REQUEST
    found = targets_for(runners)
    assert set(found) == {*working_targets(), *(ON_REQUEST & set(runners))}
    assert "c" in found
    assert found == tuple(name for name in target_names() if name in found)
