"""(d) Generated torch code from string templates: one function, every name resolved, every constant in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from contract import Result, Start
from episodes import Ending, Worlds
from index_tensors import Boards
from torch import Tensor
from town import Config, town_config

from hamlet.universe import Universe

Tick: TypeAlias = Callable[..., tuple[Any, ...]]

HEAD = "def tick({meters}, x, y, age, board, action):"
HERE = "    here = board.gather(1, (x + {width} * y).long().unsqueeze(1)).squeeze(1)"
MASK = "    {name} = {condition}"
EFFECT = "    {meter} = torch.where({who}, ({meter} + {amount!r}).clamp({low!r}, {high!r}), {meter})"
MOVE = "    {axis} = torch.where(action == {number}, ({axis} + {delta!r}).clamp(0, {last}), {axis})"
USED = "    used = torch.where({name}, {number}, used)"
DECAY = "    {meter} = ({meter} - {amount!r}).clamp({low!r}, {high!r})"
MODULATION = (
    "    {target} = ({target} - {scale!r} * ({base!r} + {span!r} * ({top!r} - {source}))).clamp({low!r}, {high!r})"
)
CASCADE = """\
    lost = {strength!r} * (({threshold!r} - {source}) / constant({threshold!r}))
    {target} = torch.where({source} < {threshold!r}, ({target} - lost).clamp({low!r}, {high!r}), {target})"""
CAUSE = """\
    dies = {meter} <= {at_most!r}
    cause = torch.where(dies & ~terminated, {number}, cause)
    terminated = terminated | dies"""
TAIL = """\
    age = age + 1
    truncated = (age >= {lifespan}) & ~terminated
    cause = torch.where(truncated, {causes}, cause)
    reward = {left} * {right}
    reward = torch.where(truncated, reward + {bonus!r}, reward)
    reward = torch.where(terminated, 0.0, reward)
    return ({meters}, x, y, age, reward, terminated, truncated, used, cause)"""


def source(config: Config) -> str:
    """The text of the tick."""
    limits = {meter["name"]: {"low": meter["low"], "high": meter["high"]} for meter in config["meters"]}
    names = ", ".join(limits)
    interact = config["interact"]

    def effect(meter: str, amount: float, who: str) -> str:
        return EFFECT.format(meter=meter, amount=amount, who=who, **limits[meter])

    lines = [HEAD.format(meters=names)]
    for axis, last, which in (("x", config["width"] - 1, 0), ("y", config["height"] - 1, 1)):
        for number, deltas in enumerate(config["moves"]):
            if deltas[which]:
                lines.append(MOVE.format(axis=axis, number=number, delta=deltas[which], last=last))
    for number, action in enumerate(config["actions"], start=interact + 2):
        lines += [effect(item["meter"], item["amount"], f"action == {number}") for item in action["effects"]]
    lines += [effect(item["name"], -item["move"], f"action < {interact}") for item in config["meters"] if item["move"]]
    lines.append(MASK.format(name="interacting", condition=f"action == {interact}"))
    lines += [effect(item["name"], -item["interact"], "interacting") for item in config["meters"] if item["interact"]]
    lines.append(HERE.format(width=config["width"]))
    lines.append(MASK.format(name="used", condition="torch.full_like(action, -1)"))
    for number, affordance in enumerate(config["affordances"]):
        condition = f"interacting & (here == {number})"
        if affordance["needs"] is not None:
            condition += f" & ({affordance['needs']} >= {affordance['price']!r})"
        lines.append(MASK.format(name=affordance["name"], condition=condition))
        lines.append(USED.format(name=affordance["name"], number=number))
        lines += [effect(item["meter"], item["amount"], affordance["name"]) for item in affordance["effects"]]
    for meter in config["meters"]:
        if meter["decay"]:
            lines.append(DECAY.format(meter=meter["name"], amount=meter["decay"], **limits[meter["name"]]))
    lines += [MODULATION.format(**item, **limits[item["target"]]) for item in config["modulations"]]
    lines += [CASCADE.format(**item, **limits[item["target"]]) for item in config["cascades"]]
    lines.append(MASK.format(name="terminated", condition="torch.zeros_like(interacting)"))
    lines.append(MASK.format(name="cause", condition="torch.full_like(action, -1)"))
    lines += [CAUSE.format(**item, number=number) for number, item in enumerate(config["causes"])]
    left, right = config["reward"]
    bonus, causes = config["lifespan_reward"], len(config["causes"])
    lines.append(
        TAIL.format(lifespan=config["lifespan"], causes=causes, left=left, right=right, bonus=bonus, meters=names)
    )
    return "\n".join(lines) + "\n"


def constants(device: torch.device) -> Callable[[float], Tensor]:
    """Numbers as tensors: on CUDA, torch multiplies by the reciprocal of a divisor that is a Python number."""
    made: dict[float, Tensor] = {}

    def constant(value: float) -> Tensor:
        if value not in made:
            made[value] = torch.tensor(value, dtype=torch.float32, device=device)
        return made[value]

    return constant


class StringTemplate:
    """See the module."""

    def __init__(self, universe: Universe, device: torch.device) -> None:
        self.config = town_config(universe)
        names: dict[str, Any] = {"torch": torch, "constant": constants(device)}
        exec(self.compiled(), names)
        self._tick: Tick = names["tick"]

    def compiled(self) -> Any:
        """The code object of the module that defines the tick."""
        return compile(source(self.config), "<string template>", "exec")

    def prepare(self, start: Start) -> None:
        self.worlds = Worlds(self.config, start)
        self.boards = Boards(self.worlds)

    def run(self, actions: Tensor) -> Result:
        state = self.worlds.state
        for row in actions:
            *meters, x, y, age, reward, terminated, truncated, used, cause = self._tick(
                *state["meters"], *state["position"], state["age"], self.boards.board, row
            )
            state["meters"], state["position"], state["age"] = torch.stack(meters), torch.stack((x, y)), age
            self.boards.renew(self.worlds.end_tick(Ending(reward, terminated, truncated, used, cause)))
        return self.worlds.result()
