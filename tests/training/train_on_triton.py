"""A training of roles, by kernels in C and by those of Triton on its interpreter.

    python train_on_triton.py UNIVERSE UPDATES

It prints, for each update of each role, whether both have the same line to the bit, and whether episodes ended. It
wants TRITON_INTERPRET=1.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from hamlet.launch.gpu.interpreted import make_interpreter_exact
from hamlet_train.checkpoint import MEMORY
from hamlet_train.learning import Training
from hamlet_train.past import Self
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, packaged
from hamlet_train.schedule import Change
from hamlet_train.settings import Settings
from hamlet_train.training import begun

WORLDS, AGENTS, HORIZON = 3, 3, 8
SHORT = 4
"""Episodes end in the second update."""
GROUPED = 21 * 4
"""Worlds of four groups."""


def main() -> None:
    """The command line."""
    make_interpreter_exact()
    updates = int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        module = packaged(Path(sys.argv[1]), Path(folder) / "package")
        settings = Settings(hidden=(8,), horizon=HORIZON, epochs=1, minibatches=2, rate=3e-3)
        ticks = WORLDS * AGENTS * HORIZON * updates
        manifest = Manifest("", module.digest, "", (), {}, WORLDS, AGENTS, 3, ticks, settings, shared=False)
        # Settings change behind the first update.
        other = replace(settings, epochs=2, minibatches=3, rate=1e-3, discount=0.9, trace=0.8, clip=0.1, entropy=0.02)
        changes = (Change(1, replace(other, value=0.4, norm=0.3)),)
        changing = replace(manifest, changes=changes, ticks=WORLDS * AGENTS * HORIZON * 2)
        cpu, gpu = begun(module, changing, Ranks(), 1), begun(module, changing, Ranks(), 1, device="cuda")
        for _ in range(2):
            compare(cpu, gpu)
        # The first role as it is now plays beside the others, who are a team.
        fixed = dict([next(iter(cpu.policies().items()))])
        beside = replace(manifest, settings=replace(settings, team=1), ticks=manifest.ticks // updates)
        compare(begun(module, beside, Ranks(), 1, fixed), begun(module, beside, Ranks(), 1, fixed, "cuda"))
        # Past selves play in half of the groups of worlds.
        shorter = replace(settings, horizon=SHORT)
        few = replace(manifest, settings=shorter, worlds=GROUPED, past=2, ticks=GROUPED * AGENTS * SHORT * 2)
        cpu, gpu = begun(module, few, Ranks(), 1), begun(module, few, Ranks(), 1, device="cuda")
        for _ in range(2):
            compare(cpu, gpu)
        # Agents remember, and critics that see the world remember nothing.
        minded = replace(shorter, hidden=(32, 8), memory=32, critic=1)
        lasting = replace(manifest, settings=minded, ticks=WORLDS * AGENTS * SHORT * 2)
        cpu, gpu = begun(module, lasting, Ranks(), 1), begun(module, lasting, Ranks(), 1, device="cuda")
        for _ in range(2):
            compare(cpu, gpu)
        # Past selves know what is remembered of the episodes that they come into.
        brief = replace(minded, critic=0, horizon=3, minibatches=1)
        knowing = replace(few, settings=brief, ticks=GROUPED * AGENTS * brief.horizon * 2)
        both = begun(module, knowing, Ranks(), 1), begun(module, knowing, Ranks(), 1, device="cuda")
        for each in both:
            heed(each)
        for _ in range(2):
            compare(*both)
        known = [remembered(each) for each in both]
        print("past", "known" if known[0] == known[1] else "known differently")
        # The first role, as it is now, remembers beside others who learn; so it does after checkpoints.
        fixed = dict([next(iter(cpu.policies().items()))])
        both = begun(module, lasting, Ranks(), 1, fixed), begun(module, lasting, Ranks(), 1, fixed, "cuda")
        for _ in range(2):
            compare(*both)
            (role, of_cpu, size), (_, of_gpu, _) = (each.memories()[0] for each in both)
            pairs = [(getattr(of_cpu, name), getattr(of_gpu, name)) for name in MEMORY]
            same = all(mine.tobytes() == other.tobytes() and mine.any() for mine, other in pairs)
            print(role, size, "remembers" if same else "remembers differently")
            # As what was written and read again.
            for memory in of_cpu, of_gpu:
                memory.hidden[:] *= np.float32(0.5)
            for each in both:
                each.remember()
        # Critics that see the world learn beside all of them, layer by layer.
        judged = replace(manifest, settings=replace(settings, critic=1, hidden=(8, 16, 8)))
        cpu, gpu = begun(module, judged, Ranks(), 1), begun(module, judged, Ranks(), 1, device="cuda")
        for _ in range(updates):
            compare(cpu, gpu)


def heed(training: Training) -> None:
    """Have the actions of crews depend on the little that they remember, and those of their past selves be others."""
    assert training.past is not None
    for each in training.crews:
        for weights, _ in each.learner.network.views(each.learner.learned.parameters)[1:]:
            weights *= 20
        each.learner.take()
    training.past.selves[:] = [Self(0, tuple(-each.learner.learned.parameters for each in training.crews))]


def remembered(training: Training) -> list[bytes]:
    """The bytes of what crews remember."""
    for each in training.crews:
        each.learner.leave()
    return [getattr(each.store.memory, name).tobytes() for each in training.crews for name in MEMORY]


def compare(cpu: Training, gpu: Training) -> None:
    """Print what an update of both is like."""
    for mine, other in zip(cpu.advance(), gpu.advance(), strict=True):
        # NaN of a norm that is not noted is not equal to itself.
        same = "same" if repr(mine) == repr(other) else "different"
        print(mine.role, same, "ended" if mine.episodes else "going on")


if __name__ == "__main__":
    main()
