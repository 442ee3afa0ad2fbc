"""A page that a policy plays: the bits are those of `env.rollout` with it, and the past knows who acted when."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import hamlet
from hamlet.package.module import Module
from hamlet.policies.zoo import ZOO
from hamletc.cli.main import hamletc
from hamletc.compile import check_file
from hamletc.frontend import Stopwatch
from hamletc.page.played import of_the_zoo, players
from hamletc.page.service import answered
from hamletc.page.told import interface
from saved_policies import run_of_roles, saved

UNIVERSES = Path(__file__).parents[3] / "universes"
FERRY = """universe ferry
space grid 4 x 3
clock 24 hours
lifespan 30 ticks
control effort in -1 .. 3
meter fuel = 0.6 { decay 0.02 }
affordance Pump at random open 2 .. 20 { instantly { fuel += 0.3 } }
affordance Quay at (1, 2) { instantly { fuel += 0.1 * effort } }
rule drifts: fuel += uniform(-0.02, 0.02)
dies when fuel <= 0
reward fuel
observe { meters  here }
"""
AGENTS = 4
TICKS = 50
"""Ticks in which it plays before random actions do."""
PLAYED = """
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
const [folder] = process.argv.slice(1);
const { Run } = await import(`${folder}/run.js`);
const read = async (suffix) => gunzipSync(await readFile(`${folder}/universes/ferry.${suffix}.gz`));
const about = JSON.parse(await read("json"));
const run = await Run.of(await read("wasm"), about, [await read("policy.wasm")]);
const setup = { agents: 1, seed: 11n, params: {}, by: "policy" };
run.begin(setup);
const proven = await run.proven();
for (let tick = 0; tick < 300; tick += 1) run.tick();
const promised = [];
for (const by of ["policy", "random"]) promised.push(await run.digest({ ...setup, by }) === run.worlds.digest());
run.begin(setup);
const [digests, acted] = [[run.worlds.digest()], [run.by]];
const plays = new Set([70, 95, 130]);
for (let tick = 1; tick <= 160; tick += 1) {
    if (plays.has(tick)) run.play(0, 1, { effort: 0.5 });
    else run.tick();
    digests.push(run.worlds.digest());
    if (tick % 50 === 0) run.turn(run.by === "policy" ? "random" : "policy");
    acted.push(run.by);
}
const wrong = [];
for (const tick of [159, 0, 1, 49, 50, 51, 69, 70, 99, 100, 101, 129, 130, 149, 151, 150, 160]) {
    run.back(tick);
    if (run.worlds.digest() !== digests[tick] || run.by !== acted[tick]) wrong.push(tick);
}
run.back(40);
for (let tick = 0; tick < 5; tick += 1) run.tick();
const again = run.worlds.digest() === digests[45];
run.back(20);
run.turn("random");
const other = run.worlds.digest() === digests[20];
for (let tick = 0; tick < 20; tick += 1) run.tick();
const parted = run.worlds.digest();
run.back(30);
run.back(40);
console.log(JSON.stringify({ proven, promised, learnt: digests[50], wrong, again, other,
                             by: run.by, from: about.policy.from,
                             kept: run.worlds.digest() === parted && parted !== digests[40] }));
