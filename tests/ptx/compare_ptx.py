"""python compare_ptx.py UNIVERSE FOLDER CAPABILITY SCENARIO...: the PTX of a universe and the interpreter.

A program of its own, because in the process of the tests Triton may have been imported for its interpreter. Each
scenario compiles few kernels: `hamletc verify UNIVERSE --ptx sm_90` compares more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from hamlet import load
from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import RandomPolicy, RecordedPolicy, Stream
from hamlet.interpreter import Coverage, Interpreter
from hamlet.universe import Universe
from hamlet_lab.divergence.events import CPU, Event, Inject, Reset, Rollout, Step
from hamlet_lab.divergence.locate import locate
from hamlet_lab.divergence.session import Scenario, Session, Side
from hamlet_lab.ptx.backend import PtxBackend
from hamlet_lab.verify import Candidate, Divergence
from hamlet_lab.verify.fired import counting
from hamlet_lab.verify.injection import Injector
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.package import write
from samples import sample

TICKS = 7
SCENARIOS = {
    # Four blocks and a bit.
    "alone": Scenario("alone", Shape(131, 1), Stream(0x9E3779B97F4A7C15, 5), torch.float32),
    # Eight worlds in a block: six blocks, the last one for five worlds. The tick wraps around.
    "together": Scenario("together", Shape(45, 3, first_world=1000), Stream(7, 2**32 - 7), torch.bfloat16),
    # A world in a block of two warps.
    "crowd": Scenario("crowd", Shape(3, 40), Stream(11, 2), torch.float32),
}


def events(universe: Universe, scenario: Scenario, coverage: Coverage) -> Iterator[Event]:
    """Every kernel, from injected states."""
    injector = Injector(universe, scenario.shape, 11)
    alone = scenario.shape.agents == 1
    yield Reset()
    for number in range(40):
        state = injector.state()
        if number == 1 and universe.lifespan is not None:
            # However many agents a world has, it starts anew.
            state["age"].fill_(universe.lifespan.ticks - 1)
        yield Inject(state)
        yield Step(injector.actions(0.5))
        yield Step(injector.actions(0.5))
        if not coverage.never_fired:
            break
    actions = torch.stack([injector.actions(0.3) for _ in range(TICKS)])
    yield Rollout(TICKS, RecordedPolicy(actions) if alone else RandomPolicy(), True)
    if alone:
        yield Rollout(TICKS, RandomPolicy(), False)


def compare(universe: Universe, backend: PtxBackend, scenario: Scenario) -> tuple[int, Divergence | None, Coverage]:
    """How many values were compared, the first difference, and what fired."""
    coverage = counting(universe)
    left, right = (Side(each.name, universe, Candidate(each, CPU)) for each in (Interpreter(universe, CPU), backend))
    session = Session(left, [right], scenario, coverage)
    for event in events(universe, scenario, coverage):
        if parting := session.run(event):
            return session.compared, locate(parting), coverage
    return session.compared, None, coverage


def main(name: str, folder: Path, capability: int, scenarios: list[str]) -> int:
    torch.set_num_threads(1)
    write(build(sample(name), Options(targets=("triton",)), Stopwatch()), folder)
    module = load(folder)
    backend = PtxBackend(module.universe, module.kernels("triton"), capability)
    for scenario in scenarios:
        compared, divergence, coverage = compare(module.universe, backend, SCENARIOS[scenario])
        if divergence is not None or coverage.never_fired:
            print(f"{name}: {backend.name}: {divergence or f'never fired: {coverage.never_fired}'}")
            return 1
        print(f"{name} {scenario}: {backend.name} equals the interpreter in {compared} values")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]))
