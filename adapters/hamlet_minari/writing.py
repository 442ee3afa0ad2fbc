"""Data sets of Minari: what they say of themselves, and their folders, which are written whole or not at all."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import EnvSpec

import hamlet_gym
from hamlet.arguments import whole
from hamlet.env.environment import Env
from hamlet.errors import EnvError, shown
from hamlet.policies.learnt import Learnt
from hamlet.schema.roles import suited_agents
from hamlet_adapters.source import Source, made, opened
from hamlet_minari.episodes import Chosen, Episode, played
from hamlet_minari.seats import Seats, seats_of

if TYPE_CHECKING:
    from minari.data_collector.episode_buffer import EpisodeBuffer

NAME = re.compile(r"(?:[-_\w]+/)*[-_\w]+-v\d+")
MOST_WORLDS = 2**20
MOST_TICKS = 2**20
TICKS = 1000
"""After so many ticks an episode is cut off where neither its universe nor anybody else says when."""
ROOM = 1 << 28
"""Worlds run together as long as their observations take no more bytes."""


@dataclass(frozen=True, slots=True)
class Written:
    """A data set that was written.

    Attributes:
        path: its folder.
        episodes, steps: how many it has.
        cut: how many of its episodes went on when it ended.
        ticks: the most of an episode.
    """

    path: Path
    episodes: int
    steps: int
    cut: int
    ticks: int


def record(
    universe: Source,
    dataset: str,
    policy: Any = "random",
    worlds: int = 100,
    agents: int | None = None,
    ticks: int | None = None,
    seed: int = 0,
    role: str | None = None,
    folder: str | Path | None = None,
    backend: str = "auto",
) -> Written:
    """Write the first episodes of worlds as a data set, which `minari.load_dataset` reads: observations and actions as
    the spaces of `hamlet_gym.Env` have them, rewards, ends, and masks of actions in infos. In worlds of several agents
    each agent has an episode of its own.

    `metadata` has the universe, the SHA-256 of it (`digest`) and the policy; each episode has `seed`, `world` and
    `agent`. `dataset.recover_environment(first_world=WORLD)`, reset with the seed, does it again to the bit.

    Args:
        universe: a module, a `.hamlet` file, a pack, or the folder of a generated package.
        dataset: its name for Minari, as in "first_meal/random-v0".
        policy: as `Env.record` takes it: "random", a policy that was learnt, a table or a network, or a function of
            observations [lanes, values] and masks [lanes, actions] that gives actions [lanes].
        worlds: from number 0 on.
        agents: in each world; by default 1, or as many as roles ask for.
        ticks: after so many an episode is cut off, and its last step truncated; by default the lifespan of the
            universe, or 1,000 where it has none.
        seed: of all randomness.
        role: whose episodes; a universe with roles needs one, for its roles have spaces of their own.
        folder: where Minari keeps data sets; by default `$MINARI_DATASETS_PATH`, or `~/.minari/datasets`.
        backend: as `hamlet.make` takes it.

    Raises:
        EnvError: an argument is wrong, or there is such a data set. Nothing was written.
    """
    return DATASETS.write(
        universe, dataset, lambda _: policy, _named(policy), worlds, agents, ticks, seed, role, folder, backend
    )


@dataclass(frozen=True, slots=True)
class Datasets:
    """Data sets of Minari, for `hamletc record --minari`."""

    def write(
        self,
        universe: Source,
        dataset: str,
        policy_of: Callable[[Env], Any],
        player: str,
        worlds: int,
        agents: int | None,
        ticks: int | None,
        seed: int,
        role: str | None,
        folder: str | Path | None,
        backend: str,
    ) -> Written:
        """See `record`; the policy is made for an environment, and `player` is its name.

        Raises:
            EnvError: see `record`.
        """
        if not isinstance(dataset, str) or NAME.fullmatch(dataset) is None:
            raise EnvError(f"Minari names data sets as in first_meal/random-v0, not {shown(dataset)}")
        count = whole(worlds, 1, MOST_WORLDS, "a data set is of 1 or more worlds")
        if ticks is not None:
            whole(ticks, 1, MOST_TICKS, "an episode has 1 or more ticks")
        home = _home(folder) / dataset
        if home.exists():
            raise EnvError(f"there is a data set {dataset} at {home}: take another version, or delete it")
        module = opened(universe)
        lifespan = module.universe.lifespan
        own = TICKS if lifespan is None else lifespan.ticks
        several = suited_agents(module.universe, 1) if agents is None else agents

        def block(begin: int, worlds: int) -> Env:
            settings = {"seed": seed, "backend": backend, "first_world": begin}
            return made(module, worlds, settings, several, shows_ends=True)

        first = block(0, 1)
        limit = own if ticks is None else ticks
        facts = {
            "dataset_id": dataset,
            "minari_version": version("minari"),
            "algorithm_name": player,
            "description": f"First episodes in {count:,} worlds of the universe {module.name}, played by {player}.",
            "requirements": [f"hamletc=={version('hamletc')}"],
            "universe": module.name,
            "digest": module.digest,
            "seed": seed,
            "agents": several,
            "role": role,
            "ticks": limit,
        }
        seats, spec = seats_of(first, role), None
        if several == 1 and isinstance(universe, (str, Path)):
            spec = hamlet_gym.spec(Path(universe).resolve(), limit if lifespan is None or limit < own else None)
        together = max(1, ROOM // (4 * several * limit * max(1, len(first.observation_names))))
        envs = (block(begin, min(together, count - begin)) for begin in range(0, count, together))
        return _written(
            home, seats, spec, facts, (each for env in envs for each in _block(env, seats, policy_of, limit))
        )


DATASETS = Datasets()


def _block(env: Env, seats: Seats, policy_of: Callable[[Env], Any], limit: int) -> Iterator[Episode]:
    """The episodes of some worlds."""
    env.reset(seed=env.seed)
    yield from played(env, seats, _choosing(env, policy_of(env)), limit)


def _choosing(env: Env, policy: Any) -> Callable[[], Chosen]:
    """A function that gives the actions and the controls of the next tick."""
    if not callable(policy) or isinstance(policy, Learnt):
        return env.acting(policy)
    return lambda: (env.checked_actions(policy(env.observation, env.action_mask)).clone(), None)


def _written(
    home: Path, seats: Seats, spec: EnvSpec | None, facts: Mapping[str, Any], episodes: Iterator[Episode]
) -> Written:
    """Write the folder of a data set.

    Raises:
        EnvError: it cannot be written.
    """
    from minari.dataset.minari_storage import MinariStorage

    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".hamletc-", dir=home.parent) as folder:
            whole_set = Path(folder) / home.name
            whole_set.mkdir()
            # JPEG would change bytes of images.
            storage = MinariStorage.new(
                whole_set / "data", seats.observation_space, seats.action_space, spec, jpeg_encoding=False
            )
            storage.update_metadata(dict(facts))
            cuts: list[bool] = []
            about: list[dict[str, int]] = []
            storage.update_episodes(_buffers(episodes, facts["seed"], about, cuts))
            storage.update_episode_metadata(about)
            written = Written(home, len(about), storage.total_steps, sum(cuts), facts["ticks"])
            whole_set.rename(home)
            return written
    except OSError as error:
        raise EnvError(f"cannot write {home}: {error.strerror or error}") from error


def _buffers(
    episodes: Iterator[Episode], seed: int, about: list[dict[str, int]], cuts: list[bool]
) -> Iterator[EpisodeBuffer]:
    """Episodes as Minari takes them; notes of which worlds they are, and whether they were cut off."""
    from minari.data_collector.episode_buffer import EpisodeBuffer

    for each in episodes:
        about.append({"world": each.world, "agent": each.agent})
        cuts.append(each.cut)
        yield EpisodeBuffer(
            seed=seed,
            observations=each.observations,
            actions=each.actions,
            rewards=each.rewards,
            terminations=each.terminations,
            truncations=each.truncations,
            infos={"action_mask": each.masks},
        )


def _home(folder: str | Path | None) -> Path:
    """The folder of all data sets.

    Raises:
        EnvError: Minari cannot be imported.
    """
    try:
        from minari.storage import get_dataset_path
    except ImportError as error:
        raise EnvError(f"data sets need Minari: pip install 'hamletc[minari]' ({error})") from error
    return get_dataset_path() if folder is None else Path(folder)


def _named(policy: Any) -> str:
    """The name of a policy."""
    if isinstance(policy, str):
        return policy
    return str(getattr(policy, "path", None) or getattr(policy, "__name__", type(policy).__name__))
