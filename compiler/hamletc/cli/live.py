"""The run itself: ticks in chunks, the meters sampled between them, and what came out in numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from math import nan
from time import perf_counter
from typing import TYPE_CHECKING

from hamletc.cli.plot import Sample
from hamletc.cli.report import RunReport

if TYPE_CHECKING:
    from hamlet.env.act.results import Rollout
    from hamlet.env.environment import Env
    from hamletc.cli.policy import Acts, Player

CHUNKS = 50
"""The rollouts, about, that a run is cut into."""

SAMPLED_LANES = 1 << 14
"""The agents, about, whose meters give the quantiles."""


def live(
    make: Callable[[], Env], name: str, ticks: int, params: Mapping[str, float], player: Player
) -> tuple[RunReport, list[Sample]]:
    """Make an environment, whose `params` these are, and run it for so many ticks under a policy, with a progress bar
    on standard error.

    The first chunk runs twice: once to compile what needs compiling, timed apart, then again from the start.
    """
    from rich.console import Console
    from rich.progress import Progress

    chunk = -(-ticks // CHUNKS)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(f"{name}: compiling kernels", total=ticks)
        begin = perf_counter()
        env = make()
        policy = player.of(env)
        _timed_rollout(env, chunk, policy, None)
        env.reset(seed=env.seed)
        start_seconds = perf_counter() - begin
        progress.update(bar, description=name)
        samples, seconds, done = [_sample(env, 0)], 0.0, 0
        rollout = None
        while done < ticks:
            lap, rollout = _timed_rollout(env, min(chunk, ticks - done), policy, rollout)
            seconds += lap
            done += rollout.ticks
            samples.append(_sample(env, done))
            progress.update(bar, completed=done)
    assert rollout is not None
    return _report(env, rollout, ticks, params, player, seconds, start_seconds), samples


def _timed_rollout(env: Env, ticks: int, policy: Acts, before: Rollout | None) -> tuple[float, Rollout]:
    begin = perf_counter()
    rollout = env.rollout(ticks, policy, statistics=True if before is None else before.counts)
    env.synchronize()
    return perf_counter() - begin, rollout


def _sample(env: Env, tick: int) -> Sample:
    stride = -(-env.num_lanes // SAMPLED_LANES)
    meters, alive = env.state["meters"][:, ::stride].cpu(), env.state["alive"][::stride].cpu()
    values = meters[:, alive].double().sort(dim=1).values
    last = values.shape[1] - 1
    if last < 0:  # where nobody lives a curve has a gap
        nobody = (nan,) * len(meters)
        return Sample(tick, nobody, nobody, nobody)
    return Sample(
        tick,
        tuple(values.mean(dim=1).tolist()),
        tuple(values[:, round(0.1 * last)].tolist()),
        tuple(values[:, round(0.9 * last)].tolist()),
    )


def _report(
    env: Env,
    rollout: Rollout,
    ticks: int,
    params: Mapping[str, float],
    player: Player,
    seconds: float,
    start_seconds: float,
) -> RunReport:
    return RunReport(
        universe=env.universe.name,
        choice=env.choice,
        worlds=env.num_worlds,
        agents=env.num_agents,
        roles=tuple(role.name for role in env.universe.roles or ()),
        ticks=ticks,
        seed=env.seed,
        policy=player.named,
        params=params,
        seconds=seconds,
        start_seconds=start_seconds,
        episodes=rollout.episodes(),
        mean_length=rollout.mean_length(),
        mean_return=rollout.mean_return(),
        curve=_curve(env, rollout),
        causes=rollout.causes(),
        uses=rollout.uses(),
    )


def _curve(env: Env, rollout: Rollout) -> list[float]:
    if env.universe.pools and env.universe.lifespan is not None:
        # The lifespan ends lives of all ages there, and how old these were is not counted apart from the deaths.
        return []
    deaths = rollout.lengths()
    ages = env.state["age"][env.state["alive"]].clamp(max=len(deaths) - 1).cpu()
    censored: list[int] = ages.bincount(minlength=len(deaths)).tolist()
    if env.universe.lifespan is not None:
        reached = int(rollout.counts.causes[-1])
        deaths[-1] -= reached
        censored[-1] += reached
    return survival(deaths, censored)


def survival(deaths: Sequence[int], censored: Sequence[int]) -> list[float]:
    """The fraction of agents that outlive each tick, by Kaplan and Meier (1958): agents that are still alive at the end
    of the run, or that reach the lifespan, count for as long as they were watched.

    Args:
        deaths: [ticks] the agents that died at this age.
        censored: [ticks] the agents that were last seen alive at this age.

    Returns:
        [ticks] the fraction alive after that age, until the last age that anybody reached.
    """
    watched = [died + left for died, left in zip(deaths, censored, strict=True)]
    at_risk = list(accumulate(reversed(watched)))[::-1]
    alive, curve = 1.0, []
    for died, risk in zip(deaths, at_risk, strict=True):
        if risk == 0:
            break
        alive *= (risk - died) / risk
        curve.append(alive)
    return curve
