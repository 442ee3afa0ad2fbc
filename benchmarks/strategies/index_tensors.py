"""(c) Vectorised torch without any look-up by name: the config turned into index tensors and tables ahead of time.

A lane knows the affordance on each of its cells (`board`), so that one gather finds what an agent stands on, and one
gather per statement finds what it does. Cascades whose sources none of them writes are measured together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from contract import Result, Start
from episodes import Ending, Worlds
from torch import Tensor
from town import Config, Effect, town_config

from hamlet.universe import Universe


@dataclass(frozen=True, slots=True)
class Change:
    """For number n, meters[rows] = clamp(meters[rows] + amounts[:, n]); rows i64 [k], amounts f32 [k, numbers]."""

    rows: Tensor
    amounts: Tensor


@dataclass(frozen=True, slots=True)
class Cascades:
    """Cascades that are measured together, [k] each. A turn is (which of them, their targets), each target once."""

    sources: Tensor
    thresholds: Tensor
    strengths: Tensor
    turns: tuple[tuple[Tensor, Tensor], ...]


@dataclass(frozen=True, slots=True)
class Modulation:
    """target -= scale * (base + span * (top - source)); scalars on the device."""

    target: int
    source: int
    numbers: tuple[Tensor, Tensor, Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything a tick reads beside the state. Affordance number R = their count stands for none."""

    interact: int
    lifespan: int
    lifespan_reward: Tensor
    last_cell: Tensor
    width: int
    moves: Tensor
    low: Tensor
    high: Tensor
    by_action: tuple[Change, ...]
    needs: Tensor
    prices: Tensor
    by_affordance: tuple[Change, ...]
    decay: Tensor
    modulations: tuple[Modulation, ...]
    cascades: tuple[Cascades, ...]
    causes: tuple[tuple[int, Tensor], ...]
    reward: tuple[int, int]


def make_tables(config: Config, device: torch.device) -> Tables:
    """Read the config once."""
    meters = config["meters"]
    rows = {meter["name"]: row for row, meter in enumerate(meters)}

    def floats(values: Sequence[float]) -> Tensor:
        return torch.tensor(values, dtype=torch.float32, device=device)

    def indices(values: Sequence[int]) -> Tensor:
        return torch.tensor(values, dtype=torch.int64, device=device)

    def changes(effects: list[list[Effect]]) -> tuple[Change, ...]:
        """The first statement on each meter of every number, the second, and so on."""
        lists = [[[e["amount"] for e in one if e["meter"] == meter["name"]] for one in effects] for meter in meters]
        found = []
        for turn in range(max(len(amounts) for lists_of_meter in lists for amounts in lists_of_meter)):
            touched = [row for row in range(len(meters)) if any(len(amounts) > turn for amounts in lists[row])]
            # -0.0 is the number that changes nothing when it is added
            table = [[one[turn] if len(one) > turn else -0.0 for one in lists[row]] for row in touched]
            found.append(Change(indices(touched), torch.tensor(table, dtype=torch.float32, device=device)))
        return tuple(found)

    def charge(key: str) -> list[Effect]:
        amounts = {"move": [meter["move"] for meter in meters], "interact": [meter["interact"] for meter in meters]}
        pairs = zip(meters, amounts[key], strict=True)
        return [{"meter": meter["name"], "amount": -amount} for meter, amount in pairs if amount]

    actions = [charge("move") for _ in config["moves"]] + [charge("interact"), []]
    actions += [action["effects"] for action in config["actions"]]
    still = [(0, 0)] * (len(actions) - len(config["moves"]))
    affordances = config["affordances"]
    return Tables(
        interact=config["interact"],
        lifespan=config["lifespan"],
        lifespan_reward=floats([config["lifespan_reward"]]),
        last_cell=torch.tensor([[config["width"] - 1], [config["height"] - 1]], dtype=torch.int32, device=device),
        width=config["width"],
        moves=torch.tensor([*config["moves"], *still], dtype=torch.int32, device=device).T.contiguous(),
        low=floats([meter["low"] for meter in meters]).unsqueeze(1),
        high=floats([meter["high"] for meter in meters]).unsqueeze(1),
        by_action=changes(actions),
        needs=indices([0 if item["needs"] is None else rows[item["needs"]] for item in affordances] + [0]),
        prices=floats([-torch.inf if item["needs"] is None else item["price"] for item in affordances] + [-torch.inf]),
        by_affordance=changes([*(item["effects"] for item in affordances), []]),
        decay=floats([meter["decay"] for meter in meters]).unsqueeze(1),
        modulations=tuple(
            Modulation(
                rows[item["target"]],
                rows[item["source"]],
                (floats([item["scale"]]), floats([item["base"]]), floats([item["span"]]), floats([item["top"]])),
            )
            for item in config["modulations"]
        ),
        cascades=tuple(
            Cascades(
                indices([rows[config["cascades"][number]["source"]] for number in batch]),
                floats([config["cascades"][number]["threshold"] for number in batch]).unsqueeze(1),
                floats([config["cascades"][number]["strength"] for number in batch]).unsqueeze(1),
                tuple(
                    (indices(turn), indices([rows[config["cascades"][batch[place]]["target"]] for place in turn]))
                    for turn in turns([config["cascades"][number]["target"] for number in batch])
                ),
            )
            for batch in batches(config)
        ),
        causes=tuple((rows[item["meter"]], floats([item["at_most"]])) for item in config["causes"]),
        reward=(rows[config["reward"][0]], rows[config["reward"][1]]),
    )


