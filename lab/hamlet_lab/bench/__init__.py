"""How fast a universe runs on this machine: what `hamletc bench` measures."""

from hamlet_lab.bench.cases import Case, cases, observable
from hamlet_lab.bench.machine import available, machine
from hamlet_lab.bench.measure import CaseRates, copy_bandwidth, measure
from hamlet_lab.bench.traffic import bytes_per_agent_tick

__all__ = [
    "Case",
    "CaseRates",
    "available",
    "bytes_per_agent_tick",
    "cases",
    "copy_bandwidth",
    "machine",
    "measure",
    "observable",
]
