"""`hamletc export RUN --to wasm`: a policy goes the way of every backend, and worlds in threads that of one."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from test_policy_exports import BOAT, SHOP, run_of

import hamlet
from hamlet.policies.described import read_described
from hamletc.compile import check_file, lower, optimise, specialise
from hamletc.export.policy_wasm import export_policy_wasm
from hamletc.export.wasm import export_wasm
from hamletc.frontend import Stopwatch

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
PLAY = """
import { readFile } from "node:fs/promises";
const [name] = process.argv.slice(1);
const { open } = await import(`${name}.js`);
const { openPolicy } = await import(`${name}_policy.js`);
const worlds = await open(await readFile(`${name}.wasm`));
const policy = await openPolicy(await readFile(`${name}_policy.wasm`));
const right = policy.selftest();
worlds.begin({ worlds: 67, seed: 7n });
policy.rollout(worlds, 40);
policy.rollout(worlds, 10, { greedy: true });
const whole = worlds.digest();
worlds.begin({ worlds: 20, seed: 7n, first: 30 });
policy.rollout(worlds, 40);
const part = Array.from(worlds.array("meters"));
console.log(JSON.stringify({ right, whole, part }));
"""
SHARDS = """
import { readFile } from "node:fs/promises";
const [name] = process.argv.slice(1);
const { open, openShards } = await import(`${name}.js`);
const bytes = await readFile(`${name}.wasm`);
const one = (await open(bytes)).begin({ worlds: 21, seed: 5n });
one.rollout(30);
const digests = [one.digest()];
for (const threads of [1, 3]) {
    const shards = await openShards(bytes, threads);
    const said = await shards.rollout(1).then(() => null, (error) => error.message);
    await shards.begin({ worlds: 21, seed: 5n });
    await shards.rollout(10);
    await shards.rollout(20);
    digests.push(await shards.digest(), said);
    shards.close();
}
console.log(JSON.stringify(digests));
"""


def node(script: str, name: Path) -> dict[str, object] | list[object]:
    command = ["node", "--input-type=module", "-e", script, str(name)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    result: dict[str, object] | list[object] = json.loads(done.stdout)
    return result


def write_universe(path: Path, folder: Path) -> None:
    universe = check_file(path, Stopwatch()).universe
    for file, contents in export_wasm(specialise(optimise(lower(universe)), "c"), 0).files.items():
        (folder / file).write_bytes(contents)


@pytest.mark.parametrize(
    ("text", "others"),
    [
        (SHOP, {"hidden": (8, 8, 8), "activation": "relu"}),
        (BOAT, {"hidden": (5,)}),
        (SHOP, {"hidden": (32, 20), "memory": 32}),
        (BOAT, {"hidden": (5, 9, 4), "memory": 6}),
    ],
    ids=["relu", "controls", "memory", "memory-controls"],
)
def test_a_policy_acts_in_a_browsers_form_as_everywhere(text: str, others: dict[str, object], tmp_path: Path) -> None:
    """Drawn for 40 ticks and greedy for ten, as a rollout of Python goes; and in a shard of worlds."""
    name, run = text.split()[1], run_of(tmp_path, text, **others)
    module = hamlet.load(run / "package")
    exported = export_policy_wasm(read_described(run / "policy.safetensors"), module.universe)
    assert set(exported.files) == {f"{name}_policy.wasm", f"{name}_policy.js"}
    for file, contents in exported.files.items():
        (tmp_path / file).write_bytes(contents)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    write_universe(tmp_path / f"{name}.hamlet", tmp_path)
    done = node(PLAY, tmp_path / name)
    assert isinstance(done, dict)
    env = hamlet.make(module, worlds=67, seed=7, backend="interpreter", quiet=True)
    policy = hamlet.policy(run)
    env.rollout(40, policy)
    names = [meter.name for meter in module.universe.meters]
    part = [float(value) for each in names for value in env.meter(each).flatten()[30:50]]
    # It goes on with what it remembers.
    policy.greedy = True
    env.rollout(10, policy)
    assert done == {"right": True, "whole": f"{env.digest():016x}", "part": part}


def test_threads_show_in_no_bit(tmp_path: Path) -> None:
    path = tmp_path / "shop.hamlet"
    path.write_text(SHOP)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    write_universe(path, tmp_path)
    done = node(SHARDS, tmp_path / "shop")
    env = hamlet.make(hamlet.compile(path), worlds=21, seed=5, backend="interpreter", quiet=True)
    env.rollout(30)
    early = "there are no worlds yet: call begin"
    assert done == [f"{env.digest():016x}"] + [f"{env.digest():016x}", early] * 2
