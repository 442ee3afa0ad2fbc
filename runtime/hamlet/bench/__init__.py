"""How fast a universe runs on this machine: what `hamletc bench` measures."""

from hamlet.bench.cases import Case, cases, observable
from hamlet.bench.machine import available, machine
from hamlet.bench.measure import Measured, copy_bandwidth, measure
from hamlet.bench.traffic import bytes_per_agent_tick

__all__ = [
    "Case",
    "Measured",
    "available",
    "bytes_per_agent_tick",
    "cases",
    "copy_bandwidth",
    "machine",
    "measure",
    "observable",
]
