"""Arguments of steps and rollouts, checked and converted: actions, controls, and inputs that change between ticks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from hamlet.arguments import dense, named
from hamlet.backend.buffers import Buffers, Shape
from hamlet.backend.protocol import NetworkPolicy, Policy, RecordedPolicy
from hamlet.env.act.actions import ActionCheck
from hamlet.env.write.bounds import Rows
from hamlet.env.write.params import Held
from hamlet.errors import EnvError, shown
from hamlet.package.module import Module
from hamlet.universe import Control, Input, Universe


@dataclass(frozen=True, slots=True)
class ValueCheck:
    """The controls of an environment, or its inputs.

    Attributes:
        kind: which of them.
        universe: the universe's name.
        declared: the declaration of each, in the order of rows.
        worlds, agents: the environment's.
        ranges: whether the range is checked, for which a GPU has to be waited for.
        bounds: the range of each.
    """

    kind: Literal["control", "input"]
    universe: str
    declared: Sequence[Control | Input]
    worlds: int
    agents: int
    device: torch.device
    ranges: bool
    bounds: Rows

    @classmethod
    def of(
        cls,
        kind: Literal["control", "input"],
        universe: Universe,
        shape: Shape,
        device: torch.device,
        ranges: bool,
    ) -> ValueCheck:
        """The controls of a universe, or its inputs, in worlds of a shape."""
        declared = universe.controls if kind == "control" else universe.inputs
        bounds = Rows.of(kind, declared, device)
        return cls(kind, universe.name, declared, shape.worlds, shape.agents, device, ranges, bounds)

    def rows(self, argument: Any, *ticks: int, others: torch.Tensor | None = None) -> torch.Tensor:
        """Values [*ticks, rows, lanes] f32.

        Args:
            given: numbers [*ticks, rows, lanes] or [*ticks, rows, worlds, agents], or by name [*ticks, lanes], [*ticks,
                worlds, agents], or one number for all; tensors on the environment's device, numpy arrays or lists.
            others: the rows [rows, lanes] of names that are not given; without it all have to be.

        Raises:
            EnvError: the universe has none, or a name is missing or unknown, or the values have another type, shape or
                device, or are out of bounds (a NaN is).
        """
        if not self.declared:
            raise EnvError(f"universe {self.universe} has no {self.kind}s: leave out {self.kind}s=")
        names = [item.name for item in self.declared]
        if isinstance(argument, Mapping):
            for name in argument:
                named(self.kind, name, names)
            missing = [name for name in names if name not in argument]
            if missing and others is None:
                raise EnvError(f"the {self.kind}s lack {', '.join(missing)}: all of {', '.join(names)} are given")
            size = (*ticks, self.worlds * self.agents)
            present = None if others is None else [row.expand(size) for row in others]
            several = [
                self._flat(argument[name], f"{self.kind} {name}", ticks, (), one=True)
                if name in argument or present is None
                else present[row]
                for row, name in enumerate(names)
            ]
            values = torch.stack(several, dim=len(ticks))
        else:
            values = self._flat(argument, f"{self.kind}s", ticks, (len(names),), one=False)
        # A compiled graph cannot read the numbers of a tensor.
        if self.ranges and not torch.compiler.is_compiling():
            self.bounds.check(values)
        return values

    def of_step(self, argument: Any) -> torch.Tensor:
        """Values [rows, lanes] f32 of a step, as `rows` takes them. Numbers that are as they should be are taken
        without what others need: that takes longer than a step of few worlds.

        Raises:
            EnvError: see `rows`.
        """
        if type(argument) is np.ndarray and argument.dtype == np.float32 and argument.flags.carray:
            argument = torch.from_numpy(argument)
        if type(argument) is torch.Tensor and argument.dtype is torch.float32 and argument.device == self.device:
            size = len(self.declared), self.worlds * self.agents
            if (
                argument.layout is torch.strided
                and argument.shape == size
                and not argument.requires_grad
                and self.declared
            ):
                if self.ranges:
                    self.bounds.check(argument)
                return argument
        return self.rows(argument)

    def lacking(self, call: str) -> EnvError:
        """The error where `call` is not given controls that the universe has."""
        names = ", ".join(item.name for item in self.declared)
        return EnvError(
            f"universe {self.universe} has the controls {names}: {call} takes controls=, [{len(self.declared)}, lanes] "
            "for each tick, or a dictionary of their names"
        )

    def _flat(
        self, argument: Any, what: str, ticks: tuple[int, ...], rows: tuple[int, ...], *, one: bool
    ) -> torch.Tensor:
        """Numbers [*ticks, *rows, lanes] f32; `one` number stands for all."""
        said = f"{what} {'is given as' if one else 'are'} numbers (torch.float32)"
        values = dense(argument, said)
        if values.dtype is torch.bool:
            raise EnvError(f"{said}, not {values.dtype}")
        flat, grouped = (*ticks, *rows, self.worlds * self.agents), (*ticks, *rows, self.worlds, self.agents)
        if one and not values.dim():
            values = values.expand(flat)
        if tuple(values.shape) not in (flat, grouped):
            raise EnvError(f"{what} takes the shape {list(flat)} or {list(grouped)}, not {list(values.shape)}")
        if isinstance(argument, torch.Tensor) and argument.dim() and values.device != self.device:
            raise EnvError(f"{what}: given on {values.device}, the environment is on {self.device}")
        return values.reshape(flat).to(self.device, torch.float32)


def asked(argument: Any, kind: str) -> Mapping[str, Any]:
    """Inputs of a rollout by name, or `EnvError`."""
    if isinstance(argument, Mapping):
        return argument
    raise EnvError(f"{kind}s are a dictionary of names and values, not {shown(argument)}")


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments that steps and rollouts of an environment take, each with its check.

    Attributes:
        state: the fields of the environment's state, which hold controls and inputs from tick to tick.
        held: its params and inputs, by the name of their field.
    """

    actions: ActionCheck
    controls: ValueCheck
    inputs: ValueCheck
    state: Mapping[str, torch.Tensor]
    held: Mapping[str, Held]

    @classmethod
    def of(
        cls, module: Module, buffers: Buffers, held: Mapping[str, Held], device: torch.device, ranges: bool
    ) -> Arguments:
        """That of an environment with these buffers; `ranges`: whether ranges are checked."""
        universe, shape = module.universe, buffers.shape
        return cls(
            ActionCheck(shape.worlds, shape.agents, len(buffers.mask), device, module.digest, ranges),
            ValueCheck.of("control", universe, shape, device, ranges),
            ValueCheck.of("input", universe, shape, device, ranges),
            buffers.state,
            held,
        )

    def stepping(self, controls: Any) -> torch.Tensor | None:
        """The controls of a step, [controls, lanes] f32; `None` in a universe without any."""
        if controls is not None:
            # A compiled graph cannot read the numbers of a tensor.
            compiled = torch.compiler.is_compiling()
            return self.controls.rows(controls) if compiled else self.controls.of_step(controls)
        if self.controls.declared:
            raise self.controls.lacking("step")
        return None

    def by_tick(self, ticks: int, policy: Policy, controls: Any, inputs: Any) -> dict[str, torch.Tensor]:
        """Inputs and controls of a rollout for each tick, see `hamlet.backend.protocol.ByTick`."""
        rows = {}
        if inputs is not None:
            rows["inputs"] = self.inputs.rows(asked(inputs, "input"), ticks, others=self.state.get("inputs"))
        if controls is not None:
            rows["controls"] = self.controls.rows(controls, ticks)
        elif self.controls.declared and isinstance(policy, RecordedPolicy | NetworkPolicy):
            of = "actions" if isinstance(policy, RecordedPolicy) else "an MLP"
            raise self.controls.lacking(f"a rollout of {of}")
        return rows

    def keep(self, rows: Mapping[str, torch.Tensor]) -> None:
        """Inputs and controls that were given for each tick have the last of these values afterwards."""
        for name, values in rows.items():
            self.state[name].copy_(values[-1])
            if name in self.held:
                self.held[name].taken()
