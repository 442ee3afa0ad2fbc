"""`hamletc export --to wasm`: the module has the bits of every backend, in wasmtime and in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from test_export_c import ALONE, MEETING

import hamlet
from hamlet.backend.buffers import Shape
from hamlet.interpreter.digest import digest_of_run
from hamlet.universe import Universe
from hamletc.cli.main import hamletc
from hamletc.compile import check_file, lower, optimise, specialise
from hamletc.export.tested import agents_tested
from hamletc.export.wasm import export_wasm
from hamletc.frontend import Stopwatch

wasmtime: Any = pytest.importorskip("wasmtime")

ROOT = Path(__file__).parents[3]
UNIVERSES = ROOT / "universes"
WORLDS, SEED, TICKS = 5, 11, 24
OFTEN = (
    *("first_meal", "gallery/forest_fire", "gallery/vote", "gallery/momentum", "ports/virus"),
    *("ports/simple_spread", "gallery/workshop"),
)
"""Cells, contention, fused products, births, parts, and layouts that are drawn: of each a universe that has it."""
ALL = [str(path.relative_to(UNIVERSES).with_suffix("")) for path in sorted(UNIVERSES.rglob("*.hamlet"))]
SHIPPED = [each if each in OFTEN else pytest.param(each, marks=pytest.mark.long) for each in ALL]
DTYPES = {"f32": np.float32, "i32": np.int32, "u32": np.uint32, "bool": np.uint8}
NODE = """
import { readFile } from "node:fs/promises";
const { open } = await import(process.argv[1]);
const worlds = await open(await readFile(process.argv[2]));
const right = worlds.selftest();
worlds.begin({ worlds: 5, seed: 11n });
worlds.array("actions").fill(0);
worlds.step();
const said = [];
for (const wrong of [() => worlds.begin({ worlds: 2 ** 30 }), () => worlds.begin({ worlds: 1, agents: 0 }),
                     () => worlds.array("none"), () => { worlds.array("actions")[0] = -1; worlds.step(); }]) {
    try { wrong(); } catch (error) { said.push(error.message); }
}
console.log(JSON.stringify({ right, digest: worlds.digest(), ticks: worlds.ticks, said }));
"""
PURE = """
import sys
from pathlib import Path

class Refused:
    def find_spec(self, name, *_):
        if name.split(".")[0] in sys.argv[2].split(","):
            raise ImportError(name)

sys.meta_path.insert(0, Refused())
from hamletc.compile import check_file, lower, optimise, specialise
from hamletc.export.wasm import export_wasm
from hamletc.frontend import Stopwatch

