"""Policies of roles out of Python: a file for each, which acts for the agents of its role, to the bit of a rollout."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from test_policy_exports import LITTLE, WARNED
from test_policy_wasm import write_universe

import hamlet
from hamlet.errors import EnvError
from hamlet.policies.files import written
from processes import Says
from saved_policies import ROLES, about_of, run_of_roles, tensors_of

WORLDS, AGENTS = 11, 6


def digest_of_rollout(run: Path) -> str:
    """The digest behind 40 ticks that are drawn and ten greedy ones."""
    env = hamlet.make(hamlet.load(run / "package"), worlds=WORLDS, agents=AGENTS, seed=7, quiet=True)
    env.rollout(40, hamlet.policy(run))
    env.rollout(10, hamlet.policy(run, greedy=True))
    return f"{env.digest():016x}"


PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ferries.h"
#include "ferries_policy_buoy.h"
#include "ferries_policy_boat.h"
#include "ferries_policy_gull.h"
enum { LANES = 66 };
int main(void) {
    static int32_t actions[LANES];
    static float controls[LANES], memory[FERRIES_POLICY_BOAT_MEMORY * LANES];
    size_t bytes = ferries_bytes(11, 6);
    ferries *it = ferries_begin(malloc(bytes), bytes, 11, 6, 7);
    if (it == NULL) return 1;
    if (ferries_policy_buoy_selftest() || ferries_policy_boat_selftest() || ferries_policy_gull_selftest()) return 2;
    for (int tick = 0; tick < 50; tick++) {
        const float *seen = ferries_observation(it);
        const uint8_t *mask = ferries_mask(it);
        int64_t now = ferries_ticks(it);
        if (tick == 40) memset(memory, 0, sizeof memory);
        ferries_policy_gull_act(seen, mask, LANES, 6, 7, now, tick >= 40, actions, controls);
        ferries_policy_boat_act(
            seen, mask, LANES, 6, 7, now, tick >= 40, actions, controls, ferries_age(it), memory);
        ferries_policy_buoy_act(seen, mask, LANES, 6, 7, now, tick >= 40, actions, controls);
        if (!ferries_step(it, actions, controls)) return 3;
    }
    printf("%016llx", (unsigned long long)ferries_digest(it));
    return 0;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler here")
@pytest.mark.parametrize("kind", ["HAMLET_NARROW", "HAMLET_SCALAR"])
def test_c_of_roles_acts_as_every_backend(kind: str, hamletc_says: Says, tmp_path: Path) -> None:
    run = run_of_roles(tmp_path)
    code, out, _ = hamletc_says("export", "ferries.hamlet", "--policy", run)
    names = [f"ferries_policy_{role}" for role in sorted(ROLES)]
    assert (code, out) == (0, "".join(f"wrote {name}.h\nwrote {name}.c\n" for name in ("ferries", *names)))
    code, out, _ = hamletc_says("export", run, "-o", "alone")
    assert (code, out) == (0, "".join(f"wrote alone/{name}.h\nwrote alone/{name}.c\n" for name in names))
    for name in names:
        assert Path(f"alone/{name}.c").read_bytes() == Path(f"{name}.c").read_bytes()
    Path("main.c").write_text(PROGRAM)
    files = ["ferries.c", "main.c", *(f"{name}.c" for name in names)]
    subprocess.run(["cc", *LITTLE.split(), f"-D{kind}", *WARNED, *files, "-o", "program"], check=True, timeout=300)
    done = subprocess.run(["./program"], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, digest_of_rollout(run))


PLAY = """
import { readFile } from "node:fs/promises";
const [folder] = process.argv.slice(1);
const { open } = await import(`${folder}/ferries.js`);
const { openPolicy } = await import(`${folder}/ferries_policy.js`);
const worlds = await open(await readFile(`${folder}/ferries.wasm`));
const roles = ["buoy", "boat", "gull"];
const files = await Promise.all(roles.map((role) => readFile(`${folder}/ferries_policy_${role}.wasm`)));
const opened = await Promise.all(files.map(openPolicy));
const right = opened.map((policy) => policy.selftest());
const play = (ticks, greedy) => {
    for (let tick = 0; tick < ticks; tick += 1) {
        for (const policy of opened) policy.act(worlds, { greedy });
        worlds.step();
    }
};
worlds.begin({ worlds: 11, agents: 6, seed: 7n });
play(40, false);
play(10, true);
const whole = worlds.digest();
worlds.begin({ worlds: 4, agents: 6, seed: 7n, first: 5 });
play(33, false);
console.log(JSON.stringify({ right, whole, part: Array.from(worlds.array("meters")) }));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
def test_webassembly_of_roles_acts_as_every_backend(hamletc_says: Says, tmp_path: Path) -> None:
    """In a shard of worlds too."""
    run = run_of_roles(tmp_path)
    code, out, _ = hamletc_says("export", run, "--to", "wasm")
    assert (code, out.count("wrote"), out.count("ferries_policy.js")) == (0, 4, 1)
    Path("package.json").write_text('{"type": "module"}')
    write_universe(tmp_path / "ferries.hamlet", Path())
    command = ["node", "--input-type=module", "-e", PLAY, str(Path().resolve())]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    env = hamlet.make(hamlet.load(run / "package"), worlds=WORLDS, agents=AGENTS, seed=7, quiet=True)
    env.rollout(33, hamlet.policy(run))
    part = [float(each) for each in env.meter("course").flatten()[5 * AGENTS : 9 * AGENTS]]
    assert json.loads(done.stdout) == {"right": [True] * 3, "whole": digest_of_rollout(run), "part": part}


