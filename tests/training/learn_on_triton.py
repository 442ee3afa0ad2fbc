"""Two learners, the one in C and the one of Triton's kernels on its interpreter, learn the same from random stores.

    python learn_on_triton.py LAYERS AGENTS UPDATES CONTROLS MEMORY TICKS

It prints what differs after each update, and at the end what was seen of all that the kernels decide. It wants
TRITON_INTERPRET=1.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
import torch

from hamlet.backend.storage import Storage, storage_like
from hamlet.launch.gpu.interpreted import make_interpreter_exact
from hamlet_train.exact.kernels import CLIPPED, SAMPLES
from hamlet_train.exact.network import Array, Network
from hamlet_train.exact.store import Store
from hamlet_train.gpu.learner import Lesson
from hamlet_train.gpu.mind import Mind
from hamlet_train.gpu.taught import Taught
from hamlet_train.groups import Groups
from hamlet_train.ppo import Learned, Learner, Lives
from hamlet_train.ranks import Ranks
from hamlet_train.settings import Settings
from hamlet_train.team import Team

SEED, WORLDS, CUT = 11, 37, 16
"""The last group has fewer worlds than the others."""


def stored(network: Network, ticks: int, lanes: int, random: np.random.Generator) -> Storage:
    """Random numbers in the place of what a rollout stores."""
    like = storage_like(ticks, network.reads, network.actions, lanes)
    arrays: dict[str, Array] = {
        name: random.standard_normal(tuple(each.shape)).astype(np.float32)
        for name, each in like.items()
        if each.dtype is torch.float32
    }
    for name, share in (("masks", 0.6), ("alive", 0.9), ("terminated", 0.1), ("truncated", 0.1)):
        arrays[name] = random.random(tuple(like[name].shape)) < share
    # Somebody does not live at all.
    arrays["alive"][:, 3] = False
    arrays["final_values"] *= arrays["truncated"]
    arrays["log_probs"] = np.log(random.uniform(0.2, 0.9, (ticks, lanes))).astype(np.float32)
    chances = allowed(arrays["masks"]) * random.random(arrays["masks"].shape)
    arrays["actions"] = chances.argmax(axis=1).astype(np.int32)
    return Storage(**{name: torch.from_numpy(each) for name, each in arrays.items()})


def allowed(masks: Array) -> Array:
    """Where no action is allowed, all are."""
    result: Array = masks | ~masks.any(axis=1, keepdims=True)
    return result


def copy(of: Storage, to: Store) -> None:
    """Write the same into the store of the learner in C."""
    arrays = {name: tensor.numpy() for name, tensor in of.tensors.items()}
    to.inputs[:, :, : arrays["observations"].shape[1]] = arrays["observations"].transpose(2, 0, 1)
    to.masks[:] = allowed(arrays["masks"]).transpose(2, 0, 1)
    to.ends[:] = (arrays["terminated"] | arrays["truncated"]).T
    pairs = (to.valid, "alive"), (to.actions, "actions"), (to.chances, "log_probs"), (to.values, "values")
    for array, name in (*pairs, (to.beyond, "final_values"), (to.rewards, "rewards")):
        array[:] = arrays[name].T


def differing(
    network: Network, settings: Settings, agents: int, updates: int
) -> Iterator[tuple[list[str], Counter[str]]]:
    """The names of what differs after each update, and what was seen in it."""
    random, share = np.random.default_rng(7), Groups(WORLDS, agents, CUT).share(0, 1)
    lanes, ticks = share.lanes, settings.horizon
    of_c, of_triton = (Learned.begun(network, np.ones(network.inputs, np.float32), 5) for _ in range(2))
    for each in (of_c, of_triton):
        each.parameters *= np.float32(3.0)
        network.log_deviations(each.parameters)[:] = np.linspace(-1.0, -1e-3, network.controls)
    lives = Lives.begun(lanes), Lives.begun(lanes)
    team, store = Team(1, network.scratch), Store.empty(network, lanes, ticks)
    learner = Learner(network, settings, SEED, updates + 1, share, Ranks(), team, of_c, lives[0])
    mind = Mind(network, lanes, torch.device("cpu"))
    mind.take(of_triton, lives[1])
    lesson = Lesson(mind, settings, SEED, updates + 1, Taught(lanes, CUT * agents, ticks, network.memory > 0))
    for _ in range(updates):
        samples = stored(network, ticks, lanes, random)
        raw = 0.6 * random.standard_normal((ticks, network.controls, lanes)).astype(np.float32)
        # About what they were likely by.
        samples.tensors["log_probs"].sub_(1.1 * network.controls)
        copy(samples, store)
        store.raw[:] = raw.transpose(2, 0, 1)
        lesson.notes.raw.copy_(torch.from_numpy(raw))
        begun = 0
        if store.memory is not None:
            store.memory.first[:] = random.standard_normal(store.memory.first.shape)
            store.memory.begins[:] = random.random(store.memory.begins.shape) < 0.2
            lesson.notes.first.copy_(torch.from_numpy(store.memory.first))
            lesson.notes.begins.copy_(torch.from_numpy(store.memory.begins.T != 0))
            begun = int(store.memory.begins.sum())
        line = learner.update(store)
        lesson.teach(samples, of_triton)
        mind.leave(of_triton, lives[1])
        happened, losses = lesson.happened.numpy(), lesson.losses.numpy()
        pairs: dict[str, tuple[object, object]] = {
            name: (getattr(of_c, name), getattr(of_triton, name))
            for name in ("parameters", "first_moment", "second_moment", "samples", "discounted", "discounted_squares")
        }
        pairs |= {name: (getattr(lives[0], name), getattr(lives[1], name)) for name in Lives.__dataclass_fields__}
        pairs["norms"] = learner.norms, lesson.norms.tolist()
        pairs["clipped"] = line.clipped, losses[CLIPPED] / happened[SAMPLES]
        pairs["divergence"] = line.divergence, losses[-1] / happened[SAMPLES]
        pairs["value"] = line.value_loss, losses[1] / happened[SAMPLES]
        seen = Counter(
            clipped=int(0 < line.clipped < 1),
            limited=sum(norm > settings.norm for norm in learner.norms),
            unlimited=sum(norm <= settings.norm for norm in learner.norms),
            episodes=line.episodes,
            forbidden=int((~samples.tensors["masks"].numpy().any(axis=1)).sum()),
            dead=int((~samples.tensors["alive"]).sum()),
            bounded=int((network.log_deviations(of_c.parameters) == 0.0).sum()),
            begun=begun,
            free=int((network.log_deviations(of_c.parameters) < 0.0).sum()),
        )
        yield [name for name, (one, other) in pairs.items() if _bytes(one) != _bytes(other)], seen


def _bytes(value: object) -> bytes:
    return np.asarray(value).tobytes()


def main() -> None:
    """The command line."""
    make_interpreter_exact()
    hidden = tuple(int(each) for each in sys.argv[1].split(","))
    agents, updates, controls, memory, ticks = map(int, sys.argv[2:])
    settings = Settings(hidden=hidden, horizon=ticks, epochs=1, minibatches=2, rate=3e-3, norm=1.8)
    network, seen = Network(5, hidden, 3, controls, memory), Counter[str]()
    for differs, here in differing(network, settings, agents, updates):
        print("update", *differs)
        seen += here
    print(*sorted(name for name, count in seen.items() if count))


if __name__ == "__main__":
    main()