universe = check_file(Path(sys.argv[1]), Stopwatch()).universe
print(sum(map(len, export_wasm(specialise(optimise(lower(universe)), "c"), 0).files.values())))
"""
"""Writes a module where Python is all that there is."""
ABSENT = "numpy,torch,triton,jinja2,lark,yaml,rich,rich_click,click,wasmtime,ctypes,fcntl"


class Worlds:
    """Worlds of a module in wasmtime."""

    def __init__(self, module: bytes) -> None:
        config = wasmtime.Config()
        config.cranelift_opt_level = "none"
        engine = wasmtime.Engine(config)
        self._store = wasmtime.Store(engine)
        compiled = wasmtime.Module(engine, module)
        self._exports = wasmtime.Instance(self._store, compiled, []).exports(self._store)
        # A module ends with its custom section.
        self.about = json.loads(module[module.index(b'{"universe"') :])
        self.lanes = self.worlds = 0

    def __call__(self, name: str, *arguments: int) -> int:
        return int(self._exports[name](self._store, *arguments) or 0)

    def begin(self, worlds: int, agents: int, seed: int) -> None:
        assert self("begin", worlds, agents, seed & 0xFFFFFFFF, seed >> 32) == 1
        self.lanes, self.worlds = worlds * agents, worlds

    @property
    def digest(self) -> int:
        return self("digest") % (1 << 64)

    def array(self, name: str) -> Any:
        """An array [rows, columns], in the memory of the module."""
        place, about = next((p, a) for p, a in enumerate(self.about["arrays"]) if a["name"] == name)
        columns = self.lanes if about["columns"] == "lanes" else self.worlds
        rows = about["pitch"] or (1 if about["rows"] is None else len(about["rows"]))
        dtype = DTYPES[about["type"]]
        begin, size = self("address", place) % (1 << 32), rows * columns * np.dtype(dtype).itemsize
        memory = self._exports["memory"]
        held = np.ctypeslib.as_array(memory.data_ptr(self._store), (memory.data_len(self._store),))
        return held[begin : begin + size].view(dtype).reshape(rows, columns)


def exported(path: Path) -> tuple[Worlds, Universe]:
    """A universe in WebAssembly; its digest is asked for by tests."""
    universe = check_file(path, Stopwatch()).universe
    files = export_wasm(specialise(optimise(lower(universe)), "c"), 0).files
    return Worlds(next(contents for file, contents in files.items() if file.endswith(".wasm"))), universe


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_universes_have_the_bits_of_the_interpreter(name: str) -> None:
    worlds, universe = exported(UNIVERSES / f"{name}.hamlet")
    agents = agents_tested(universe)
    worlds.begin(WORLDS, agents, SEED)
    worlds("rollout", TICKS)
    assert worlds.digest == digest_of_run(universe, Shape(WORLDS, agents), SEED, TICKS)


@pytest.mark.parametrize("text", [ALONE, MEETING], ids=["alone", "meeting"])
def test_worlds_step_as_those_of_the_interpreter(text: str, tmp_path: Path) -> None:
    path = tmp_path / f"{text.split()[1]}.hamlet"
    path.write_text(text, encoding="utf-8")
    worlds, universe = exported(path)
    agents = agents_tested(universe)
    env = hamlet.make(hamlet.compile(path), worlds=WORLDS, agents=agents, seed=SEED, backend="interpreter", quiet=True)
    worlds.begin(WORLDS, agents, SEED)
    rng = np.random.default_rng(1)

    def same() -> None:
        assert worlds.digest == env.digest()
        assert env._buffers.observation is not None
        for name, values in (("observation", env._buffers.observation), ("mask", env._buffers.mask)):
            theirs = values.contiguous().numpy()
            assert np.array_equal(worlds.array(name).view(np.uint8), theirs.view(np.uint8))

    same()
    for _ in range(12):
        actions = rng.integers(0, env.num_actions, worlds.lanes).astype(np.int32)
        controls = rng.uniform(-1, 1, (1, worlds.lanes)).astype(np.float32)
        given = [controls] if universe.controls else []
        worlds.array("actions")[:] = actions
        if given:
            worlds.array("controls")[:] = controls
        env.step(torch.from_numpy(actions), *map(torch.from_numpy, given))
        assert worlds("step") == 1
    same()
    worlds.array("age")[:] = env.universe.lifespan.ticks - 1
    env._buffers.state["age"].fill_(env.universe.lifespan.ticks - 1)
    assert worlds("step") == 1
    env.step(torch.from_numpy(actions), *map(torch.from_numpy, given))
    same()
    last = env._buffers.final_observation
    assert last is not None
    assert last.any()
    mine = worlds.array("final_observation").reshape(last.T.shape)
    assert np.array_equal(mine.view(np.uint32), last.T.contiguous().numpy().view(np.uint32))
    before = worlds.digest
    worlds.array("actions")[0, 1] = env.num_actions
    assert worlds("step") == 0
    assert worlds.digest == before
    worlds("reset", SEED + 1, 0)
    env.reset(seed=SEED + 1)
    same()
    assert worlds("ticks") == 0


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "meeting.hamlet"
    path.write_text(MEETING, encoding="utf-8")
    worlds, _ = exported(path)
    least, most = worlds.about["agents"]
    for asked in ((0, least), (1, least - 1), (1, most + 1), (-1, least), (2**31 - 1, least), (2**26, least)):
        assert worlds("bytes", *asked) == 0, asked
        assert worlds("begin", *asked, 0, 0) == 0, asked
    assert worlds("bytes", 1, least) > 0


def test_python_alone_writes_a_module() -> None:
    """As in a page, whose Python has neither packages nor a system."""
    command = [sys.executable, "-c", PURE, str(UNIVERSES / "gallery" / "forest_fire.hamlet"), ABSENT]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10_000


def test_a_page_opens_what_was_exported(tmp_path: Path) -> None:
    """In Node, with the file that is written beside the module."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node")
    path = tmp_path / "alone.hamlet"
    path.write_text(ALONE, encoding="utf-8")
    result = CliRunner().invoke(hamletc, ["export", str(path), "--to", "wasm", "-o", str(tmp_path)])
    assert result.output.splitlines() == [f"wrote {path.with_suffix(end)}" for end in (".wasm", ".js")]
    command = [node, "--input-type=module", "-e", NODE, str(path.with_suffix(".js")), str(path.with_suffix(".wasm"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    env = hamlet.make(hamlet.compile(path), worlds=5, seed=11, backend="interpreter", quiet=True)
    env.step(torch.zeros(5, dtype=torch.int32))
    assert said == {
        "right": True,
        "digest": f"{env.digest():016x}",
        "ticks": 1,
        "said": [
            "1073741824 worlds of 1 agents do not fit into a memory of 4 GiB",
            "worlds have 1 to 18 agents, not 0",
            "there is no array none",
            "actions are 0 to 6",
        ],
    }
