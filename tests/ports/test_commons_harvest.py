"""Commons harvest beside the procedures of Melting Pot's open substrate in numpy: each step, but for what is drawn, and
how much is eaten, left and hit in episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
from beside import Array, agree, mean

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module

ROWS = [
    "WWWWWWWWWWWWWWWWWWWWWWWW",
    "WAAA    A      A    AAAW",
    "WAA    AAA    AAA    AAW",
    "WA    AAAAA  AAAAA    AW",
    "W      AAA    AAA      W",
    "W       A      A       W",
    "W  A                A  W",
    "W AAA              AAA W",
    "WAAAAA            AAAAAW",
    "W AAA              AAA W",
    "W  A                A  W",
    "W                      W",
    "W                      W",
    "W                      W",
    "W  PPPPPPPPPPPPPPPPPP  W",
    "W PPPPPPPPPPPPPPPPPPPP W",
    "WPPPPPPPPPPPPPPPPPPPPPPW",
    "WWWWWWWWWWWWWWWWWWWWWWWW",
]
MAP = np.array([list(row) for row in ROWS])
HEIGHT, WIDTH = MAP.shape
WALL, GRASS = MAP == "W", MAP == "A"
SPAWNS = [(int(x), int(y)) for y, x in np.argwhere(MAP == "P")]
INNER = [(7, 7), (16, 7)]
PLAYERS, OUT = 7, 5
NORTH, EAST, SOUTH, WEST = range(4)
AHEAD = [(0, -1), (1, 0), (0, 1), (-1, 0)]
NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, FIRE = range(8)
MOVES = {FORWARD: 0, STEP_RIGHT: 1, BACKWARD: 2, STEP_LEFT: 3}
"""The quarters to the right in which a move leads."""
TURNS = {TURN_LEFT: 3, TURN_RIGHT: 1}
REGROWTH = [0, 0.0025, 0.005, 0.025]
AROUND = [(x, y) for x in range(-2, 3) for y in range(-2, 3) if 0 < x * x + y * y <= 4]
USUAL = [0.04, 0.44, 0.04, 0.1, 0.1, 0.12, 0.12, 0.04]
"""How often players of the comparison take the actions: they get around."""
Cell = tuple[int, int]


def beam(x: int, y: int, heading: int) -> Iterator[list[Cell]]:
    """The rays of a beam of length 3 and radius 1: left, right, ahead; each ends at whom or what it hits first."""
    forward, right = AHEAD[heading], AHEAD[(heading + 1) % 4]
    for side in (-1, 1):
        begin = x + side * right[0], y + side * right[1]
        yield [(begin[0] + n * forward[0], begin[1] + n * forward[1]) for n in range(3)]
    yield [(x + n * forward[0], y + n * forward[1]) for n in range(1, 4)]


def hits(firing: list[tuple[int, int, int]], standing: dict[Cell, int]) -> set[int]:
    """Whom beams of players (x, y, heading) hit, all at the same time."""
    hit = set()
    for shot in firing:
        for ray in beam(*shot):
            for cell in ray:
                if WALL[cell[1], cell[0]]:
                    break
                if cell in standing:
                    hit.add(standing[cell])
                    break
    return hit


def near(apples: Array) -> Array:
    """How many apples are at most two away from each cell, and not on it."""
    padded = np.pad(apples.astype(int), 2)
    total: Array = sum(padded[2 + y : 2 + y + HEIGHT, 2 + x : 2 + x + WIDTH] for x, y in AROUND)
    return total


class Original:
    """A world of the substrate: what its updaters ask for is done in the order in which they asked."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        spawns = [SPAWNS[index] for index in rng.permutation(len(SPAWNS))]
        self.place: list[Cell | None] = [*(INNER[index] for index in rng.permutation(2)), *spawns[: PLAYERS - 2]]
        self.heading = rng.integers(0, 4, PLAYERS)
        self.cooling = np.zeros(PLAYERS, int)
        self.left = np.zeros(PLAYERS, int)
        self.apples = GRASS.copy()
        self.waits = np.zeros(MAP.shape, int)
        self.hits = 0

    def step(self, actions: Array) -> Array:
        """The rewards of a step."""
        reward, apples = np.zeros(PLAYERS), self.apples.copy()
        sprouts = (self.waits > 0) & (self.rng.random(MAP.shape) < np.take(REGROWTH, np.clip(self.waits - 1, 0, 3)))
        taken = {place: player for player, place in enumerate(self.place) if place is not None}
        returns = [player for player in range(PLAYERS) if self.place[player] is None and self.left[player] == 0]
        self.left = np.maximum(self.left - 1, 0)
        for player in self.rng.permutation(PLAYERS):
            here, action = self.place[player], int(actions[player])
            if here is None:
                continue
            self.heading[player] = (self.heading[player] + TURNS.get(action, 0)) % 4
            if action not in MOVES:
                continue
            dx, dy = AHEAD[(self.heading[player] + MOVES[action]) % 4]
            there = here[0] + dx, here[1] + dy
            if WALL[there[1], there[0]] or there in taken:
                continue
            del taken[here]
            taken[there], self.place[player] = player, there
            if apples[there[1], there[0]]:
                apples[there[1], there[0]] = False
                reward[player] += 1
        firing = []
        for player, here in enumerate(self.place):
            if here is None:
                continue
            if self.cooling[player] > 0:
                self.cooling[player] -= 1
            elif actions[player] == FIRE:
                self.cooling[player] = 2
                firing.append((*here, int(self.heading[player])))
        hit = hits(firing, taken)
        for player in returns:
            free = [cell for cell in SPAWNS if cell not in taken]
            cell = free[self.rng.integers(len(free))]
            self.place[player], taken[cell] = cell, player
            self.heading[player] = self.rng.integers(4)
        for player, here in enumerate(self.place):
            if here is not None and sprouts[here[1], here[0]]:
                sprouts[here[1], here[0]] = False
                reward[player] += 1
        for player in hit:
            self.place[player], self.left[player] = None, OUT - 1
        self.hits += len(hit)
        # What sprouts under a player is gone, and waits anew, like what was eaten.
        fresh = self.apples & ~apples
        self.waits = np.where(GRASS & ~self.apples & ~fresh, 1 + near(self.apples), 0)
        self.apples = apples | sprouts
        return reward


