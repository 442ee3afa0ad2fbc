"""A policy that was learnt as a graph of ONNX, opset 21. Sums have another order there, so bits are not promised."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from hamlet import schema
from hamlet.package.module import Module
from hamlet.policies.described import Described
from hamlet.policies.samples import likeliest
from hamletc import __version__
from hamletc.errors import CompileError
from hamletc.export.exported import Exported
from hamletc.export.names import identifier
from hamletc.export.policy_c import layers_of, ranges_of, universe_of

OPSET, IR = 21, 10
CHECKED = 100_000
"""Observations on which the likeliest actions are compared, where onnxruntime is installed."""


def export_policy_onnx(policy: Described, module: Module | None) -> Exported:
    """The file of a policy: from `observation` [lanes, values] f32 and `mask` [lanes, actions] bool to `logits` [lanes,
    actions], of which the mask turns some to -inf, the likeliest `action` [lanes] i64, `value` [lanes], and with
    controls the means of `controls` [lanes, controls], in their ranges.

    Raises:
        CompileError: it is a table, or has controls whose ranges nobody says, or onnx is not installed.
    """
    onnx = _onnx()
    layers, make = layers_of(policy), onnx.helper
    ranges = ranges_of(policy, layers, universe_of(policy, module))
    nodes, numbers, x = list[Any](), list[Any](), "observation"

    def constant(name: str, array: np.ndarray[Any, Any]) -> str:
        numbers.append(onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        nodes.append(make.make_node(kind, inputs, [output], **attributes))
        return output

    for number, (weight, bias) in enumerate(zip(layers.weights, layers.biases, strict=True)):
        taken = [x, constant(f"weights.{number}", weight), constant(f"biases.{number}", bias)]
        x = node("Gemm", taken, f"layer{number}", transB=1)
        if number < len(layers.weights) - 1:
            x = node("Tanh" if layers.activation == "tanh" else "Relu", [x], f"hidden{number}")
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
        ("observation", "FLOAT", ["lanes", layers.weights[0].shape[1]]),
        ("mask", "BOOL", ["lanes", layers.actions]),
    ]
    told = [
        [make.make_tensor_value_info(name, getattr(onnx.TensorProto, kind), shape) for name, kind, shape in each]
        for each in (inputs, outputs)
    ]
    graph = make.make_graph(nodes, f"{identifier(policy.universe)}_policy", *told, numbers)
    model = make.make_model(graph, opset_imports=[make.make_opsetid("", OPSET)], ir_version=IR)
    model.producer_name, model.producer_version = "hamletc", __version__
    facts = {"universe": policy.universe, "digest": policy.digest, "seed": str(policy.seed)}
    if policy.parts is not None:
        facts["parts"] = json.dumps(dict(policy.parts))
    if module is not None:
        facts["actions"] = " ".join(schema.action_names(module.universe))
    make.set_model_props(model, facts)
    onnx.checker.check_model(model, full_check=True)
    return Exported({f"{identifier(policy.universe)}_policy.onnx": model.SerializeToString(deterministic=True)})


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
    seen = random.random((count, layers.weights[0].shape[1]), np.float32)
    mask = random.random((count, layers.actions)) < 0.8
    mask[:, -1] = True
    (actions,) = session.run(["action"], {"observation": seen, "mask": mask})
    mine = likeliest(layers, seen, mask)
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
