"""Policies outside of Python: in C with the bits of every backend, as ONNX with the same likeliest actions."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import hamlet
from hamlet.package.module import Module
from hamlet.policies.described import read_described
from hamlet.policies.files import written
from hamlet.policies.samples import digest_of_actions
from hamletc.export.policy_c import export_policy_c, layers_of
from processes import Says
from saved_policies import about_of, saved, tensors_of

SHOP = """universe shop
space grid 4 x 3
lifespan 30 ticks
meter food = 0.6 { decay 0.02 }
affordance Stall at random { instantly { food += 0.3 } }
dies when food <= 0
reward food
observe { meters  here }
"""
BOAT = """universe boat
space none
lifespan 20 ticks
control rudder in -1 .. 3
control sail in 0 .. 1
control flag in -2 .. 2
meter course = 0 in -10 .. 10
action RING { course -= 0.1 }
rule turns: course += rudder * sail + flag * uniform(0, 0.5)
dies when abs(course) > 9
reward 1
observe { meters }
"""
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "NAME.h"
#include "NAME_policy.h"
int main(void) {
    static int32_t actions[67];
    static float controls[3 * 67], memory[100 * 67];
    size_t bytes = NAME_bytes(67, 1);
    NAME *it = NAME_begin(malloc(bytes), bytes, 67, 1, 7);
    (void)controls;
    if (it == NULL || NAME_policy_selftest() != 0) return 1;
    for (int tick = 0; tick < 50; tick++) {
        if (tick == 40) memset(memory, 0, sizeof memory);
        NAME_policy_act(NAME_observation(it), NAME_mask(it), 67, 7, NAME_ticks(it), tick >= 40, ARGUMENTS RECALLS);
        if (!NAME_step(it, ARGUMENTS)) return 2;
    }
    printf("%llx", (unsigned long long)NAME_digest(it));
    return 0;
}
"""


LITTLE = "-Og -Dalways_inline=unused"
"""A compiler does half of its work: small functions are compiled once, not wherever they are called."""
WARNED = ("-std=c99", "-Wall", "-Wextra", "-Werror")


