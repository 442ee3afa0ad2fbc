"""Wolf Sheep Predation beside its procedures in numpy: each tick, but for what is drawn, and how many sheep, wolves and
patches of grass there are later."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from beside import Array, agree, mean

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module

SIZE, SHEEP, AGENTS = 51, 400, 600
CELLS = SIZE * SIZE
SHEEP_GAIN, WOLF_GAIN, REGROWTH = 4, 20, 30
BREEDING = {"sheep": 0.04, "wolf": 0.05}
Herd = dict[str, Array]


def patch(x: Array, y: Array) -> Array:
    number: Array = np.minimum(np.floor(x), SIZE - 1).astype(int) + SIZE * np.minimum(np.floor(y), SIZE - 1).astype(int)
    return number


class Original:
    """The model with grass: who is asked, in which order, and what each does then."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.green = rng.random(CELLS) < 0.5
        self.countdown = np.where(self.green, REGROWTH, rng.integers(0, REGROWTH, CELLS))
        self.sheep, self.wolves = self._herd(100, 2 * SHEEP_GAIN), self._herd(50, 2 * WOLF_GAIN)

    def _herd(self, number: int, energy: int) -> Herd:
        x, y = self.rng.uniform(0, SIZE, (2, number))
        way, energies = self.rng.integers(0, 360, number), self.rng.integers(0, energy, number)
        return {"x": x, "y": y, "way": way.astype(float), "energy": energies.astype(float)}

    def _forward(self, herd: Herd) -> None:
        herd["x"] = (herd["x"] + np.sin(np.deg2rad(herd["way"]))) % SIZE
        herd["y"] = (herd["y"] - np.cos(np.deg2rad(herd["way"]))) % SIZE

    def _move(self, herd: Herd) -> None:
        turns = self.rng.integers(0, 50, (2, len(herd["x"])))
        herd["way"] = (herd["way"] + turns[0] - turns[1]) % 360
        herd["energy"] = herd["energy"] - 1
        self._forward(herd)

    def _with_children(self, herd: Herd, chance: float) -> Herd:
        breeds = self.rng.random(len(herd["x"])) < chance
        herd["energy"] = np.where(breeds, herd["energy"] / 2, herd["energy"])
        children = {key: values[breeds] for key, values in herd.items()}
        children["way"] = children["way"] + self.rng.uniform(0, 360, breeds.sum())
        self._forward(children)
        return {key: np.concatenate([values, children[key]]) for key, values in herd.items()}

    def graze(self) -> None:
        """`ask sheep`: of those on a patch the first one eats."""
        self._move(self.sheep)
        order = self.rng.permutation(len(self.sheep["x"]))
        patches, first = np.unique(patch(self.sheep["x"], self.sheep["y"])[order], return_index=True)
        eaters = order[first][self.green[patches]]
        self.sheep["energy"][eaters] += SHEEP_GAIN
        self.green[patches] = False
        self.sheep = kept(self.sheep, self.sheep["energy"] >= 0)
        self.sheep = self._with_children(self.sheep, BREEDING["sheep"])

    def grow(self) -> None:
        """`ask patches`."""
        grows = ~self.green & (self.countdown <= 0)
        self.countdown = np.where(grows, REGROWTH, np.where(self.green, self.countdown, self.countdown - 1))
        self.green |= grows

    def hunt(self) -> None:
        """`ask wolves`: each eats one of the sheep that are left on its patch."""
        self._move(self.wolves)
        sheep, wolves = (patch(herd["x"], herd["y"]) for herd in (self.sheep, self.wolves))
        eaten = np.zeros(len(sheep), bool)
        for wolf in self.rng.permutation(len(wolves)):
            prey = np.flatnonzero((sheep == wolves[wolf]) & ~eaten)
            if len(prey) > 0:
                eaten[prey[self.rng.integers(len(prey))]] = True
                self.wolves["energy"][wolf] += WOLF_GAIN
        self.sheep = kept(self.sheep, ~eaten)
        self.wolves = kept(self.wolves, self.wolves["energy"] >= 0)
        self.wolves = self._with_children(self.wolves, BREEDING["wolf"])


