"""(a) Plain Python: every agent a dict, one after the other, the config looked up by name at every tick.

Meters are numpy.float32 scalars, which round every operation to binary32 as the language wants.
"""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import torch
from contract import Result, Start
from episodes import cells_of, new_layout, zero_statistics
from torch import Tensor
from town import MeterConfig, town_config

from hamlet.universe import Universe


class Agent(TypedDict):
    """One agent and its world. `places` maps a cell to the number of the affordance there."""

    meters: dict[str, np.float32]
    x: int
    y: int
    age: int
    episode: int
    layout: int
    episode_return: np.float32
    finished_return: np.float32
    places: dict[int, int]


class PythonDicts:
    """See the module."""

    def __init__(self, universe: Universe, device: torch.device) -> None:
        self.config = town_config(universe)
        self.limits: dict[str, MeterConfig] = {meter["name"]: meter for meter in self.config["meters"]}
        self.device = device

    def prepare(self, start: Start) -> None:
        state = {name: value.tolist() for name, value in start.state.items()}
        places = cells_of(self.config, start.state["layout"].long() & 0xFFFFFFFF)[:-1].T.tolist()
        names = [meter["name"] for meter in self.config["meters"]]
        self.seed = start.halves
        self.statistics = zero_statistics(self.config, start.lanes, self.device)
        self.uses = [0] * len(self.statistics.uses)
        self.causes = [0] * len(self.statistics.causes)
        self.lengths = [0] * len(self.statistics.lengths)
        self.agents: list[Agent] = [
            {
                "meters": {name: np.float32(state["meters"][row][lane]) for row, name in enumerate(names)},
                "x": state["position"][0][lane],
                "y": state["position"][1][lane],
                "age": state["age"][lane],
                "episode": state["episode"][lane],
                "layout": state["layout"][lane],
                "episode_return": np.float32(state["episode_return"][lane]),
                "finished_return": np.float32(0.0),
                "places": {cell: number for number, cell in enumerate(places[lane])},
            }
            for lane in range(start.lanes)
        ]

    def run(self, actions: Tensor) -> Result:
        for row in actions.tolist():
            done = [lane for lane, action in enumerate(row) if self.tick(self.agents[lane], action)]
            if done:
                self.begin(done)
        return self.result()

    def tick(self, agent: Agent, action: int) -> bool:
        """One agent's tick; whether its episode ended."""
        config, meters = self.config, agent["meters"]
        if action < config["interact"]:
            dx, dy = config["moves"][action]
            agent["x"] = min(max(agent["x"] + dx, 0), config["width"] - 1)
            agent["y"] = min(max(agent["y"] + dy, 0), config["height"] - 1)
            for meter in config["meters"]:
                if meter["move"]:
                    self.add(meters, meter["name"], -meter["move"])
        elif action == config["interact"]:
            for meter in config["meters"]:
                if meter["interact"]:
                    self.add(meters, meter["name"], -meter["interact"])
            number = agent["places"].get(agent["x"] + config["width"] * agent["y"])
            if number is not None:
                affordance = config["affordances"][number]
                if affordance["needs"] is None or meters[affordance["needs"]] >= affordance["price"]:
                    self.uses[number] += 1
                    for effect in affordance["effects"]:
                        self.add(meters, effect["meter"], effect["amount"])
        elif action > config["interact"] + 1:
            for effect in config["actions"][action - config["interact"] - 2]["effects"]:
                self.add(meters, effect["meter"], effect["amount"])

        for meter in config["meters"]:
            if meter["decay"]:
                self.add(meters, meter["name"], -meter["decay"])
        for rule in config["modulations"]:
            lost = rule["scale"] * (rule["base"] + rule["span"] * (rule["top"] - meters[rule["source"]]))
            self.add(meters, rule["target"], -lost)
        for cascade in config["cascades"]:
            source, threshold = meters[cascade["source"]], cascade["threshold"]
            if source < threshold:
                self.add(meters, cascade["target"], -(cascade["strength"] * ((threshold - source) / threshold)))

        agent["age"] += 1
        left, right = config["reward"]
        for number, cause in enumerate(config["causes"]):
            if meters[cause["meter"]] <= cause["at_most"]:
                return self.end(agent, number)
        reward = meters[left] * meters[right]
        if agent["age"] >= config["lifespan"]:
            agent["episode_return"] += reward + config["lifespan_reward"]
            return self.end(agent, len(config["causes"]))
        agent["episode_return"] += reward
        return False

    def add(self, meters: dict[str, np.float32], name: str, amount: float | np.float32) -> None:
        """meter = clamp(meter + amount)."""
        value = meters[name] + amount
        limits = self.limits[name]
        if value < limits["low"]:
            value = np.float32(limits["low"])
        if limits["high"] < value:
            value = np.float32(limits["high"])
        meters[name] = value

    def end(self, agent: Agent, cause: int) -> bool:
        """Count an episode that ended."""
        self.causes[cause] += 1
        self.lengths[agent["age"]] += 1
        agent["finished_return"] += agent["episode_return"]
        return True

    def begin(self, done: list[int]) -> None:
        """Start the worlds of these lanes anew."""
        for lane in done:
            self.agents[lane]["episode"] += 1
        episodes = torch.tensor([self.agents[lane]["episode"] for lane in done], device=self.device)
        words, layouts = new_layout(self.seed, torch.tensor(done, device=self.device), episodes)
        cells = cells_of(self.config, words).T.tolist()
        for lane, layout, (*places, cell) in zip(done, layouts.tolist(), cells, strict=True):
            agent = self.agents[lane]
            agent["layout"] = layout
            agent["places"] = {place: number for number, place in enumerate(places)}
            agent["x"], agent["y"] = cell % self.config["width"], cell // self.config["width"]
            agent["meters"] = {meter["name"]: np.float32(meter["start"]) for meter in self.config["meters"]}
            agent["age"], agent["episode_return"] = 0, np.float32(0.0)

    def result(self) -> Result:
        agents = self.agents

        def integers(values: list[int]) -> Tensor:
            return torch.tensor(values, dtype=torch.int32, device=self.device)

        def floats(values: list[np.float32]) -> Tensor:
            return torch.from_numpy(np.array(values, np.float32)).to(self.device)

        state = {
            "meters": torch.stack(
                [floats([agent["meters"][meter["name"]] for agent in agents]) for meter in self.config["meters"]]
            ),
            "position": torch.stack([integers([agent["x"] for agent in agents]), integers([a["y"] for a in agents])]),
            "age": integers([agent["age"] for agent in agents]),
            "alive": torch.ones(len(agents), dtype=torch.bool, device=self.device),
            "episode_return": floats([agent["episode_return"] for agent in agents]),
            "episode": integers([agent["episode"] for agent in agents]),
            "layout": integers([agent["layout"] for agent in agents]),
        }
        for tensor, counts in (
            (self.statistics.uses, self.uses),
            (self.statistics.causes, self.causes),
            (self.statistics.lengths, self.lengths),
        ):
            tensor.copy_(torch.tensor(counts))
        self.statistics.finished_return.copy_(floats([agent["finished_return"] for agent in agents]))
        return Result(state, self.statistics)
