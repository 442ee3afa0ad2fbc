"""A training on a GPU has the weights of the CPU after each update, and waits for the GPU nowhere inside of one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from hamlet.package.module import Module
from samples import text

LESSONS = Path("universes/gallery/lessons.hamlet")
HORIZON, UPDATES = 12, 4

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no CUDA device"),
    pytest.mark.skipif(shutil.which(os.environ.get("HAMLET_CC", "cc").split()[0]) is None, reason="no compiler of C"),
]


@pytest.mark.parametrize(("hidden", "memory"), [((16,), 0), ((20, 48), 0), ((32, 16), 32)], ids=str)
def test_an_update_is_that_of_the_cpu_and_waits_for_nothing(
    compiled: Callable[..., Module], hidden: tuple[int, ...], memory: int
) -> None:
    pytest.importorskip("rich_click", reason="training needs the extra train")
    from hamlet_train.gpu.training import GpuLearner, GpuTraining
    from hamlet_train.ranks import Ranks
    from hamlet_train.run import Manifest
    from hamlet_train.settings import Settings
    from hamlet_train.training import begun

    module = compiled(LESSONS.read_text(encoding="utf-8"), "triton")
    settings = Settings(hidden=hidden, horizon=HORIZON, minibatches=3, rate=3e-3, memory=memory)
    # The second group has fewer lanes than the first one.
    manifest = Manifest("lessons", module.digest, "", (), {}, 70, 1, 3, 70 * HORIZON * UPDATES, settings)
    cpu = begun(module, manifest, Ranks(), 1)
    gpu = begun(module, manifest, Ranks(), 1, device="cuda")
    assert isinstance(gpu, GpuTraining)
    learner, episodes = gpu.crews[0].learner, 0
    assert isinstance(learner, GpuLearner)
    for update in range(UPDATES):
        (line,) = cpu.advance()
        episodes += line.episodes
        if update > 1:
            # Kernels were compiled, memory is there, and graphs are recorded.
            torch.cuda.set_sync_debug_mode("error")
        try:
            gpu.collect()
            learner.lesson.teach(learner.stored, learner.learned)
        finally:
            torch.cuda.set_sync_debug_mode("default")
        gpu.begin_anew()
        learner.leave()
        assert learner.learned.digest() == line.weights
        assert learner.lives.returns.tobytes() == cpu.crews[0].learner.lives.returns.tobytes()
    assert episodes > 0
    # Tick by tick act those who remember.
    assert (gpu.env._now.replays.work is None) == bool(memory)


def test_roles_with_controls_are_those_of_the_cpu(compiled: Callable[..., Module]) -> None:
    pytest.importorskip("rich_click", reason="training needs the extra train")
    from hamlet_train.ranks import Ranks
    from hamlet_train.run import Manifest
    from hamlet_train.settings import Settings
    from hamlet_train.training import begun

    module = compiled(text("drift"), "triton")
    settings = Settings(hidden=(8,), horizon=HORIZON, epochs=1, minibatches=2, rate=3e-3)
    manifest = Manifest("drift", module.digest, "", (), {}, 5, 3, 3, 15 * HORIZON * UPDATES, settings, shared=False)
    cpu, gpu = (begun(module, manifest, Ranks(), 1, device=device) for device in ("cpu", "cuda"))
    for update in range(UPDATES):
        lines = cpu.advance()
        if update:
            torch.cuda.set_sync_debug_mode("error")
        try:
            gpu.collect()
        finally:
            torch.cuda.set_sync_debug_mode("default")
        assert [each.update().weights for each in gpu.crews] == [line.weights for line in lines]