def actions_of(rng: np.random.Generator, worlds: int) -> Array:
    return rng.choice(8, (worlds, PLAYERS), p=USUAL).astype(np.int32)


class Seen:
    """A world as it is, by the names of the port."""

    def __init__(self, env: Env, world: int, worlds: int) -> None:
        def of(values: Array) -> Array:
            return values.reshape(worlds, PLAYERS)[world].copy()

        def ground(name: str) -> Array:
            return env.meter(name).numpy()[:, world].reshape(MAP.shape).astype(int)

        x, y = env.state["position"].numpy().reshape(2, worlds, PLAYERS)[:, world].astype(int)
        self.place = list(zip(x.tolist(), y.tolist(), strict=True))
        self.alive = of(env.state["alive"].numpy()) > 0
        self.age = of(env.state["age"].numpy())
        self.late = of(env.meter("late").numpy()) > 0
        self.there = self.alive & ((self.age > 0) | ~self.late)
        self.heading = of(env.meter("heading").numpy()).astype(int)
        self.cooling = of(env.meter("cooling").numpy())
        self.apples, self.waits = ground("apple") > 0, ground("wait")


def view(seen: Seen, player: int) -> Array:
    """What a player has before it: 11 cells wide, the farthest line first."""
    (x, y), forward = seen.place[player], AHEAD[seen.heading[player]]
    right = AHEAD[(seen.heading[player] + 1) % 4]
    others = Counter(place for other, place in enumerate(seen.place) if seen.there[other])
    shown = np.zeros((3, LINES, 11))
    for line in range(LINES):
        for column in range(11):
            ahead, aside = 9 - line, column - 5
            there = x + ahead * forward[0] + aside * right[0], y + ahead * forward[1] + aside * right[1]
            inside = 0 <= there[0] < WIDTH and 0 <= there[1] < HEIGHT
            shown[0, line, column] = not inside or WALL[there[1], there[0]]
            shown[1, line, column] = inside and seen.apples[there[1], there[0]]
            shown[2, line, column] = others[there] if there != (x, y) else 0
    return shown


LINES = 11