def batches(config: Config) -> list[list[int]]:
    """Runs of consecutive cascades in which no source was written by an earlier one of the same run."""
    found: list[list[int]] = []
    written: set[str] = set()
    for number, item in enumerate(config["cascades"]):
        if not found or item["source"] in written:
            found.append([])
            written = set()
        found[-1].append(number)
        written.add(item["target"])
    return found


def turns(targets: list[str]) -> list[list[int]]:
    """Places 0 .. n - 1 in turns: in the first, those that are first to write their target; and so on."""
    nth = [targets[:place].count(target) for place, target in enumerate(targets)]
    return [[place for place, turn in enumerate(nth) if turn == number] for number in range(max(nth) + 1)]


def tick(
    tables: Tables, meters: Tensor, position: Tensor, age: Tensor, board: Tensor, action: Tensor
) -> tuple[Tensor, Tensor, Tensor, Ending]:
    """The new meters, position and age, and how the tick ended. board: u8 [lanes, cells]; action: i64 [lanes]."""

    def clamped(values: Tensor, rows: Tensor) -> Tensor:
        return torch.minimum(torch.maximum(values, tables.low[rows]), tables.high[rows])

    meters = meters.clone()
    position = torch.minimum((position + tables.moves[:, action]).clamp(min=0), tables.last_cell)
    for change in tables.by_action:
        meters[change.rows] = clamped(meters[change.rows] + change.amounts[:, action], change.rows)

    nothing = len(tables.prices) - 1
    cell = (position[0] + tables.width * position[1]).long()
    here = board.gather(1, cell.unsqueeze(1)).squeeze(1).long()
    here = torch.where(action == tables.interact, here, nothing)
    able = meters.gather(0, tables.needs[here].unsqueeze(0)).squeeze(0) >= tables.prices[here]
    here = torch.where(able, here, nothing)
    for change in tables.by_affordance:
        meters[change.rows] = clamped(meters[change.rows] + change.amounts[:, here], change.rows)

    meters = torch.minimum(torch.maximum(meters - tables.decay, tables.low), tables.high)
    for rule in tables.modulations:
        scale, base, span, top = rule.numbers
        changed = meters[rule.target] - scale * (base + span * (top - meters[rule.source]))
        meters[rule.target] = torch.minimum(torch.maximum(changed, tables.low[rule.target]), tables.high[rule.target])
    for cascades in tables.cascades:
        source = meters[cascades.sources]
        lost = cascades.strengths * ((cascades.thresholds - source) / cascades.thresholds)
        lost = torch.where(source < cascades.thresholds, lost, 0.0)
        for places, targets in cascades.turns:
            meters[targets] = clamped(meters[targets] - lost[places], targets)

    terminated = torch.zeros_like(able)
    cause = torch.full_like(action, -1)
    for number, (row, at_most) in reversed(list(enumerate(tables.causes))):
        holds = meters[row] <= at_most
        cause = torch.where(holds, number, cause)
        terminated = terminated | holds
    age = age + 1
    truncated = (age >= tables.lifespan) & ~terminated
    cause = torch.where(truncated, len(tables.causes), cause)
    reward = meters[tables.reward[0]] * meters[tables.reward[1]]
    reward = torch.where(truncated, reward + tables.lifespan_reward, reward)
    reward = torch.where(terminated, 0.0, reward)
    used = torch.where(here == nothing, -1, here)
    return meters, position, age, Ending(reward, terminated, truncated, used, cause)


class Boards:
    """What is on each cell of each lane: u8 [lanes, cells], the affordance's number or their count."""

    def __init__(self, worlds: Worlds) -> None:
        self.worlds = worlds
        count, lanes = worlds.places.shape
        cells = worlds.config["width"] * worlds.config["height"]
        self.board = torch.full((lanes, cells), count, dtype=torch.uint8, device=worlds.device)
        self._numbers = torch.arange(count, dtype=torch.uint8, device=worlds.device).unsqueeze(0)
        self.renew(torch.arange(lanes, device=worlds.device))

    def renew(self, lanes: Tensor) -> None:
        """These lanes, i64 [n], have new layouts."""
        if len(lanes) == 0:
            return
        count = self._numbers.shape[1]
        fresh = torch.full((len(lanes), self.board.shape[1]), count, dtype=torch.uint8, device=lanes.device)
        self.board[lanes] = fresh.scatter_(1, self.worlds.places[:, lanes].T, self._numbers.expand(len(lanes), count))


class IndexTensors:
    """See the module."""

    def __init__(self, universe: Universe, device: torch.device) -> None:
        self.config = town_config(universe)
        self.tables = make_tables(self.config, device)

    def prepare(self, start: Start) -> None:
        self.worlds = Worlds(self.config, start)
        self.boards = Boards(self.worlds)

    def run(self, actions: Tensor) -> Result:
        state = self.worlds.state
        for row in actions.long():
            state["meters"], state["position"], state["age"], ending = tick(
                self.tables, state["meters"], state["position"], state["age"], self.boards.board, row
            )
            self.boards.renew(self.worlds.end_tick(ending))
        return self.worlds.result()
