"""Networks of others as policies: modules of torch and graphs of ONNX play, and what does not fit is one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet.policies.described import read_described
from hamlet_train.crossing import of_role
from hamlet_train.errors import TrainError
from hamlet_train.judged import ALL, Named, Worlds
from hamlet_train.policy import read_all, read_policy
from hamletc.errors import CompileError
from hamletc.export.policy_onnx import export_policy_onnx
from saved_policies import saved

PIT = """
universe pit
space none
lifespan 20 ticks
meter depth = uniform(0.3, 0.8) { decay 0.01 }
action DIG { depth += 0.1 }
action FILL { needs depth > 0.5  depth -= 0.05 }
dies when depth <= 0
reward depth
observe { meters }
"""


class Net(torch.nn.Module):
    def __init__(self, made: Callable[[Tensor, Tensor], Any]) -> None:
        super().__init__()
        self.made = made

    def forward(self, observation: Tensor, mask: Tensor) -> Any:
        return self.made(observation, mask)


class Chosen(NamedTuple):
    actions: Tensor


@pytest.fixture
def pit(compiled: Callable[[str], Module]) -> Module:
    return compiled(PIT)


def make(pit: Module, **others: Any) -> Env:
    return hamlet.make(pit, worlds=7, seed=3, backend="interpreter", quiet=True, **others)


def equal(first: Env, second: Env) -> bool:
    return all(torch.equal(values, second.state[name]) for name, values in first.state.items())


def test_a_module_of_torch_acts_rolls_out_and_is_recorded(pit: Module) -> None:
    torch.manual_seed(0)
    policy = hamlet.policy(torch.nn.Linear(1, 4))
    first, second = make(pit), make(pit)
    rolled = first.rollout(30, policy)
    for _ in range(30):
        second.step(*policy.act(second))
    assert equal(first, second)
    assert rolled.mean_length() == 20.0
    episode = second.record(1, policy=policy)
    assert hamlet.replay(episode, pit, "interpreter").ok
    greedy = hamlet.policy(Net(lambda _, mask: {"logits": mask.float() * torch.tensor([0.0, 0, 2, 1])}), greedy=True)
    assert set(greedy.act(first)[0].tolist()) <= {2, 0, 1}
    dug = hamlet.policy(Net(lambda seen, _: Chosen(torch.full((len(seen),), 2, dtype=torch.int64))))
    assert dug.act(first)[0].tolist() == [2] * 7
    with pytest.raises(EnvError, match="takes no watch, for it acts by steps: it is a network of others"):
        first.rollout(2, dug, watch=[0])


WRONG: dict[str, tuple[Callable[[Tensor, Tensor], Any], str]] = {
    "too few logits": (
        lambda seen, _: seen,
        r"gives logits \[7, 1\] of torch.float32, and here they are numbers \[7, 4\]",
    ),
    "logits without a number": (lambda seen, _: seen.repeat(1, 4) * torch.nan, "logits that are not finite in tick 0"),
    "an action too many": (
        lambda seen, _: torch.full((len(seen),), 9),
        "an action that does not exist: actions are 0 .. 3",
    ),
    "actions in a column": (lambda _, mask: mask.long(), r"gives actions \[7, 4\] of torch.int64, and they are whole"),
    "words": (lambda *_: "up", "gives 'up': give logits, actions, or them by name"),
    "nothing by name": (lambda seen, _: {"value": seen}, "gives neither logits nor actions"),
    "another size": (
        lambda seen, _: seen @ torch.zeros(3, 4),
        r"cannot read observations \[7, 1\] of torch.float32: mat",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_outputs_are_looked_at(case: str, pit: Module) -> None:
    made, words = WRONG[case]
    env, untouched = make(pit), make(pit)
    with pytest.raises(EnvError, match=f"^Net .*{words}") as problem:
        env.rollout(2, hamlet.policy(Net(made)))
    assert "\n" not in str(problem.value)
    assert equal(env, untouched)


def test_a_graph_of_onnx_plays_what_was_exported(pit: Module, tmp_path: Path) -> None:
    weights = saved(tmp_path / "weights.safetensors", pit)
    exported = export_policy_onnx(read_described(weights), pit.universe)
    path = tmp_path / "pit.onnx"
    path.write_bytes(next(iter(exported.files.values())))
    for greedy in (True, False):
        mine, theirs, env = hamlet.policy(weights, greedy), hamlet.policy(path, greedy), make(pit)
        for _ in range(10):
            actions, _ = theirs.act(env)
            # Sums differ in the last bits, which decides no action here.
            assert actions.tolist() == mine.act(env)[0].tolist()
            env.step(actions)
    with pytest.raises(EnvError, match='make the environment with obs_dtype="float32"'):
        make(pit, obs_dtype="bfloat16").rollout(1, theirs)


def test_graphs_and_tables_in_json_are_evaluated_beside_weights(pit: Module, tmp_path: Path) -> None:
    weights = saved(tmp_path / "weights.safetensors", pit)
    graph, table = tmp_path / "pit.onnx", tmp_path / "table.json"
    graph.write_bytes(next(iter(export_policy_onnx(read_described(weights), pit.universe).files.values())))
    table.write_text('{"features": [["depth", 2]], "table": [[0, 0, 1, 0], [0, 0, 0, 1]]}')
    sides = {}
    for greedy in (True, False):
        for path in (weights, graph, table):
            named = Named.read(path, pit)
            assert named.seed == (0 if path == table else 7)
            assert not named.going
            side = Worlds(pit, 20, None, 9).side(str(path), named.policies, 1, greedy)
            sides[path, greedy] = side.together(ALL)
        # Returns of weights are sums in binary32, those by steps in binary64; another action is worth more.
        mine, theirs = (sides[path, greedy].returns for path in (weights, graph))
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)
    assert np.abs(sides[graph, True].returns - sides[graph, False].returns).max() > 0.1
    assert sides[table, True].returned != pytest.approx(sides[graph, True].returned, rel=1e-2)
    for path, words in ((graph, "a network of others"), (table, "a table")):
        policies = read_all(path, pit)
        with pytest.raises(TrainError, match=f"^{words} plays whole universes, and no single role$"):
            of_role(policies, "digger")
        with pytest.raises(TrainError, match=f"has {words}, and no network that was trained here$"):
            read_policy(path, pit)
    for content, words in (
        (b'{"features": ["depth"], "table": "deep"}', "has a table that is no array of numbers"),
        (b"PK\x03\x04 and more", "is a pickle, as torch.save writes, which could run anything: write the network as"),
        (b"\x80\x02}q\x00.", "is a pickle"),
        (b"nothing", "is no JSON"),
    ):
        table.write_bytes(content)
        with pytest.raises((TrainError, CompileError), match=words) as problem:
            read_all(table, pit)
        assert "\n" not in str(problem.value)


def test_graphs_of_others_are_refused_in_a_line(pit: Module, compiled: Callable[[str], Module], tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "pit.onnx"
    content = next(iter(export_policy_onnx(read_described(saved(tmp_path / "w", pit)), pit.universe).files.values()))
    path.write_bytes(content)
    with pytest.raises(EnvError, match=r"pit.onnx was learnt on another version of pit: action FILL differs$"):
        hamlet.policy(path).check(compiled(PIT.replace("0.05", "0.06")))
    with pytest.raises(EnvError, match=r"pit.onnx was learnt on pit, and this is well: another universe$"):
        hamlet.policy(path).check(compiled(PIT.replace("universe pit", "universe well")))

    def with_fact(name: str, value: str) -> bytes:
        model = onnx.load_model_from_string(content)
        for each in model.metadata_props:
            each.value = value if each.key == name else each.value
        contents: bytes = model.SerializeToString()
        return contents

    def with_names(**names: str) -> bytes:
        model = onnx.load_model_from_string(content)
        for each in (*model.graph.input, *model.graph.output):
            new = names.get(each.name, each.name)
            for node in model.graph.node:
                node.input[:] = [new if one == each.name else one for one in node.input]
                node.output[:] = [new if one == each.name else one for one in node.output]
            each.name = new
        contents: bytes = model.SerializeToString()
        return contents

    elsewhere = onnx.load_model_from_string(content)
    onnx.external_data_helper.set_external_data(elsewhere.graph.initializer[0], location="../../etc/passwd")
    for lie, words in (
        (b"", "is no graph of ONNX, or a damaged one"),
        (content[: len(content) // 2], "is no graph of ONNX, or a damaged one"),
        (np.zeros(200, np.uint8).tobytes(), "is no graph of ONNX, or a damaged one"),
        (with_names(observation="x"), "has the inputs x, mask: a policy has observation, and may have mask"),
        (with_names(logits="x", action="y"), "has the outputs x, y, value: a policy has logits or action"),
        (with_fact("parts", "[1"), "does not say which universe it is for"),
        (with_fact("parts", '{"space": 1}'), "does not say which universe it is for"),
        (with_fact("seed", "-1"), "says no seed of its training: '-1'"),
        (elsewhere.SerializeToString(), "keeps numbers in other files: write it as one"),
    ):
        path.write_bytes(lie)
        with pytest.raises(EnvError, match=words) as problem:
            hamlet.policy(path)
        assert "\n" not in str(problem.value)
    with pytest.raises(EnvError, match=r"cannot read .*nothing.onnx: No such file or directory"):
        hamlet.policy(tmp_path / "nothing.onnx")