def test_onnx_of_roles_takes_the_same_actions(hamletc_says: Says, tmp_path: Path) -> None:
    """Values, masks and actions are those of a role; here such a graph plays nobody."""
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    run = run_of_roles(tmp_path)
    code, out, _ = hamletc_says("export", run, "--to", "onnx")
    same = "100,000 of 100,000 likeliest actions are the same in onnxruntime; bits are not promised there"
    assert (code, out.splitlines()[4:]) == (0, [f"buoy: {same}", f"gull: {same}"])
    env = hamlet.make(hamlet.load(run / "package"), worlds=WORLDS, agents=AGENTS, seed=3, quiet=True)
    policy, role = hamlet.policy(run, greedy=True), env.roles["gull"]
    session = onnxruntime.InferenceSession("ferries_policy_gull.onnx", providers=["CPUExecutionProvider"])
    for _ in range(25):
        assert env.observation is not None
        seen = env.observation[role.lanes, : len(role.observation_names)].contiguous().numpy()
        mask = env.action_mask[role.lanes][:, list(role.action_numbers)].contiguous().numpy()
        action, controls = session.run(["action", "controls"], {"observation": seen, "mask": mask})
        actions, steered = policy.act(env)
        assert steered is not None
        assert [role.action_numbers[each] for each in action] == actions[role.lanes].tolist()
        assert np.allclose(controls, steered.T[role.lanes].numpy(), atol=1e-5)
        env.step(actions, steered)
    with pytest.raises(EnvError, match="is for the role 'boat', and graphs play all agents here: name its run"):
        hamlet.policy("ferries_policy_boat.onnx")


def test_a_role_that_cannot_be_written_is_a_line(hamletc_says: Says, tmp_path: Path) -> None:
    """Nothing is written, though the policies of other roles could be."""
    run = run_of_roles(tmp_path)
    module = hamlet.load(run / "package")
    lone = tmp_path / "policy-boat.safetensors"
    shutil.copy(run / lone.name, lone)
    stranger, large = shutil.copytree(run, tmp_path / "stranger"), shutil.copytree(run, tmp_path / "large")
    about = about_of(module, (4,), role="submarine")
    (stranger / "policy-submarine.safetensors").write_bytes(written(tensors_of(about), about))
    about = about_of(module, (4,), role="gull")
    (large / "policy-gull.safetensors").write_bytes(written(tensors_of(about), about))
    damaged = shutil.copytree(run, tmp_path / "damaged")
    content = bytearray((damaged / lone.name).read_bytes())
    content[-1] ^= 1
    (damaged / lone.name).write_bytes(content)
    other = shutil.copytree(run, tmp_path / "other")
    shutil.rmtree(other / "package")
    source = tmp_path / "ferries.hamlet"
    source.write_text(source.read_text().replace("course -= 0.1", "course -= 0.2"))
    hamlet.compile(source, other / "package")
    for named, words in (
        (lone, "policy-boat.safetensors is for a role, and no package beside it says whose that is: name its run"),
        (stranger, "policy-submarine.safetensors is for the role submarine, which ferries has not"),
        (large, "is for 3 values, 5 actions and 1 controls, and its universe has 2 values, 2 actions and 1 controls"),
        (damaged, "policy-boat.safetensors is damaged: its checksum is another"),
        (other, "was learnt on another version of ferries: action boat.RING differs"),
    ):
        for form in ("c", "wasm", "onnx"):
            code, out, said = hamletc_says("export", named, "--to", form, "-o", "out")
            assert (code, out, said.count("\n")) == (1, "", 1)
            assert words in said
            assert not Path("out").exists()
    code, out, _ = hamletc_says("export", run / lone.name, "-o", "out")
    assert (code, out) == (0, "wrote out/ferries_policy_boat.h\nwrote out/ferries_policy_boat.c\n")


def test_a_universe_is_written_with_a_policy_for_it_alone(hamletc_says: Says, tmp_path: Path) -> None:
    """A file of weights needs no package then: the universe says whose a role is."""
    run = run_of_roles(tmp_path)
    lone = tmp_path / "policy-boat.safetensors"
    shutil.copy(run / lone.name, lone)
    code, out, _ = hamletc_says("export", "ferries.hamlet", "--policy", lone, "--to", "wasm", "-o", "both")
    names = "ferries.wasm", "ferries.js", "ferries_policy_boat.wasm", "ferries_policy.js"
    assert (code, out) == (0, "".join(f"wrote both/{name}\n" for name in names))
    Path("other.hamlet").write_text(Path("ferries.hamlet").read_text().replace("0.3", "0.4"))
    only = "--policy is of a universe, in C or WebAssembly: without it a run is written alone"
    for arguments, words in (
        (("other.hamlet", "--policy", run), "was learnt on another version of ferries: action boat.TURN differs"),
        (("ferries.hamlet", "--policy", "zoo:tag"), "was learnt on tag"),
        (("ferries.hamlet", "--policy", "nowhere"), "cannot read nowhere"),
        (("ferries.hamlet", "--policy", run, "--to", "cuda"), only),
        (("ferries.hamlet", "--policy", run, "--abi", "puffer5"), only),
        ((run, "--policy", run), only),
    ):
        code, out, said = hamletc_says("export", *arguments, "-o", "out")
        assert (code, out, said.count("\n")) == (1, "", 1)
        assert words in said
        assert not Path("out").exists()
