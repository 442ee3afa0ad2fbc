"""A policy that was learnt as a graph of ONNX, opset 21. Sums have another order there, so bits are not promised."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from hamlet import schema
from hamlet.backend.recall import CHANGE
from hamlet.policies.described import Described
from hamlet.policies.samples import likeliest
from hamlet.universe import Universe
from hamletc import __version__
from hamletc.errors import CompileError
from hamletc.export.crew import crew_of, universe_of
from hamletc.export.exported import Exported
from hamletc.export.policy_c import layers_of, ranges_of

OPSET, IR = 21, 10
CHECKED = 100_000
"""Observations on which the likeliest actions are compared, where onnxruntime is installed."""


def export_policy_onnx(policy: Described, universe: Universe | None) -> Exported:
    """The file of a policy: from `observation` [lanes, values] f32 and `mask` [lanes, actions] bool to `logits` [lanes,
    actions], of which the mask turns some to -inf, the likeliest `action` [lanes] i64, `value` [lanes], and with
    controls the means of `controls` [lanes, controls], in their ranges. A policy with a memory also takes `memory`
    [lanes, numbers] f32, which was `remembered` in the tick before, and `acted` [lanes] i64, the action that was taken
    there, -1 where nothing is remembered. Values and actions of a policy for a role are those of the role.

    Args:
        universe: its own; without a role and controls it may be absent.

    Raises:
        CompileError: it is a table, or has a role or controls of which nobody says more, or onnx is not installed.
        EnvError: it is for another universe.
    """
    onnx = _onnx()
    layers, make, here = layers_of(policy), onnx.helper, universe_of(policy, universe)
    crew, ranges = crew_of(policy, layers, here), ranges_of(policy, layers, here)
    nodes, numbers, x = list[Any](), list[Any](), "observation"

    def constant(name: str, array: np.ndarray[Any, Any]) -> str:
        numbers.append(onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        nodes.append(make.make_node(kind, inputs, [output], **attributes))
        return output

    def layer(x: str, name: str, weight: np.ndarray[Any, Any], bias: np.ndarray[Any, Any]) -> str:
        taken = [x, constant(f"weights.{name}", weight), constant(f"biases.{name}", bias)]
        return node("Gemm", taken, f"layer{name}", transB=1)

    def sensed(values: int, actions: int) -> str:
        """The inputs of the first layer of a network with a memory."""
        column = node("Unsqueeze", ["acted", constant("column", np.array([1], np.int64))], "acted_by")
        zero = constant("zero", np.array(0, np.float32))
        node("GreaterOrEqual", [column, constant("first", np.array(0, np.int64))], "knows")
        sizes = constant("kept", np.array([layers.remembers, values], np.int64))
        nodes.append(make.make_node("Split", ["memory", sizes], ["held", "before"], axis=1))
        away = node("Sub", ["observation", "before"], "away")
        grown = node("Mul", [away, constant("change", np.array(CHANGE, np.float32))], "grown")
        changed = node("Where", ["knows", grown, zero], "changed")
        same = node("Equal", [column, constant("numbers", np.arange(actions)[None].astype(np.int64))], "same")
        did = node("Cast", [same], "did", to=onnx.TensorProto.FLOAT)
        return node("Concat", ["observation", changed, did], "sensed", axis=1)

    def remembering(seen: str, weight: np.ndarray[Any, Any], bias: np.ndarray[Any, Any]) -> str:
        """The first layer's outputs, and behind them what is remembered."""
        gates = layer(seen, "memory", weight, bias)
        sizes = constant("halves", np.array([layers.remembers] * 2, np.int64))
        nodes.append(make.make_node("Split", [gates, sizes], ["gate", "news"], axis=1))
        before = node("Where", ["knows", "held", "zero"], "recalled")
        away = node("Sub", [node("Tanh", ["news"], "squashed"), before], "newer")
        weighed = node("Mul", [node("Sigmoid", ["gate"], "share"), away], "weighed")
        after = node("Add", [before, weighed], "after")
        node("Concat", [after, "observation"], "remembered", axis=1)
        return node("Concat", [seen, after], "behind", axis=1)

    if layers.gates is not None:
        x = sensed(layers.values, layers.actions)
    for number, (weight, bias) in enumerate(zip(layers.weights, layers.biases, strict=True)):
        x = layer(x, str(number), weight, bias)
        if number < len(layers.weights) - 1:
            x = node("Tanh" if layers.activation == "tanh" else "Relu", [x], f"hidden{number}")
        if number == 0 and layers.gates is not None:
            x = remembering(x, *layers.gates)
    sizes = [size for size in (layers.actions, layers.controls, 1) if size]
    parts = ["every_logit", *["means"] * bool(layers.controls), "values"]
    nodes.append(make.make_node("Split", [x, constant("sizes", np.array(sizes, np.int64))], parts, axis=1))
    least = constant("least", np.array(-np.inf, np.float32))
    node("Where", ["mask", "every_logit", least], "logits")
    node("ArgMax", ["logits"], "action", axis=1, keepdims=0)
    node("Squeeze", ["values", constant("axis", np.array([1], np.int64))], "value")
    outputs: list[tuple[str, str, list[str | int]]] = [
        ("logits", "FLOAT", ["lanes", layers.actions]),
        ("action", "INT64", ["lanes"]),
        ("value", "FLOAT", ["lanes"]),
    ]
    if layers.controls:
        middle, half, low, high = (
            constant(name, ranges[:, column]) for column, name in enumerate(("middle", "half", "low", "high"))
        )
        wide = node("Add", [node("Mul", ["means", half], "in_range"), middle], "around")
        node("Max", [node("Min", [wide, high], "below"), low], "controls")
        outputs.append(("controls", "FLOAT", ["lanes", layers.controls]))
    inputs: list[tuple[str, str, list[str | int]]] = [
        ("observation", "FLOAT", ["lanes", layers.values]),
        ("mask", "BOOL", ["lanes", layers.actions]),
    ]
    if layers.gates is not None:
        width = layers.remembers + layers.values
        inputs += [("memory", "FLOAT", ["lanes", width]), ("acted", "INT64", ["lanes"])]
        outputs.append(("remembered", "FLOAT", ["lanes", width]))
    told = [
        [make.make_tensor_value_info(name, getattr(onnx.TensorProto, kind), shape) for name, kind, shape in each]
        for each in (inputs, outputs)
    ]
    graph = make.make_graph(nodes, crew.name, *told, numbers)
    model = make.make_model(graph, opset_imports=[make.make_opsetid("", OPSET)], ir_version=IR)
    model.producer_name, model.producer_version = "hamletc", __version__
    facts = {"universe": policy.universe, "digest": policy.digest, "seed": str(policy.seed)}
    if policy.parts is not None:
        facts["parts"] = json.dumps(dict(policy.parts))
    if here is not None:
        names = schema.action_names(here)
        facts["actions"] = " ".join(names[number] for number in crew.numbers)
    if crew.role is not None:
        facts["role"] = crew.role
    make.set_model_props(model, facts)
    onnx.checker.check_model(model, full_check=True)
    return Exported({f"{crew.name}.onnx": model.SerializeToString(deterministic=True)})


