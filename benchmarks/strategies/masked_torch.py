"""(b) Vectorised torch with masks, the config looked up by name at every tick: how HAMLET's environment works.

Meters are rows of one tensor; an effect is written to the agents of a mask; what nobody stands on is skipped.
"""

from __future__ import annotations

import torch
from contract import Result, Start
from episodes import Ending, Worlds
from torch import Tensor
from town import town_config

from hamlet.universe import Universe


class MaskedTorch:
    """See the module."""

    def __init__(self, universe: Universe, device: torch.device) -> None:
        self.config = town_config(universe)
        self.device = device

    def prepare(self, start: Start) -> None:
        self.worlds = Worlds(self.config, start)

    def run(self, actions: Tensor) -> Result:
        for row in actions:
            self.worlds.end_tick(self.tick(row))
        return self.worlds.result()

    def tick(self, action: Tensor) -> Ending:
        config, state = self.config, self.worlds.state
        rows = {meter["name"]: row for row, meter in enumerate(config["meters"])}
        meters = state["meters"]

        for number, (dx, dy) in enumerate(config["moves"]):
            who = action == number
            x, y = state["position"][0, who], state["position"][1, who]
            state["position"][0, who] = torch.clamp(x + dx, 0, config["width"] - 1)
            state["position"][1, who] = torch.clamp(y + dy, 0, config["height"] - 1)
        for number, own in enumerate(config["actions"]):
            for effect in own["effects"]:
                self.add(effect["meter"], effect["amount"], action == config["interact"] + 2 + number)
        for meter in config["meters"]:
            if meter["move"]:
                self.add(meter["name"], -meter["move"], action < config["interact"])

        interacting = action == config["interact"]
        for meter in config["meters"]:
            if meter["interact"]:
                self.add(meter["name"], -meter["interact"], interacting)
        cell = state["position"][0] + config["width"] * state["position"][1]
        used = torch.full_like(action, -1)
        for number, affordance in enumerate(config["affordances"]):
            who = interacting & (cell == self.worlds.places[number])
            if not who.any():
                continue
            if affordance["needs"] is not None:
                who = who & (meters[rows[affordance["needs"]]] >= affordance["price"])
            used[who] = number
            for effect in affordance["effects"]:
                self.add(effect["meter"], effect["amount"], who)

        for meter in config["meters"]:
            if meter["decay"]:
                row = rows[meter["name"]]
                meters[row] = torch.clamp(meters[row] - meter["decay"], meter["low"], meter["high"])
        for rule in config["modulations"]:
            row, limits = rows[rule["target"]], config["meters"][rows[rule["target"]]]
            lost = rule["scale"] * (rule["base"] + rule["span"] * (rule["top"] - meters[rows[rule["source"]]]))
            meters[row] = torch.clamp(meters[row] - lost, limits["low"], limits["high"])
        for cascade in config["cascades"]:
            source, row = meters[rows[cascade["source"]]], rows[cascade["target"]]
            who = source < cascade["threshold"]
            if not who.any():
                continue
            # A tensor: on CUDA, torch multiplies by the reciprocal of a Python number
            threshold = torch.full((), cascade["threshold"], device=self.device)
            lost = cascade["strength"] * ((threshold - source[who]) / threshold)
            limits = config["meters"][row]
            meters[row, who] = torch.clamp(meters[row, who] - lost, limits["low"], limits["high"])

        terminated = torch.zeros_like(interacting)
        cause = torch.full_like(action, -1)
        for number, dies in enumerate(config["causes"]):
            holds = meters[rows[dies["meter"]]] <= dies["at_most"]
            cause[holds & ~terminated] = number
            terminated = terminated | holds
        state["age"] = state["age"] + 1
        truncated = (state["age"] >= config["lifespan"]) & ~terminated
        cause[truncated] = len(config["causes"])
        left, right = config["reward"]
        reward = meters[rows[left]] * meters[rows[right]]
        reward[truncated] += config["lifespan_reward"]
        reward[terminated] = 0.0
        return Ending(reward, terminated, truncated, used, cause)

    def add(self, name: str, amount: float, who: Tensor) -> None:
        """meter = clamp(meter + amount) for the agents `who`, bool [lanes]."""
        meters = self.worlds.state["meters"]
        for row, meter in enumerate(self.config["meters"]):
            if meter["name"] == name:
                meters[row, who] = torch.clamp(meters[row, who] + amount, meter["low"], meter["high"])
