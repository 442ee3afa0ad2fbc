"""A universe in the middle of being compiled: each stage takes what is known of it and passes it on.

    plan      what is unrolled and what becomes tables and loops    (hamletc.lowering.plan)
    program   the tick IR as it is now                              (hamletc.ir.function)
    facts     what is known of the inputs of its functions          (hamletc.passes.facts)

Facts are found once, for the program as it was lowered: they are about the state, which passes do not change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace

from hamlet.frozen import dataclass
from hamlet.universe import Universe
from hamletc.frontend import Stopwatch
from hamletc.ir.function import Function, Program
from hamletc.ir.verifier import verify_program
from hamletc.lowering.lower import lower_planned
from hamletc.lowering.plan import LIMITS, Limits, Plan, plan
from hamletc.passes import few_priorities
from hamletc.passes.facts import facts_of
from hamletc.passes.pipeline import Chosen, Done, default_passes, run
from hamletc.passes.ranges import Facts


@dataclass(frozen=True, slots=True)
class Compilation:
    """A compilation, which stages hand on.

    Attributes:
        disabled: names of passes to leave out.
        stopwatch: takes the seconds of each pass.
        observer: called after every pass with its name and the function it made.
        edit: changes what was lowered, before the passes run; only to measure what a part costs.
        notes: what a target chose, and why; for readers of its kernels.
        done: the passes that were run last.
    """

    universe: Universe
    plan: Plan
    program: Program
    facts: Facts
    disabled: frozenset[str] = frozenset()
    stopwatch: Stopwatch = field(default_factory=Stopwatch)
    observer: Callable[[str, Function], None] | None = None
    edit: Callable[[Program], Program] | None = None
    notes: tuple[str, ...] = ()
    done: Done | None = None

    @classmethod
    def begin(cls, universe: Universe, limits: Limits = LIMITS) -> Compilation:
        """The universe lowered: exact, and not yet optimised."""
        planned = plan(universe, limits)
        return cls.of(planned, lower_planned(planned))

    @classmethod
    def of(cls, planned: Plan, program: Program) -> Compilation:
        """A program of the universe, of which nothing is known yet."""
        universe = planned.universe
        return cls(universe, planned, program, facts_of(universe, program))

    def with_program(self, program: Program) -> Compilation:
        """Another program of the universe, of which the same is known."""
        return replace(self, program=program, facts=self.facts.of(program))

    def run(self, choose: Chosen = default_passes) -> Compilation:
        """The program after passes that are chosen by its facts; the time of each is that over all functions."""
        times: dict[str, float] = {}

        def observe(name: str, _before: Function, after: Function, seconds: float) -> None:
            times[name] = times.get(name, 0.0) + seconds
            if self.observer is not None:
                self.observer(name, after)

        result = run(self.program, self.facts, self.disabled, observe, choose, self.done)
        self.stopwatch.laps += [(f"pass {name}", seconds) for name, seconds in times.items()]
        return replace(self.with_program(result), done=Done(self.program, result, choose))

    def replanned(self, planned: Plan) -> Program:
        """The optimised program of another plan. Where it is lowered alike the same passes are not run again; their
        time is that of whoever asks."""
        program, done = lower_planned(planned), self.done
        if done is None or self.edit is not None or program.tables != done.before.tables:
            done = None
        else:
            lowered = {function.name: function for function in done.before.functions}
            alike = (f if f != lowered.get(f.name) else lowered[f.name] for f in program.functions)
            program = replace(program, functions=tuple(alike))
        again = replace(self.with_program(program), stopwatch=Stopwatch(), done=done)
        return again.optimised().program

    def after(self, name: str, work: Callable[[Compilation], Program], verified: bool = False) -> Compilation:
        """The program after a pass over whole programs, unless that is left out; verified, like those of functions,
        where the work has not `verified` it."""
        if name in self.disabled:
            return self
        program = self.stopwatch.lap(f"pass {name}", lambda: work(self))
        if not verified:
            verify_program(program, self.program)
        return self.with_program(program)

    def optimised(self) -> Compilation:
        """A program that was just lowered, after all passes."""
        return self.edited().after(few_priorities.NAME, _few_priorities).run()

    def edited(self) -> Compilation:
        """A program that was just lowered, as `edit` changes it. It need not do the same."""
        if self.edit is None:
            return self
        program = self.edit(self.program)
        return replace(self, program=program, facts=facts_of(self.universe, program))


def _few_priorities(compilation: Compilation) -> Program:
    return few_priorities.few_priorities(compilation.program, compilation.facts)
