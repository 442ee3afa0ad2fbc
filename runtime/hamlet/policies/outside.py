"""Networks of others as policies: modules of torch, and graphs of ONNX. Their sums have an order of their own, so bits
are not promised."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from hamlet.arguments import flag
from hamlet.backend.recall import Recall
from hamlet.errors import EnvError, shown
from hamlet.interpreter.networks import choose
from hamlet.package.module import Module
from hamlet.policies.acting import Choice, World
from hamlet.policies.described import check_said
from hamlet.policies.parts import check_same
from hamlet.policies.stepping import Stepping
from hamlet.regular import read_regular

MOST_BYTES = 1 << 31
MOST_REMEMBERED = 1 << 20
MOST_SEED = (1 << 64) - 1
OUTPUTS = ("action", "logits", "controls")
"""Outputs of a network that a policy reads, by name: actions [lanes], logits [lanes, actions], controls [lanes,
controls]."""

KEPT = ("memory", "acted")
"""Inputs of a network that remembers: `remembered` [lanes, numbers] of the tick before, and the action [lanes] that was
taken there, -1 where nothing is remembered."""
REMEMBERED = "remembered"
Gives: TypeAlias = Callable[..., Mapping[str, Tensor]]
"""The outputs by name, of observations [lanes, values] f32 and masks [lanes, actions] bool, and of what a network that
remembers also takes, `KEPT`."""


class Outside(Stepping):
    """A network of others as a policy, which acts by steps in rollouts too. Actions are drawn by its logits, with the
    words of the environment's seed and tick, or taken as it gives them; controls are taken as it gives them.

    Attributes:
        path: its file, or the name of its class.
        universe, digest, parts: of the universe that its file names; empty, and `None`, where it names none.
        seed: of the training that its file names, else 0.
    """

    def __init__(self, named: str, gives: Gives, greedy: bool, facts: Mapping[str, str], remembers: int = 0) -> None:
        torch.nn.Module.__init__(self)
        self._remembers, self._named = remembers, torch.empty(0)
        self.greedy, self._gives = flag("greedy", greedy), gives
        self.path = Path(named)
        self.universe, self.digest = facts.get("universe", ""), facts.get("digest", "")
        self.parts = _parts(self.path, facts)
        self.seed, self.update, self.features = _seed(self.path, facts), None, ()

    @property
    def why(self) -> str:
        """The reason: nobody here made it."""
        return "it is a network of others"

    @property
    def remembers(self) -> int:
        """The numbers that an agent remembers; 0 where it is given observations alone."""
        return self._remembers

    @property
    def controls(self) -> int:
        """Nobody knows before it acts."""
        return 0

    def check(self, module: Module) -> None:
        """Refuse another universe than the one that the file names, if it names one.

        Raises:
            EnvError: it is for another one; the message says which parts differ where the file says its own.
        """
        if self.digest:
            check_same(self.path, self.universe, self.digest, self.parts, module.universe, module.digest)

    def extra_repr(self) -> str:
        """The line that torch shows."""
        return f"{self.path}, a network of others"

    def acting(self, env: World) -> Callable[[], Choice]:
        """A function that gives the actions and controls of the next tick, see `Learnt.acting`.

        Raises:
            EnvError: it is for another universe, or the environment observes in another type. The function raises it
                where an output has another shape or type than actions or controls have, or is no number.
        """
        return self.choosing(env, self.greedy)

    def choosing(self, env: World, greedy: bool) -> Callable[[], Choice]:
        """The same, with its likeliest actions or by drawing them.

        Raises:
            EnvError: see `acting`.
        """
        self.check(env.module)
        seen = env.observation
        if seen is None or seen.dtype is not torch.float32:
            raise EnvError('a policy reads observations in f32: make the environment with obs_dtype="float32"')

        def choice() -> Choice:
            assert env.observation is not None
            recall = self._recall(env) if self.remembers else None
            recalls = () if recall is None else (recall.hidden.T.contiguous(), _acted(env, recall))
            try:
                outputs = self._gives(env.observation.contiguous(), env.action_mask.contiguous(), *recalls)
            except EnvError:
                raise
            except Exception as error:
                # A network of others may raise anything.
                raise EnvError(
                    f"{self.path} cannot read observations {_of(env.observation)}: {_line(error)}"
                ) from error
            actions = self._actions(env, outputs, greedy)
            if recall is not None:
                self._keep(env, recall, outputs, actions)
            return actions, self._controls(env, outputs)

        return choice

    def _recall(self, env: World) -> Recall:
        recall = env.memories.at(self._named, env.tick)
        return Recall.empty(self.remembers, 0, env.num_lanes, env.device) if recall is None else recall

    def _keep(self, env: World, recall: Recall, outputs: Mapping[str, Tensor], actions: Tensor) -> None:
        remembered = self._fits(REMEMBERED, outputs[REMEMBERED], (env.num_lanes, self.remembers), env)
        if not bool(torch.isfinite(remembered).all()):
            raise EnvError(f"{self.path} remembers numbers that are not finite in tick {env.tick}")
        env.memories.keep(self._named, env.tick + 1, recall.after(remembered.T, recall.before, actions), recall)

    def _actions(self, env: World, outputs: Mapping[str, Tensor], greedy: bool) -> Tensor:
        if "logits" in outputs:
            logits = self._fits("logits", outputs["logits"], (env.num_lanes, env.num_actions), env)
            # Only logits of allowed actions are looked at, so that others may be -inf.
            mask = env.action_mask
            if not bool(torch.isfinite(logits.masked_fill(~mask, 0.0)).all()):
                raise EnvError(f"{self.path} gives logits that are not finite in tick {env.tick}")
            words = None if greedy else env.policy_words()
            return choose(logits.masked_fill(~mask, 0.0).T, mask.T, words)[0]
        if "action" not in outputs:
            raise EnvError(f"{self.path} gives neither logits nor actions")
        actions = outputs["action"]
        if actions.is_floating_point() or actions.dtype is torch.bool or tuple(actions.shape) != (env.num_lanes,):
            raise EnvError(f"{self.path} gives actions {_of(actions)}, and they are whole numbers [{env.num_lanes}]")
        if not bool(((actions >= 0) & (actions < env.num_actions)).all()):
            raise EnvError(f"{self.path} gives an action that does not exist: actions are 0 .. {env.num_actions - 1}")
        return actions.to(env.device, torch.int32)

    def _controls(self, env: World, outputs: Mapping[str, Tensor]) -> Tensor | None:
        if not env.num_controls:
            return None
        if "controls" not in outputs:
            raise EnvError(f"{self.path} gives no controls, and {env.module.name} has {env.num_controls}")
        controls = self._fits("controls", outputs["controls"], (env.num_lanes, env.num_controls), env)
        if not bool(torch.isfinite(controls).all()):
            raise EnvError(f"{self.path} gives controls that are not finite in tick {env.tick}")
        return torch.minimum(torch.maximum(controls, env.control_low), env.control_high).T.contiguous()

    def _fits(self, what: str, values: Tensor, shape: tuple[int, int], env: World) -> Tensor:
        if not values.is_floating_point() or tuple(values.shape) != shape:
            raise EnvError(f"{self.path} gives {what} {_of(values)}, and here they are numbers {list(shape)}")
        return values.detach().to(env.device, torch.float32)


def outside(module: torch.nn.Module, greedy: bool) -> Outside:
    """A module of torch as a policy. It is called with observations, and masks if it takes two arguments, without
    gradients, and gives logits [lanes, actions], actions [lanes] of an integer type, or these and controls by name, in
    a dictionary or a named tuple."""
    takes = inspect.signature(module.forward).parameters.values()
    plain = [each for each in takes if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    masked = len(plain) > 1 or any(each.kind is each.VAR_POSITIONAL for each in takes)

    @torch.no_grad()
    def gives(observation: Tensor, mask: Tensor) -> Mapping[str, Tensor]:
        result: Any = module(observation, mask) if masked else module(observation)
        if isinstance(result, Tensor):
            return {"logits" if result.is_floating_point() else "action": result}
        named = result._asdict() if hasattr(result, "_asdict") else result
        if not isinstance(named, Mapping) or not all(isinstance(each, Tensor) for each in named.values()):
            raise EnvError(f"{type(module).__name__} gives {shown(result)}: give logits, actions, or them by name")
        return {"action" if name == "actions" else str(name): each for name, each in named.items()}

    return Outside(type(module).__name__, gives, greedy, {})


def opened_onnx(path: Path, greedy: bool) -> Outside:
    """A graph of ONNX as a policy: inputs `observation` [lanes, values] f32 and, if it has it, `mask` [lanes, actions]
    bool; outputs see `OUTPUTS`.

    Raises:
        EnvError: it cannot be read, is damaged, keeps numbers in other files, or has other inputs and outputs.
    """
    try:
        import onnx
        import onnxruntime
        from onnx.external_data_helper import uses_external_data
    except ModuleNotFoundError as error:
        raise EnvError(f"{path} is a graph of ONNX: pip install 'hamletc[onnx]'") from error
    try:
        content = read_regular(path, MOST_BYTES)
    except OSError as error:
        raise EnvError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        model = onnx.load_model_from_string(content)
        if any(uses_external_data(each) for each in model.graph.initializer):
            raise EnvError(f"{path} keeps numbers in other files: write it as one")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 4
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except EnvError:
        raise
    except Exception as error:
        # What is wrong with a file is of a type of protobuf's or of onnxruntime's.
        raise EnvError(f"{path} is no graph of ONNX, or a damaged one") from error
    inputs, outputs = ({each.name: each for each in every} for every in (session.get_inputs(), session.get_outputs()))
    if set(inputs) - {"observation", "mask", *KEPT} or "observation" not in inputs:
        raise EnvError(f"{path} has the inputs {', '.join(inputs)}: a policy has observation, and may have mask")
    remembers = _remembers(path, inputs, outputs)
    for name, kind in (("observation", "tensor(float)"), ("mask", "tensor(bool)")):
        if name in inputs and (inputs[name].type != kind or len(inputs[name].shape) != 2):
            raise EnvError(f"{path} has an input {name} that is no {kind} of two axes")
    read = [name for name in OUTPUTS if name in outputs]
    if not {"action", "logits"} & set(read):
        raise EnvError(f"{path} has the outputs {', '.join(outputs)}: a policy has logits or action")

    if remembers:
        read.append(REMEMBERED)

    def gives(*values: Tensor) -> Mapping[str, Tensor]:
        every = {name: each.cpu().numpy() for name, each in zip(("observation", "mask", *KEPT), values, strict=False)}
        results = session.run(read, {name: every[name] for name in inputs})
        return {name: torch.from_numpy(np.ascontiguousarray(each)) for name, each in zip(read, results, strict=True)}

    facts = {each.key: each.value for each in model.metadata_props}
    if "role" in facts:
        raise EnvError(f"{path} is for the role {shown(facts['role'])}, and graphs play all agents here: name its run")
    policy = Outside(str(path), gives, greedy, facts, remembers)
    # Games say by which numbers the others were played.
    policy.register_parameter(
        "content", torch.nn.Parameter(torch.frombuffer(bytearray(content), dtype=torch.uint8), False)
    )
    return policy


def _acted(env: World, recall: Recall) -> Tensor:
    """The last action of lanes, [lanes] i64; -1 of those whose episode begins."""
    return torch.where(recall.fresh(env.state["age"]), -1, recall.acted).long()


def _remembers(path: Path, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> int:
    """The numbers that a graph remembers of a lane; 0 of one that remembers nothing."""
    if not {*KEPT, REMEMBERED} & {*inputs, *outputs}:
        return 0
    memory, acted = (inputs.get(name) for name in KEPT)
    plain = memory is not None and memory.type == "tensor(float)" and len(memory.shape) == 2
    plain = plain and acted is not None and acted.type == "tensor(int64)" and len(acted.shape) == 1
    width = memory.shape[1] if memory is not None and plain else None
    if type(width) is not int or not 1 <= width <= MOST_REMEMBERED or REMEMBERED not in outputs:
        raise EnvError(
            f"{path} has no whole memory: that is inputs memory [lanes, N] of floats and acted [lanes] of int64, "
            f"and an output {REMEMBERED}"
        )
    return width


def _parts(path: Path, facts: Mapping[str, str]) -> Mapping[str, str] | None:
    try:
        parts = json.loads(facts["parts"]) if "parts" in facts else None
    except (ValueError, RecursionError):
        parts = ""
    check_said(path, facts.get("universe", ""), facts.get("digest", ""), parts)
    said: Mapping[str, str] | None = parts
    return said


def _seed(path: Path, facts: Mapping[str, str]) -> int:
    said = facts.get("seed", "0")
    if not (said.isascii() and said.isdecimal() and len(said) <= len(str(MOST_SEED)) and int(said) <= MOST_SEED):
        raise EnvError(f"{path} says no seed of its training: {shown(said)}")
    return int(said)


def _of(values: Tensor) -> str:
    return f"{list(values.shape)} of {values.dtype}"


def _line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 160 else f"{text[:157]}..."