def test_each_step_is_that_of_its_procedures(port: Callable[[str], Module]) -> None:
    """Who goes, turns, shoots, is hit, eats and comes back is theirs, and apples grow as often."""
    worlds, rng = 12, np.random.default_rng(3)
    env = hamlet.make(port("commons_harvest"), worlds=worlds, backend="c", seed=5, quiet=True)
    env.reset()
    ended = np.zeros((worlds, PLAYERS), int)
    counted: Counter[str] = Counter()
    tries, grown = np.zeros(4), np.zeros(4)
    for tick in range(300):
        before = [Seen(env, world, worlds) for world in range(worlds)]
        actions = actions_of(rng, worlds)
        actions[rng.random(actions.shape) < 0.1] = FIRE
        _, reward, terminated, truncated, _ = env.step(actions)
        assert not truncated.any()
        for world, old in enumerate(before):
            new = Seen(env, world, worlds)
            paid = reward.numpy().reshape(worlds, PLAYERS)[world]
            ends = terminated.numpy().reshape(worlds, PLAYERS)[world] > 0
            begun = {place for player, place in enumerate(old.place) if old.alive[player]}
            goals: dict[int, Cell] = {}
            firing, standing = [], {}
            for player in np.flatnonzero(old.alive):
                here, now, action = old.place[player], new.place[player], int(actions[world, player])
                if not old.there[player]:
                    assert now in (INNER if tick == 0 else SPAWNS)
                    counted["enters"] += 1
                    continue
                heading = (old.heading[player] + TURNS.get(action, 0)) % 4
                goal = here
                if action in MOVES:
                    dx, dy = AHEAD[(heading + MOVES[action]) % 4]
                    goal = here[0] + dx, here[1] + dy
                if goal != here and (WALL[goal[1], goal[0]] or goal in begun):
                    counted["blocked"] += 1
                    goal = here
                goals[int(player)] = goal
                assert now in (here, goal)
                fires = action == FIRE and old.cooling[player] == 0
                if fires:
                    firing.append((*now, int(heading)))
                standing[now] = int(player)
                if new.alive[player]:
                    assert new.heading[player] == heading
                    assert new.cooling[player] == (2 if fires else max(old.cooling[player] - 1, 0))
            wanted = Counter(goal for player, goal in goals.items() if goal != old.place[player])
            for cell, several in wanted.items():
                came = [player for player, goal in goals.items() if goal == cell and new.place[player] == cell]
                assert len(came) == 1
                counted["contested"] += several > 1
            hit = hits(firing, standing)
            counted["hits"] += len(hit)
            assert set(np.flatnonzero(ends)) == hit
            for player in range(PLAYERS):
                if not old.alive[player]:
                    ended[world, player] += 1
                    assert new.alive[player] == (ended[world, player] == OUT - 1)
                else:
                    ended[world, player] = 0
                    assert new.alive[player] != (player in hit)
            at = {new.place[player] for player in np.flatnonzero(old.alive)}
            on = np.zeros(MAP.shape, bool)
            for x, y in at:
                on[y, x] = True
            fed = {place: paid[player] for place, player in standing.items()}
            assert set(paid) <= {0, 1}
            sprouted = ~old.apples & (
                new.apples | np.array([[fed.get((x, y), 0) > 0 for x in range(WIDTH)] for y in range(HEIGHT)])
            )
            sprouted &= ~(old.apples & on)
            assert not sprouted[old.waits <= 1].any()
            assert (new.apples == ((old.apples | sprouted) & ~on)).all()
            for place, got in fed.items():
                assert got == (old.apples | sprouted)[place[1], place[0]]
                counted["eaten"] += int(got)
            for waits in range(1, 5):
                held = (np.minimum(old.waits, 4) == waits) & ~old.apples
                tries[waits - 1] += held.sum()
                grown[waits - 1] += (sprouted & held).sum()
            fresh = (old.apples | sprouted) & on
            assert (new.waits == np.where(GRASS & ~old.apples & ~fresh, 1 + near(old.apples), 0)).all()
            if tick % 10 == 0:
                rows = env.observation.numpy().reshape(worlds, PLAYERS, -1)[world]
                for player in np.flatnonzero(new.there):
                    assert (rows[player, :-1].reshape(3, LINES, 11) == view(new, player)).all()
                    assert rows[player, -1] == 1 - new.cooling[player] / 2
                    counted["views"] += 1
    for number, rate in enumerate(REGROWTH):
        assert abs(grown[number] - rate * tries[number]) <= 3 * np.sqrt(rate * tries[number]), (number, grown, tries)
    assert grown[3] > 100
    assert min(counted[name] for name in ("enters", "blocked", "contested", "hits", "eaten", "views")) > 20, counted


def test_as_much_is_eaten_left_and_hit(port: Callable[[str], Module]) -> None:
    """The same policy finds as much in 250 steps here and there."""
    worlds, ticks, rng = 64, 250, np.random.default_rng(8)
    env = hamlet.make(port("commons_harvest"), worlds=worlds, backend="c", seed=9, quiet=True)
    env.reset()
    eaten, hit = np.zeros(worlds), np.zeros(worlds)
    for _ in range(ticks):
        _, reward, terminated, _, _ = env.step(actions_of(rng, worlds))
        eaten += reward.numpy().reshape(worlds, PLAYERS).sum(axis=1)
        hit += terminated.numpy().reshape(worlds, PLAYERS).sum(axis=1)
    left = env.meter("apple").numpy().sum(axis=0)
    theirs = []
    for _ in range(worlds):
        original = Original(rng)
        got = sum(original.step(actions_of(rng, 1)[0]).sum() for _ in range(ticks))
        theirs.append((got, original.apples.sum(), original.hits))
    assert mean(eaten).value > 20
    for name, ours, there in zip(("eaten", "left", "hit"), (eaten, left, hit), np.array(theirs).T, strict=True):
        assert agree(mean(ours), mean(there)), f"{name}: {mean(ours)} here, {mean(there)} there"