def kept(herd: Herd, condition: Array) -> Herd:
    return {key: values[condition] for key, values in herd.items()}


class Seen:
    """A world as it is, by the names of the port."""

    def __init__(self, env: Env, world: int, worlds: int) -> None:
        def of(values: Array) -> Array:
            return values.reshape(worlds, AGENTS)[world].copy()

        self.alive, self.age = of(env.state["alive"].numpy()) > 0, of(env.state["age"].numpy())
        names = ("x", "y", "way", "energy", "lot", "bred", "gone")
        self.x, self.y, self.way, self.energy, self.lot, bred, gone = (of(env.meter(name).numpy()) for name in names)
        self.bred, self.gone = bred > 0, gone > 0
        self.patch = patch(self.x, self.y)
        position = env.state["position"].numpy().reshape(2, worlds, AGENTS)[:, world].astype(int)
        self.place = position[0] + SIZE * position[1]
        self.grass = env.meter("grass").numpy()[:, world] > 0
        self.countdown = env.meter("countdown").numpy()[:, world].astype(int)
        self.grazer = env.meter("grazer").numpy()[:, world].copy()


def on_patches(patches: Array) -> Array:
    return np.bincount(patches, minlength=CELLS)


def apart(a: Array, b: Array) -> Array:
    """From b to a, the shorter way around."""
    way: Array = (a - b + SIZE / 2) % SIZE - SIZE / 2
    return way


def step_is_that_of_its_procedures(old: Seen, new: Seen) -> dict[str, int]:
    """Check a tick of a world; how often each happened."""
    sheep, wolf = np.arange(AGENTS) < SHEEP, np.arange(AGENTS) >= SHEEP
    lives, begun = old.alive, old.alive & ((old.age > 0) | old.bred)
    # Wolves hunt, and all get what they ate.
    flock, pack = (on_patches(old.patch[lives & each]) for each in (sheep, wolf))
    meals = np.minimum(flock, pack) if begun.any() else np.zeros(CELLS, int)
    assert (on_patches(old.patch[begun & sheep & new.gone]) == meals).all()
    gain = np.where(old.lot != old.grazer[old.place], 0, np.where(old.bred, SHEEP_GAIN / 2, SHEEP_GAIN)) * (
        begun & sheep
    )
    energy = np.where(lives & sheep, old.energy + gain, old.energy)
    halved = np.where(new.bred, 2, 1)
    ate = begun & wolf & (np.where(new.gone, -1, (new.energy + 1) * halved) - old.energy > WOLF_GAIN / 2)
    assert (on_patches(old.patch[ate]) == meals).all()
    energy = energy + WOLF_GAIN * ate
    assert (new.gone == (energy < 0))[begun & wolf].all()
    stays = lives & ~new.gone
    assert not new.bred[lives & new.gone].any()
    wants = np.where(sheep, (energy - 1) / halved, energy / halved - 1)
    assert np.abs(wants - new.energy)[stays].max() < 1e-3
    # All turn by less than 50 degrees to the left and to the right, and go one patch far.
    turned = (new.way - old.way + 180) % 360 - 180
    assert np.abs(turned - turned.round())[lives].max() < 1e-3
    assert np.abs(turned)[lives].max() < 49.5
    ways = np.deg2rad(new.way)
    assert np.abs(apart(new.x, old.x) - np.sin(ways))[lives].max() < 1e-4
    assert np.abs(apart(new.y, old.y) + np.cos(ways))[lives].max() < 1e-4
    assert (new.patch == new.place)[lives].all()
    # Of the sheep on a patch of grass one gets it; grass regrows.
    best = np.zeros(CELLS)
    np.maximum.at(best, new.place[stays & sheep], new.lot[stays & sheep])
    grazed = old.grass & (on_patches(new.place[stays & sheep]) > 0)
    assert (new.grazer == np.where(old.grass, best, 0)).all()
    assert ((new.grazer > 0) == grazed).all()
    grows = ~old.grass & (old.countdown == 0)
    assert (new.grass == (old.grass & ~grazed | grows)).all()
    assert (new.countdown == np.where(new.grass, REGROWTH, old.countdown - 1)).all()
    # Who starves or was caught is gone; mothers who are left have a child beside them.
    fed = new.lot == new.grazer[new.place]
    starves = stays & sheep & (new.energy + fed * SHEEP_GAIN / halved < 0)
    born = new.alive & (new.age == 0)
    assert (new.alive == (stays & ~starves | born)).all()
    assert not (born & lives).any()
    children, mothers = np.flatnonzero(born), np.flatnonzero(new.alive & ~born & new.bred)
    assert len(children) == len(mothers)
    for kind in (sheep, wolf):
        pairs = list(zip(children[kind[children]], mothers[kind[mothers]], strict=True))
        for child, mother in pairs:
            assert new.energy[child] == new.energy[mother]
            place = new if sheep[child] else old
            far = np.hypot(apart(new.x[child], place.x[mother]), apart(new.y[child], place.y[mother]))
            assert abs(far - 1) < 1e-3 if sheep[child] else far < 2.001
            assert new.bred[child]
            assert new.place[child] == new.place[mother]
    able = stays & np.where(sheep, True, begun)
    counted = {
        "eaten": int(meals.sum()),
        "grazed": int(grazed.sum()),
        "starved": int((starves | lives & wolf & new.gone).sum()),
    }
    for name, kind in (("sheep", sheep), ("wolf", wolf)):
        counted[name], counted[f"{name} bred"] = int((able & kind).sum()), int((able & kind & new.bred).sum())
    return counted


