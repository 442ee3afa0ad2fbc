"""Compares kernels in C and Triton's interpreter with the definition on the rink, in steps and in rollouts. Prints what
was compared and what never fired; Triton decides when it is imported whether kernels run on its interpreter."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(Path(__file__).parents[2]))

import torch

import hamlet
from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import RandomPolicy, RecordedPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet.launch.cpu.kernels import just_in_time
from hamlet.launch.cpu.launch import CpuBackend
from hamlet.launch.gpu.launch import TritonBackend
from hamlet_lab.divergence.arrays import compare
from hamlet_lab.divergence.events import CPU, Candidate, Inject, Reset, Rollout, Runner, Step
from hamlet_lab.verify.fired import counting
from hamlet_lab.verify.injection import Injector
from samples.rink import RINK

TICKS = 3


def main() -> None:
    folder = Path(sys.argv[1])
    (folder / "rink.hamlet").write_text(RINK)
    module = hamlet.compile(folder / "rink.hamlet", folder / "package")
    universe, shape = module.universe, Shape(61, 5, 3)
    coverage = counting(universe)
    backends = [
        Interpreter(universe, CPU, coverage),
        CpuBackend(universe, just_in_time(module)),
        TritonBackend(universe, module.kernels("triton"), CPU),
    ]
    runners = [Runner(universe, Candidate(backend, CPU), shape, torch.float32) for backend in backends]
    injector, compared = Injector(universe, shape, 5), 0
    events = [Reset(), Rollout(TICKS, RandomPolicy(), True, injector.by_tick(TICKS, "inputs"))]
    for _ in range(3):
        events += [
            Inject(injector.state()),
            Step(injector.actions(0.4)),
            Step(injector.actions(0.4), injector.controls()),
        ]
    recorded = RecordedPolicy(torch.stack([injector.actions(0.4) for _ in range(TICKS)]))
    events += [Inject(injector.state()), Rollout(TICKS, recorded, True, injector.by_tick(TICKS, "inputs", "controls"))]
    events += [Rollout(TICKS, recorded, False), Rollout(TICKS, RandomPolicy(), False)]
    tick = (1 << 32) - 20
    for event in events:
        expected, *others = [runner.apply(event, Stream(7 << 40 | 3, tick)) for runner in runners]
        for runner, arrays in zip(runners[1:], others, strict=True):
            count, difference = compare(expected, arrays)
            assert difference is None, f"{runner.candidate.backend.name}: {event} {difference}"
            compared += count
        tick += getattr(event, "ticks", 1)
        tick %= 1 << 32
    print(f"{compared} values; never: {', '.join(coverage.never_fired) or 'nothing'}")


if __name__ == "__main__":
    main()