def run_of(folder: Path, text: str, **others: object) -> Path:
    """The folder of a run: a manifest, a package and weights."""
    source = folder / f"{text.split()[1]}.hamlet"
    source.write_text(text)
    module = hamlet.compile(source, folder / "run" / "package")
    (folder / "run" / "manifest.json").write_text("{}")
    saved(folder / "run" / "policy.safetensors", module, **others)  # type: ignore[arg-type]  # hidden and others
    return folder / "run"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path, str], str]:
    """The object file of an exported universe, compiled once with these options."""
    folder = tmp_path_factory.mktemp("objects")

    def of(source: Path, options: str) -> str:
        target = folder / f"{source.stem}{options.replace(' ', '')}.o"
        if not target.exists():
            subprocess.run(["cc", *options.split(), *WARNED, "-c", source, "-o", target], check=True, timeout=300)
            target.with_suffix(".c").write_bytes(source.read_bytes())
        assert target.with_suffix(".c").read_bytes() == source.read_bytes()
        return str(target)

    return of


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler here")
@pytest.mark.parametrize(
    ("text", "others", "options"),
    [
        (SHOP, {}, f"{LITTLE} -DHAMLET_NARROW"),
        (SHOP, {"hidden": (8, 8, 8), "activation": "relu"}, f"{LITTLE} -DHAMLET_SCALAR"),
        (BOAT, {"hidden": (5,)}, f"{LITTLE} -DHAMLET_SCALAR"),
        (SHOP, {"hidden": (32, 20), "memory": 32}, f"{LITTLE} -DHAMLET_SCALAR"),
        (BOAT, {"hidden": (5, 9, 4), "memory": 6}, f"{LITTLE} -DHAMLET_NARROW"),
    ],
    ids=["actions", "relu", "controls", "memory", "memory-controls"],
)
def test_c_acts_as_every_backend(
    text: str,
    others: dict[str, object],
    options: str,
    hamletc_says: Says,
    built: Callable[[Path, str], str],
    tmp_path: Path,
) -> None:
    """A universe and its policy, both in C, go the way that a rollout goes, drawn for 40 ticks and greedy for ten,
    of which a memory knows no tick before."""
    name, run = text.split()[1], run_of(tmp_path, text, **others)
    assert hamletc_says("export", f"{name}.hamlet")[0] == 0
    code, out, _ = hamletc_says("export", run, "--to", "c")
    assert (code, out) == (0, f"wrote {name}_policy.h\nwrote {name}_policy.c\n")
    arguments = "actions, controls" if text == BOAT else "actions"
    recalls = ", NAME_age(it), memory" if "memory" in others else ""
    Path("main.c").write_text(PROGRAM.replace("ARGUMENTS", arguments).replace("RECALLS", recalls).replace("NAME", name))
    files = f"{name}_policy.c", "main.c", built(Path(f"{name}.c"), options)
    subprocess.run(["cc", *options.split(), *WARNED, *files, "-o", "program"], check=True, timeout=300)
    done = subprocess.run(["./program"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0
    env = hamlet.make(hamlet.load(run / "package"), worlds=67, seed=7, quiet=True)
    env.rollout(40, hamlet.policy(run))
    env.rollout(10, hamlet.policy(run, greedy=True))
    assert done.stdout == f"{env.digest():x}"


def test_equal_policies_are_equal_texts_and_say_their_universe(
    compiled: Callable[[str], Module], tmp_path: Path
) -> None:
    module = compiled(SHOP)
    first, second = (read_described(saved(tmp_path / "weights", module)) for _ in range(2))
    assert export_policy_c(first, None).files == export_policy_c(second, module.universe).files
    head = export_policy_c(first, None).files["shop_policy.h"].decode()
    assert f'#define SHOP_POLICY_UNIVERSE "{module.digest}"' in head
    other = read_described(saved(tmp_path / "weights", module, (9,)))
    assert len({digest_of_actions(layers_of(each), range(64), 7, 3) for each in (first, second, other)}) == 2


def test_onnx_takes_the_same_actions(hamletc_says: Says, tmp_path: Path) -> None:
    """Those of 100,000 observations, and in worlds; controls are the means within their ranges, and what is remembered
    goes round."""
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    for number, (text, others) in enumerate(((SHOP, {}), (BOAT, {}), (SHOP, {"hidden": (32, 20), "memory": 32}))):
        folder = tmp_path / str(number)
        folder.mkdir()
        run = run_of(folder, text, **others)
        code, out, _ = hamletc_says("export", run, "--to", "onnx", "-o", "out")
        assert code == 0
        assert "100,000 of 100,000 likeliest actions are the same in onnxruntime; bits are not promised there" in out
        file = f"out/{text.split()[1]}_policy.onnx"
        session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
        policy = hamlet.policy(run, greedy=True)
        env, other = (hamlet.make(hamlet.load(run / "package"), worlds=50, seed=3, quiet=True) for _ in range(2))
        recalled = {each.name: np.zeros((50, each.shape[1]), np.float32) for each in session.get_inputs()[2:3]}
        acted = np.zeros(50, np.int64)
        for _ in range(35):
            assert env.observation is not None
            given = {"observation": env.observation.contiguous().numpy(), "mask": env.action_mask.contiguous().numpy()}
            if others:
                given |= recalled | {"acted": np.where(env.state["age"].numpy() == 0, -1, acted)}
            named = dict(zip([each.name for each in session.get_outputs()], session.run(None, given), strict=True))
            actions, controls = policy.act(env)
            assert (named["action"] == actions.numpy()).all()
            if controls is not None:
                assert np.allclose(named["controls"], controls.T.numpy(), atol=1e-5)
            if others:
                recalled, acted = {"memory": named["remembered"]}, named["action"]
            env.step(actions, controls)
        # The file plays by itself, from one rollout to the next too.
        graph = hamlet.policy(file, greedy=True)
        other.rollout(20, graph)
        other.rollout(15, graph)
        assert text == BOAT or other.digest() == env.digest()


def test_a_policy_of_the_zoo_knows_its_controls(hamletc_says: Says) -> None:
    code, out, _ = hamletc_says("export", "zoo:cartpole")
    assert (code, out) == (0, "wrote cartpole_policy.h\nwrote cartpole_policy.c\n")
    header = Path("cartpole_policy.h").read_text()
    assert "CARTPOLE_POLICY_CONTROLS = 1" in header
    # The text is the same wherever hamletc is installed.
    assert ", from policy.safetensors in cartpole, exported by" in header


def test_what_cannot_be_written_is_a_line(hamletc_says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(tmp_path, BOAT)
    lone = tmp_path / "lone.safetensors"
    shutil.copy(run / "policy.safetensors", lone)
    module = hamlet.load(run / "package")
    about = {**about_of(module, (4,)), "features": ["x"]}
    table = tmp_path / "table.safetensors"
    table.write_bytes(written({"probabilities": np.ones((2, 3), np.float32) / 3}, about))
    nan = tmp_path / "nan.safetensors"
    tensors = tensors_of(about_of(module, (4,)))
    tensors["biases.0"][0] = np.nan
    nan.write_bytes(written(tensors, about_of(module, (4,))))
    (tmp_path / "boat.hamlet").exists()
    for arguments, words in (
        ((lone,), "lone.safetensors has controls, and no package beside it says their ranges: name its run"),
        ((table,), "table.safetensors is a table, and no network: Env.tabular takes it"),
        ((nan,), "nan.safetensors has biases.0 that are not finite"),
        (("boat.hamlet", "--to", "onnx"), "boat.hamlet is no policy: ONNX has networks"),
    ):
        code, out, said = hamletc_says("export", *arguments, "-o", "out")
        assert (code, out) == (1, "")
        assert words in said
        assert said.count("\n") == 1
        assert not Path("out").exists()
    monkeypatch.setitem(sys.modules, "onnx", None)
    code, _, said = hamletc_says("export", run, "--to", "onnx", "-o", "out")
    assert (code, said) == (1, "error: --to onnx needs onnx: pip install 'hamletc[onnx]'\n")