def test_each_tick_is_that_of_its_procedures(port: Callable[[str], Module]) -> None:
    worlds = 4
    env = hamlet.make(port("wolf_sheep"), worlds=worlds, backend="c", seed=2, quiet=True)
    env.reset()
    totals: dict[str, int] = {}
    for _ in range(120):
        before = [Seen(env, world, worlds) for world in range(worlds)]
        env.step(np.zeros((worlds, AGENTS), np.int32))
        for world, old in enumerate(before):
            for name, number in step_is_that_of_its_procedures(old, Seen(env, world, worlds)).items():
                totals[name] = totals.get(name, 0) + number
    assert min(totals["eaten"], totals["starved"], totals["grazed"]) > 500, totals
    for name, chance in BREEDING.items():
        far = abs(totals[f"{name} bred"] - chance * totals[name])
        assert far <= 1.96 * np.sqrt(chance * totals[name]), totals


def test_as_many_live_and_as_much_grows(port: Callable[[str], Module]) -> None:
    """Means over worlds of how many sheep, wolves and patches of grass there are when sheep have given birth."""
    worlds, ticks = 25, (50, 100)
    env = hamlet.make(port("wolf_sheep"), worlds=worlds, backend="c", seed=1, quiet=True)
    env.reset()
    ours, theirs = np.zeros((len(ticks), worlds, 3)), np.zeros((len(ticks), worlds, 3))
    for tick in range(1, max(ticks) + 1):
        env.step(np.zeros((worlds, AGENTS), np.int32))
        if tick in ticks:
            alive = env.state["alive"].numpy().reshape(worlds, AGENTS) > 0
            grass = env.meter("grass").numpy().sum(axis=0)
            ours[ticks.index(tick)] = np.stack(
                [alive[:, :SHEEP].sum(axis=1), alive[:, SHEEP:].sum(axis=1), grass], axis=1
            )
    for world in range(worlds):
        original = Original(np.random.default_rng(100 + world))
        for tick in range(1, max(ticks) + 1):
            original.graze()
            herds = len(original.sheep["x"]), len(original.wolves["x"])
            original.hunt()
            original.grow()
            if tick in ticks:
                theirs[ticks.index(tick), world] = *herds, original.green.sum()
    for index, tick in enumerate(ticks):
        for number, name in enumerate(("sheep", "wolves", "grass")):
            here, there = mean(ours[index, :, number]), mean(theirs[index, :, number])
            assert agree(here, there), f"{name} after {tick} ticks: {here} here, {there} there"
