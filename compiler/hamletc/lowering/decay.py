"""Step 3 of a tick: meters run down."""

from __future__ import annotations

from hamletc.lowering.lane import Lane
from hamletc.lowering.statements import pay


def decay(lane: Lane) -> None:
    """Subtract every meter's decay, in file order."""
    for meter in lane.universe.meters:
        if meter.decay is not None:
            pay(lane, f"meter {meter.name} decay", meter.span, meter.name, meter.decay, None)