def compared(policy: Described, contents: bytes, count: int = CHECKED) -> int | None:
    """How many of so many likeliest actions onnxruntime chooses as kernels do, for observations that are drawn within
    0 .. 1; `None` where onnxruntime is not installed."""
    try:
        import onnxruntime
    except ModuleNotFoundError:
        return None
    layers = layers_of(policy)
    session = onnxruntime.InferenceSession(contents, providers=["CPUExecutionProvider"])
    random = np.random.Generator(np.random.Philox(0))
    seen = random.random((count, layers.values), np.float32)
    mask = random.random((count, layers.actions)) < 0.8
    mask[:, -1] = True
    taken, recall = {"observation": seen, "mask": mask}, None
    if layers.gates is not None:
        memory = random.random((count, layers.remembers + layers.values), np.float32)
        acted = random.integers(-1, layers.actions, count)
        taken |= {"memory": memory, "acted": acted}
        recall = memory[:, : layers.remembers], memory[:, layers.remembers :], acted
    (actions,) = session.run(["action"], taken)
    mine = likeliest(layers, seen, mask, recall)
    return None if mine is None else int((mine == actions).sum())


def _onnx() -> Any:
    try:
        import onnx
        import onnx.checker
        import onnx.helper
        import onnx.numpy_helper
    except ModuleNotFoundError as error:
        raise CompileError("--to onnx needs onnx: pip install 'hamletc[onnx]'") from error
    return onnx
