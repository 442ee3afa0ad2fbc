"""`hamletc export --abi puffer5`: a trainer like PufferLib's sees the bits of `hamlet.make`, built as C and as C++."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from test_export_c import ALONE, MEETING

import hamlet
from hamlet.package.module import Module
from hamletc.cli.main import hamletc

FLYING = """
universe flying
space grid 3 x 3
lifespan 25 ticks
actions WAIT
control lift in -1 .. 2
meter height = 0.5 { decay 0.01 }
rule rises: height += 0.05 * lift
dies when height <= 0
reward height
observe { meters }
"""
HERE = Path(__file__).parent / "puffer5"
TICKS, SEED, ENVIRONMENTS, AGENTS = 300, 7, 2, 256
BUILDS = {"gcc": ("gcc", "-std=gnu11"), "g++": ("g++", "-std=c++17", "-x", "c++")}


def exported(text: str, folder: Path) -> str:
    """Writes an environment, and gives its name."""
    name = text.split()[1]
    (folder / f"{name}.hamlet").write_text(text, encoding="utf-8")
    result = CliRunner().invoke(
        hamletc, ["export", str(folder / f"{name}.hamlet"), "--abi", "puffer5", "-o", str(folder)]
    )
    assert result.exit_code == 0, result.output
    return name


def settings(folder: Path, name: str) -> list[str]:
    """The words `key value` of the section [env]."""
    section = (folder / "config" / f"{name}.ini").read_text(encoding="utf-8").partition("[env]\n")[2].partition("[")[0]
    return [word for pair in re.findall(r"^(\w+) = (\S+)$", section, re.MULTILINE) for word in pair]


@pytest.mark.parametrize(("text", "by"), [(ALONE, "gcc"), (ALONE, "g++"), (FLYING, "gcc")])
def test_a_trainer_sees_the_bits_of_kernels(
    tmp_path: Path, compiled: Callable[[str], Module], text: str, by: str
) -> None:
    """300 ticks of all environments are those of one batch of as many worlds."""
    if shutil.which(by) is None:
        pytest.skip(f"there is no {by}")
    name, lanes = exported(text, tmp_path), ENVIRONMENTS * AGENTS
    defines = f'-DENVIRONMENT="ocean/{name}/{name}.h"', f"-DDIGEST={name}_digest"
    little = "-Og", "-Dalways_inline=unused", "-DHAMLET_NARROW"
    flags = *little, "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", f"-I{HERE}", "-I."
    command = [*BUILDS[by], *flags, *defines, str(HERE / "trainer.c"), "-o", "trainer"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    env = hamlet.make(compiled(text), worlds=lanes, seed=SEED, backend="c", quiet=True)
    rng, steers = np.random.default_rng(3), bool(env.universe.controls)
    chosen = rng.uniform(-2, 3, (TICKS, lanes)) if steers else rng.integers(0, env.num_actions, (TICKS, lanes))
    ran = subprocess.run(
        ["./trainer", str(lanes), str(TICKS), *settings(tmp_path, name)],
        cwd=tmp_path, input=chosen.astype(np.float32).tobytes(), capture_output=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr.decode()
    rest, ended, masked = memoryview(ran.stdout), 0, 0 if steers else env.num_actions

    def same(size: int, values: torch.Tensor) -> None:
        nonlocal rest
        theirs, rest = rest[: size * lanes], rest[size * lanes :]
        assert bytes(theirs) == values.contiguous().numpy().tobytes()

    for actions in torch.from_numpy(chosen):
        controls = [actions.float().clamp(-1, 2)[None]] if steers else []
        env.step(torch.zeros(lanes, dtype=torch.int32) if steers else actions.int(), *controls)
        outcome, buffers = env.outcome, env._buffers
        over = outcome["terminated"] | outcome["truncated"]
        ended += int(over.sum())
        assert buffers.observation is not None
        same(4 * len(buffers.observation), buffers.observation.T)
        same(4, outcome["reward"])
        same(4, over.float())
        if masked:
            same(masked, buffers.mask.T.to(torch.uint8))
        else:
            rest = rest[lanes:]
    logged = dict(line.rsplit(" ", 1) for line in ran.stderr.decode().splitlines() if not line.startswith("digest"))
    assert ended > lanes
    assert float(logged["n"]) == ended
    parts = [
        hamlet.make(compiled(text), worlds=AGENTS, first_world=part * AGENTS, seed=SEED, backend="c", quiet=True)
        for part in range(ENVIRONMENTS)
    ]
    for part, actions in [(part, actions) for part in range(ENVIRONMENTS) for actions in chosen]:
        own = torch.from_numpy(actions[part * AGENTS : (part + 1) * AGENTS])
        controls = [own.float().clamp(-1, 2)[None]] if steers else []
        parts[part].step(torch.zeros(AGENTS, dtype=torch.int32) if steers else own.int(), *controls)
    assert re.findall(r"^digest (\w+)$", ran.stderr.decode(), re.MULTILINE) == [f"{each.digest():x}" for each in parts]


def test_what_puffer_has_no_place_for_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "meeting.hamlet"
    path.write_text(MEETING, encoding="utf-8")
    for arguments, said in (
        (["--abi", "puffer5"], "meeting has both"),
        (["--abi", "puffer5", "--to", "wasm"], "--abi puffer5 is of universes in C"),
    ):
        result = CliRunner().invoke(hamletc, ["export", str(path), *arguments, "-o", str(tmp_path / "out")])
        assert result.exit_code != 0
        assert said in result.output
    path.write_text(FLYING.replace("lifespan 25 ticks", "lifespan 25 ticks\nepisodes by hand"), encoding="utf-8")
    result = CliRunner().invoke(hamletc, ["export", str(path), "--abi", "puffer5", "-o", str(tmp_path / "out")])
    assert "no episodes by hand" in result.output
