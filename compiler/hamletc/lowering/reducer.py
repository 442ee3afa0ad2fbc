"""The function of a stage in which agents meet, while it is being made: what a lane adds to each reduction."""

from __future__ import annotations

from dataclasses import dataclass, field

from hamletc.ir.function import STANDING, Function, Output, Reduction, ReductionOp, Stage, reducer
from hamletc.ir.ops import Value
from hamletc.lowering.lane import Lane
from hamletc.lowering.pairs import Pairs


@dataclass(slots=True)
class Reducer:
    """The function of a stage while it is being made; equal terms are made once. `counts`: reductions by operation.
    `pairs`: what depends on who asks. `cells`: the outputs that say at which cell a lane is, by the values."""

    stage: Stage
    lane: Lane
    counts: dict[str, int]
    pairs: Pairs = field(init=False)
    outputs: list[Output] = field(default_factory=list)
    reductions: list[Reduction] = field(default_factory=list)
    names: dict[tuple[ReductionOp, Value, Value | None, str], str] = field(default_factory=dict)
    cells: dict[Value, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pairs = Pairs(self.stage, self.lane, self.counts)

    def reduce(self, op: ReductionOp, term: Value, priority: Value | None = None, standing: str = STANDING) -> str:
        """The name of the reduction of a number or a condition; on cells, at those which an output says."""
        if (op, term, priority, standing) not in self.names:
            number = self.counts[op] = self.counts.get(op, -1) + 1
            self.names[op, term, priority, standing] = name = f"{op}.{number}"
            self.add(Reduction(self.stage, name, op, standing=standing), term)
            if priority is not None:
                self.outputs.append(Output(f"priority.{name}", priority))
        return self.names[op, term, priority, standing]

    def alike(self, term: Value, key: Value, asked: Value, keys: int, *, others: bool) -> str:
        """The name of the reduction of how many lanes, or other lanes, for which a term (BOOL) holds have the key (I32)
        that a lane asks for (I32); there are so many keys."""
        question: tuple[ReductionOp, Value, Value | None, str] = ("alike", term, asked, "others" if others else "")
        if question not in self.names:
            number = self.counts["alike"] = self.counts.get("alike", -1) + 1
            self.names[question] = name = f"alike.{number}"
            self.add(Reduction(self.stage, name, "alike", few=keys, others=others), term)
            self.outputs += [Output(f"key.{name}", key), Output(f"asked.{name}", asked)]
        return self.names[question]

    def posted(self, cell: Value) -> str:
        """The output that says at which cell a lane is that posts there (I32)."""
        if cell not in self.cells:
            self.cells[cell] = name = f"{STANDING}.{len(self.cells)}"
            self.outputs.append(Output(name, cell))
        return self.cells[cell]

    def add(self, reduction: Reduction, term: Value) -> None:
        """Add a reduction."""
        self.reductions.append(reduction)
        self.outputs.append(Output(f"term.{reduction.name}", term))

    @property
    def empty(self) -> bool:
        """Whether agents have nothing to do with each other in the stage."""
        return not self.all and not self.pairs.outputs

    @property
    def all(self) -> tuple[Reduction, ...]:
        """All reductions of the stage."""
        return (*self.reductions, *self.pairs.reductions)

    def finish(self) -> tuple[Function, ...]:
        """The functions."""
        outputs = (*self.outputs, *self.pairs.shows())
        of_lane = self.lane.builder.finish(reducer(self.stage), outputs)
        return (of_lane, self.pairs.finish()) if self.pairs.outputs else (of_lane,)