"""


def page(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(hamletc, ["page", *map(str, arguments)])
    return done.exit_code, done.output


ROLES = """
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
const [folder, name, agents] = process.argv.slice(1);
const { Run } = await import(`${folder}/run.js`);
const { openShards } = await import(`${folder}/worlds.js`);
const read = async (suffix) => gunzipSync(await readFile(`${folder}/universes/${name}.${suffix}.gz`));
const about = JSON.parse(await read("json"));
const modules = await Promise.all(about.policy.roles.map(({ name }) => read(`policy.${name}.wasm`)));
const run = await Run.of(await read("wasm"), about, modules);
run.begin({ agents: Number(agents), seed: 11n, params: {}, by: "policy" });
for (let tick = 0; tick < 40; tick += 1) run.tick();
const proven = await run.proven();
const shards = await openShards(run.bytes, 2, { opener: `${folder}/player.js`, modules, about: about.policy });
await shards.begin({ worlds: 5, agents: Number(agents), seed: 11n });
await shards.rollout(40);
console.log(JSON.stringify({ proven, one: run.worlds.digest(), many: await shards.digest() }));
shards.close();
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
@pytest.mark.parametrize("name", ["tag", "ferries"])
def test_policies_of_roles_play_a_page_and_many_worlds(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each role by its own, in one world and in workers, as in a rollout; one of ferries has actions of its own, and
    remembers."""
    monkeypatch.setattr("hamletc.page.site.find_spec", lambda _: None)
    universe, policy = UNIVERSES / "gallery/tag.hamlet", "zoo:tag"
    if name == "ferries":
        policy = str(run_of_roles(tmp_path))
        universe = tmp_path / "ferries.hamlet"
    code, output = page(universe, "--policy", policy, "-o", tmp_path / "site")
    assert code == 0, output
    (tmp_path / "site/package.json").write_text('{"type": "module"}')
    command = ["node", "--input-type=module", "-e", ROLES, str(tmp_path / "site"), name, str(AGENTS)]
    node = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert node.returncode == 0, node.stderr
    module, digests = hamlet.compile(universe, tmp_path / "package"), []
    for worlds in (1, 5):
        env = hamlet.make(module, worlds=worlds, agents=AGENTS, seed=11, backend="interpreter", quiet=True)
        env.rollout(40, hamlet.policy(policy))
        digests.append(f"{env.digest():016x}")
    assert json.loads(node.stdout) == {"proven": None, "one": digests[0], "many": digests[1]}


def test_a_policy_plays_an_edited_text_while_agents_observe_and_do_the_same() -> None:
    universe = check_file(UNIVERSES / "gallery/tag.hamlet", Stopwatch()).universe
    text = (UNIVERSES / "gallery/tag.hamlet").read_text(encoding="utf-8")
    learnt = {"name": "zoo:tag", "fits": interface(universe), "roles": [{"name": "it"}, {"name": "runner"}]}

    def played(edited: str, policy: dict[str, Any] | None = learnt) -> Any:
        answer = json.loads(answered(json.dumps({"ask": "compile", "text": edited, "policy": policy})).said)
        return answer["about"]["policy"]

    same = played(text.replace("reward", "reward 0 +", 1) if "reward energy" in text else f"# mine\n{text}")
    assert (same["name"], [role["name"] for role in same["roles"]]) == ("zoo:tag", ["it", "runner"])
    assert played(text, None) is None
    assert played(text.replace("observe {", "observe { blank 1 ", 1)) is None


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Module]:
    """A folder with a universe and a policy of random weights for it, which remembers, and the universe."""
    folder = tmp_path_factory.mktemp("ferry")
    (folder / "ferry.hamlet").write_text(FERRY)
    module = hamlet.compile(folder / "ferry.hamlet", folder / "package")
    saved(folder / "policy.safetensors", module, memory=6)
    return folder, module


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
def test_a_policy_plays_a_page_as_it_plays_rollouts(
    ferry: tuple[Path, Module], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, module = ferry
    # The run of random actions that the interpreter proves takes seconds, and other tests look at it.
    monkeypatch.setattr("hamletc.page.site.find_spec", lambda _: None)
    policy = folder / "policy.safetensors"
    code, output = page(folder / "ferry.hamlet", "--policy", policy, "-o", folder / "site")
    assert (code, "1 universe" in output) == (0, True), output
    (folder / "site/package.json").write_text('{"type": "module"}')
    command = ["node", "--input-type=module", "-e", PLAYED, str(folder / "site")]
    node = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert node.returncode == 0, node.stderr
    done: dict[str, Any] = json.loads(node.stdout)
    # The picture asks whether the pump is open: policies observe what stands behind that.
    assert done.pop("from") > 0
    env = hamlet.make(module, worlds=1, seed=11, backend="interpreter", quiet=True)
    env.rollout(TICKS, hamlet.policy(policy))
    assert done == {
        "proven": None,
        "promised": [True, False],
        "learnt": f"{env.digest():016x}",
        "wrong": [],
        "again": True,
        "other": True,
        "by": "random",
        "kept": True,
    }


def test_a_page_of_the_gallery_has_policies_that_learnt_something() -> None:
    """Of hex, which the zoo plays well, not of alarm, which it plays at random, and not of roles."""
    paths = [UNIVERSES / f"gallery/{name}.hamlet" for name in ("alarm", "hex", "tag")]
    universes = [check_file(path, Stopwatch()).universe for path in paths]
    assert of_the_zoo(universes) == [Path("zoo:hex")]
    assert {number: each.name for number, each in players(of_the_zoo(universes), universes).items()} == {1: "zoo:hex"}


def test_a_policy_that_a_page_cannot_play_is_refused_before_anything_is_written(
    ferry: tuple[Path, Module], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder, _ = ferry
    policy = str(folder / "policy.safetensors")
    alone = tmp_path / "policy-runner.safetensors"
    alone.write_bytes((ZOO / "tag/policy-runner.safetensors").read_bytes())
    tag, own = str(UNIVERSES / "gallery/tag.hamlet"), str(folder / "ferry.hamlet")
    (tmp_path / "ferry.hamlet").write_text(FERRY.replace("decay 0.02", "decay 0.03"))
    for arguments, complaint in (
        ([own, "--policy", "zoo:bus"], "zoo:bus was learnt on bus, which is not on this page"),
        ([own, "--policy", policy, "--policy", policy], "play one universe: a page has one policy of each"),
        ([tag, "--policy", str(alone)], "has no policy for it, and a page plays all roles"),
        ([own, "--policy", "zoo:nobody"], "zoo:nobody is not there"),
        (["ferry.hamlet", "--policy", policy], "was learnt on another version of ferry: meter fuel differs"),
    ):
        code, output = page(*arguments, "-o", "site")
        assert (code, complaint in output) == (1, True), output
        assert not (tmp_path / "site").exists()
