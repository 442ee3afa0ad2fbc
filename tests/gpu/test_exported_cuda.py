"""`hamletc export --to cuda`, built by nvcc and run on a GPU: the bits of kernels in C, and a trainer that uses it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner

import hamlet
from hamlet.backend.digest import fnv1a
from hamlet.env.environment import Env
from hamlet.schema.roles import suited_agents
from hamletc.cli.main import hamletc
from hamletc.compile import compile_file

HERE = Path(__file__).parent
UNIVERSES = HERE.parents[1] / "universes"
TRAINER = HERE.parent / "unit" / "export" / "puffer5"
WORLDS, SEED, STEPS, TICKS = 1_000, 11, 6, 60

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no CUDA device"),
    pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc"),
]


def exported(universe: str, folder: Path, *options: str) -> str:
    """Writes a shipped universe in CUDA C; its name."""
    command = ["export", str(UNIVERSES / f"{universe}.hamlet"), "--to", "cuda", *options, "-o", str(folder)]
    result = CliRunner().invoke(hamletc, command)
    assert result.exit_code == 0, result.output
    return Path(universe).name


def built(folder: Path, source: Path, defines: Mapping[str, object]) -> Path:
    """A program of nvcc's, with its own defaults."""
    program = folder / "program"
    words = [f"-D{name}={value}" for name, value in defines.items()]
    command = ["nvcc", "-O3", "-arch=native", f"-I{folder}", *words, str(source), "-o", str(program)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def told(env: Env) -> str:
    """The digest of all worlds, of their observations and of their masks."""
    buffers = env._buffers
    assert buffers.observation is not None
    arrays = (each.contiguous().view(torch.uint8).numpy().tobytes() for each in (buffers.observation, buffers.mask))
    return " ".join(f"{each:x}" for each in (env.digest(), *map(fnv1a, arrays)))


@pytest.mark.parametrize("universe", ["town", "shifts", "gallery/predators", "gallery/forest_fire", "gallery/market"])
def test_worlds_have_the_bits_of_kernels_in_c(tmp_path: Path, universe: str) -> None:
    name = exported(universe, tmp_path)
    module = compile_file(UNIVERSES / f"{universe}.hamlet", tmp_path / "package")
    agents = suited_agents(module.universe, 1)
    env = hamlet.make(module, worlds=WORLDS, agents=agents, seed=SEED, backend="c", device="cpu", quiet=True)
    names = {"LAID": name, "LAY": f"{name}_lay", "WORLDS": f"{name}_worlds", "EXACT": f"{name}_exact"}
    names |= {f"{name.upper()}_AGENTS": str(agents)}
    names |= {"DIGEST": f"{name}_digest", "HASHED": f"{name}_hashed", "ENVIRONMENT": f'"{name}.cu"'}
    assert env._buffers.observation is not None
    sizes = {"SEEN_EACH": env._buffers.observation.shape[0], "ALLOWED_EACH": env.num_actions}
    program = built(tmp_path, HERE / "exported_worlds.cu", names | sizes)
    actions = np.random.default_rng(1).integers(0, env.num_actions, (STEPS, env.num_lanes)).astype(np.int32)
    words = [str(each) for each in (WORLDS, SEED, STEPS, TICKS, 0, 0)]
    ran = subprocess.run([str(program), *words], input=actions.tobytes(), capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    expected = [told(env)]
    for row in actions:
        env.step(torch.from_numpy(row))
        expected.append(told(env))
    env.rollout(TICKS)
    expected.append(told(env))
    assert ran.stdout.decode().splitlines() == expected
    assert len(set(expected)) == len(expected)


def test_a_trainer_sees_the_bits_of_kernels_in_c(tmp_path: Path) -> None:
    """The environment of PufferLib 5, whose trainer gives it actions on the host."""
    name, lanes = exported("town", tmp_path, "--abi", "puffer5"), 500
    shutil.copy(TRAINER / "pufferenv.h", tmp_path)
    shutil.copy(TRAINER / "trainer_on_gpu.cc", tmp_path / "trainer.cu")
    defines = {"ENVIRONMENT": f'"ocean/{name}/{name}.cu"', "DIGEST": f"{name}_digest"}
    defines |= {"LAID": name, "LAY": f"{name}_lay"}
    program = built(tmp_path, tmp_path / "trainer.cu", defines)
    module = compile_file(UNIVERSES / "town.hamlet", tmp_path / "package")
    env = hamlet.make(module, worlds=lanes, seed=SEED, backend="c", device="cpu", quiet=True)
    chosen = np.random.default_rng(3).integers(0, env.num_actions, (TICKS, lanes))
    ran = subprocess.run(
        [str(program), str(lanes), str(TICKS), "agents", "1", "seed", str(SEED)],
        input=chosen.astype(np.float32).tobytes(), capture_output=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr.decode()
    rest = memoryview(ran.stdout)
    for actions in torch.from_numpy(chosen):
        env.step(actions.int())
        over = env.outcome["terminated"] | env.outcome["truncated"]
        assert env._buffers.observation is not None
        for values in (env._buffers.observation.T, env.outcome["reward"], over.float()):
            expected = values.contiguous().numpy().tobytes()
            assert bytes(rest[: len(expected)]) == expected
            rest = rest[len(expected) :]
    assert not rest
