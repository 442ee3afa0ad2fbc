"""Counterexamples of proofs as recorded runs, which `hamletc diff` gives backends again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import DTYPES, Shape
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamlet_lab.divergence.events import CPU, Candidate, Event, Inject, Reset, Step
from hamlet_lab.proof.report import Report
from hamlet_lab.verify.recording import Recording, record_events
from hamletc.kernel.statements import BEGINS

BESIDE = 33
"""Worlds of the launch beyond that of the lane, at most."""


def counterexample(report: Report) -> Recording | None:
    """The run in which a kernel leaves other words than the interpreter, by a sampled state that refutes it: all worlds
    are in this state, and their agents act alike. `None` where no state does, or one that no run leads to."""
    states = (each.counterexample for each in report.proof.failed if each.counterexample is not None)
    state = next(states, None)
    if state is None or not state.get(f"{BEGINS}[0]", 1):
        return None
    placement = report.kernel.placement
    worlds = min(state["worlds"], placement.world_of(state) + BESIDE)
    shape = Shape(worlds, placement.agents, state["first_world"], bool(state["waits"]))
    stream = Stream(state["seed_low"] | state["seed_high"] << 32, state["tick"])
    universe = report.universe
    interpreter = Candidate(Interpreter(universe, CPU), CPU)
    events = _events(report, state, shape)
    return record_events(f"counterexample of {report.architecture}", universe, interpreter, shape, stream, events)


def _events(report: Report, words: Mapping[str, int], shape: Shape) -> Iterator[Event]:
    yield Reset()
    placement = report.kernel.placement
    fields = schema.state_fields(report.universe)
    yield Inject({each.name: _values(each, placement.names(each.name), words, shape) for each in fields})
    if report.kernel.name == "reset":
        yield Reset()
    elif report.kernel.name == "step":
        actions = torch.tensor([words[f"{each}[0]"] for each in placement.names("actions")], dtype=torch.int32)
        yield Step(actions.repeat(shape.lanes // len(actions)))


def _values(field: schema.Field, names: Sequence[str], words: Mapping[str, int], shape: Shape) -> Tensor:
    """The array of a field with the same words in all columns, or in those of an agent."""
    count = (shape.lanes if field.per == "lane" else shape.worlds) // len(names)
    rows = [
        torch.stack([_value(words[f"{name}[{row}]"], field.dtype) for name in names]).repeat(count)
        for row in range(len(field.names))
    ]
    return rows[0] if field.rows is None else torch.stack(rows)


def _value(word: int, dtype: schema.DType) -> Tensor:
    if dtype == "bool":
        return torch.tensor(word != 0)
    return torch.tensor(word - ((word >> 31) << 32), dtype=torch.int32).view(DTYPES[dtype])
