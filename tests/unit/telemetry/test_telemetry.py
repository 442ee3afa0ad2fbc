"""Telemetry: every backend and every way to run gives the same records, and nothing else notices it."""

from __future__ import annotations

import copy
import json
import math
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.numbers.sums import sum_of, words_of
from hamlet.package.module import Module
from hamlet.telemetry import JsonLines, Record, TensorBoard, ring
from hamletc.targets.c.slots import STACK
from samples.shop import SHOP

WORLDS, AGENTS = 21, 2


@pytest.fixture(scope="module")
def shop(compiled: Callable[[str], Module]) -> Module:
    return compiled(SHOP)


@pytest.fixture(scope="module")
def short(compiled: Callable[[str], Module]) -> Module:
    """The shop with a lifespan at whose end agents are not starved."""
    return compiled(SHOP.replace("lifespan 60", "lifespan 12"))


def made(shop: Module, backend: str = "interpreter", **given: Any) -> Env:
    params = {"wage": hamlet.Uniform(0, 0.3), "hunger": hamlet.Uniform(0.5, 4)}
    return hamlet.make(shop, worlds=WORLDS, agents=AGENTS, backend=backend, seed=4, params=params, quiet=True, **given)


def actions(env: Env, ticks: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(7)
    return torch.randint(env.num_actions, (ticks, env.num_lanes), generator=generator, dtype=torch.int32)


def played(env: Env) -> list[Record]:
    """The records of steps, of rollouts that count for others too and that do not, and of a reset in between."""
    records: list[Record] = []
    with env.telemetry(every=40, to=records.append):
        for each in actions(env, 90):
            env.step(each)
        counts = env.rollout(30).counts
        env.rollout(55, statistics=counts, observe=True)
        env.reset()
        env.rollout(33, statistics=False)
    return records


def test_backends_give_the_same_records(shop: Module) -> None:
    of_interpreter, of_kernels = played(made(shop)), played(made(shop, "c"))
    assert [record.ticks for record in of_interpreter] == [40, 40, 40, 40, 40, 8]
    assert sum(record.episodes for record in of_interpreter) > 100
    assert all(sum(record.uses[name] for record in of_interpreter) > 50 for name in ("Stall", "Bench"))
    assert any(record.meters for record in of_interpreter)
    assert [repr(record) for record in of_interpreter] == [repr(record) for record in of_kernels]


def test_steps_and_rollouts_of_any_length_give_the_same_records(shop: Module) -> None:
    several = []
    for parts in ([1] * 80, [80], [7] * 11 + [3]):
        env, records = made(shop), []
        given = actions(env, 80)
        with env.telemetry(every=30, to=records.append):
            for part in parts:
                mine, given = given[:part], given[part:]
                if part == 1:
                    env.step(mine[0])
                else:
                    env.rollout(part, mine, statistics=False, observe=True)
        several.append([repr(record) for record in records])
    assert len(several[0]) == 3
    assert all(each == several[0] for each in several)


def test_it_counts_what_a_rollout_counts(shop: Module) -> None:
    env, records = made(shop), []
    with env.telemetry(every=100, to=records.append):
        result = env.rollout(100)
    (record,) = records
    assert record.episodes == result.episodes() > 50
    assert record.ends == result.causes()
    assert record.uses == result.uses()
    assert record.mean_length == result.mean_length()
    total = sum(Fraction(float(each)) for each in result.counts.finished_return)
    assert record.mean_return == float(total / record.episodes)
    lengths = [length for length, count in enumerate(result.lengths()) for _ in range(count)]
    assert record.lengths == tuple(sorted(lengths)[math.ceil(q * len(lengths)) - 1] for q in (0.25, 0.5, 0.75))


def test_windows_that_end_within_a_rollout_have_the_counts_of_their_ticks(shop: Module) -> None:
    """Whatever the rollout counts for its caller, from zero or on top of earlier counts, or not at all."""
    several, earlier = [], made(shop).rollout(5).counts
    for statistics in (False, True, earlier):
        env, records = made(shop), []
        with env.telemetry(every=30, to=records.append):
            env.rollout(80, actions(env, 80), statistics=statistics)
        counted = [(each.episodes, each.lengths, each.ends, each.uses, each.meters) for each in records]
        assert [each.ticks for each in records] == [30, 30, 20]
        assert all(each.episodes > 10 for each in records)
        several.append(counted)
    assert several[0] == several[1] == several[2]


def test_meters_at_ends_are_those_of_final_observations(short: Module) -> None:
    env, records, seen = made(short), [], []
    with env.telemetry(every=80, to=records.append):
        for each in actions(env, 80):
            episode = env.state["episode"].clone()
            _, _, terminated, truncated, info = env.step(each)
            begun = (env.state["episode"] != episode).repeat_interleave(AGENTS)
            food = torch.where(begun, info["final_observation"][:, 0], env.meter("food"))
            seen += food[terminated | truncated].tolist()
    assert len(seen) > 20
    units = sum(int(food * 2**29) for food in seen)
    assert records[0].episodes == len(seen)
    assert records[0].meters["food"] == units / (len(seen) * 2**29)
    assert 0.01 < records[0].meters["food"] < 0.5


@pytest.mark.parametrize("few", [pytest.param(256, marks=pytest.mark.long), 4])
def test_meters_of_any_bounds_are_added(
    compiled: Callable[[str], Module], monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """Where there are many, they share an array in kernels for CPUs."""
    monkeypatch.setattr("hamletc.targets.c.module.STACK", replace(STACK, few=few))
    bounds = ["1", "3", "100", "1048576", "0.001", "8", "1e-30", "3e38"]
    meters = [
        f"meter m{number} = {0.7 * float(high)!r} in 0 .. {high} {{ decay {0.013 * float(high)!r} }}"
        for number, high in enumerate(bounds)
    ]
    rewards = [f"reward m{number}" for number, high in enumerate(bounds) if high != "3e38"]
    head = [f"universe scales_{few}", "space none", "inert allowed", "lifespan 12 ticks"]
    text = "\n".join([*head, *meters, *rewards, "observe { meters }", "dies when m0 <= 0.2"])
    several = []
    for backend in ("interpreter", "c"):
        env, records = hamlet.make(compiled(text), worlds=40, backend=backend, seed=1, quiet=True), []
        with env.telemetry(every=30, to=records.append):
            env.rollout(30)
        several.append(repr(records))
        for number, high in enumerate(bounds):
            # Twelve ticks round once each. Bits are compared below.
            expected = (0.7 - 12 * 0.013) * float(high)
            assert records[0].meters[f"m{number}"] == pytest.approx(expected, rel=1e-5)
    assert several[0] == several[1]


@pytest.mark.long
def test_meters_that_nobody_observes_are_there_in_rollouts(compiled: Callable[[str], Module]) -> None:
    """Without the observations of every tick."""
    text = SHOP.replace("lifespan 60", "lifespan 12")
    text = text.replace("reward food", "reward food + joy\nmeter joy = 0.25 { decay 0.01 }")
    several = []
    for seen, ticks, backend in (
        ("meters", [1] * 80, "interpreter"),
        ("here", [80], "interpreter"),
        ("here", [80], "c"),
    ):
        env, records = made(compiled(text.replace("observe { meters }", f"observe {{ {seen} }}")), backend), []
        given = actions(env, 80)
        with env.telemetry(every=80, to=records.append):
            for count in ticks:
                env.rollout(count, given[:count], statistics=False)
                given = given[count:]
        several.append(repr(records))
        assert records[0].meters["joy"] == pytest.approx(0.13, abs=0.05)
        assert 0.01 < records[0].meters["food"] < 0.5
    assert several[1:] == several[:1] * 2


def test_a_checkpoint_has_the_open_window(shop: Module, tmp_path: Path) -> None:
    """Telemetry begun before the checkpoint is loaded or after it goes on to the same records."""
    pytest.importorskip("safetensors")
    whole, parts, records = made(shop), made(shop, "c"), []
    given, path = actions(whole, 70), tmp_path / "shop.safetensors"
    with whole.telemetry(every=30, to=records.append):
        whole.rollout(70, given, statistics=False)
    first: list[Record] = []
    with parts.telemetry(every=30, to=first.append):
        parts.rollout(45, given[:45], statistics=False)
        parts.save(path)
    assert [record.ticks for record in first] == [30, 15]
    for early in (True, False):
        other, later = made(shop), []
        if not early:
            other.load(path)
        with other.telemetry(every=30, to=later.append):
            if early:
                other.rollout(3)
                other.load(path)
            other.rollout(25, given[45:], statistics=False)
        assert repr(first[:1] + later) == repr(records)
    assert all(record.episodes > 10 for record in records)
    other = made(shop)
    other.load(path)
    other.rollout(1)
    with other.telemetry(every=30, to=later.append):
        other.rollout(30)
    assert later[-1].ticks == 30


def test_a_copy_has_no_telemetry(shop: Module) -> None:
    env, records = made(shop), []
    with env.telemetry(every=10, to=records.append):
        other = copy.deepcopy(env)
        other.rollout(20)
        other.telemetry(to=[]).close()
    assert records == []


def test_a_reset_ends_no_episode(shop: Module) -> None:
    env, records = made(shop), []
    with env.telemetry(every=10, to=records.append):
        for _ in range(5):
            env.step(actions(env, 1)[0])
            env.reset()
    assert records[0].episodes == 0
    assert records[0].meters == {}


def test_nothing_else_notices_it(shop: Module) -> None:
    quiet, counted = made(shop, "c"), made(shop, "c")
    results = []
    for env in (quiet, counted):
        telemetry = env.telemetry(every=17, to=[]) if env is counted else None
        first = env.rollout(45, per_world=True, per_lane=4)
        again = env.rollout(70, statistics=first.counts)
        for each in actions(env, 20):
            env.step(each)
        results.append((again, env.state_dict(), env.observation, env.info["final_observation"]))
        if telemetry is not None:
            telemetry.close()
    (one, state, *seen), (other, other_state, *other_seen) = results
    for name, counted_one in one.counts.memory.items():
        assert counted_one.tobytes() == other.counts.memory[name].tobytes(), name
    assert torch.equal(one.world_mean_length(), other.world_mean_length())
    for name, values in state["state"].items():
        assert values.numpy().tobytes() == other_state["state"][name].numpy().tobytes(), name
    assert all(torch.equal(a, b) for a, b in zip(seen, other_seen, strict=True))


def test_a_file_has_a_line_for_each_record(shop: Module, tmp_path: Path) -> None:
    env, records = made(shop), []
    path = tmp_path / "run.jsonl"
    with env.telemetry(every=20, to=[JsonLines(path), records.append]) as telemetry:
        env.rollout(50)
        telemetry.flush()
        assert len(path.read_text().splitlines()) == 3
        env.rollout(20)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines == [json.loads(json.dumps(record.as_json())) for record in records]
    assert [line["ticks"] for line in lines] == [20, 20, 10, 20]


def test_tensorboard_has_curves(shop: Module, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    env, records = made(shop), []
    with env.telemetry(every=40, to=[TensorBoard(tmp_path), records.append]):
        env.rollout(80)
    read = EventAccumulator(str(tmp_path))
    read.Reload()
    points = read.Scalars("episode/length")
    assert [point.step for point in points] == [40 * env.num_lanes, 80 * env.num_lanes]
    assert [np.float32(record.mean_length) for record in records] == [np.float32(point.value) for point in points]


def test_without_tensorboard_one_line_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(EnvError, match=r"pip install 'hamletc\[tensorboard\]'"):
        TensorBoard(tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_what_a_sink_raises_is_told_in_a_line(shop: Module) -> None:
    env = made(shop)

    def full(_: Record) -> None:
        raise OSError("no space is left")

    telemetry = env.telemetry(every=5, to=full)
    env.rollout(5)
    with pytest.raises(EnvError, match="telemetry was not taken: no space is left"):
        telemetry.flush()
    env.rollout(4)
    env.step(actions(env, 1)[0])
    taken = threading.Event()
    telemetry._ring._sent.put(taken)
    assert taken.wait(60)
    with pytest.raises(EnvError, match="no space is left"):
        env.rollout(7)
    assert env.tick == 15
    assert telemetry.left == 5
    with pytest.raises(EnvError, match="no space is left"):
        telemetry.close()
    assert env.rollout(5).ticks == 5


def test_an_environment_has_one_telemetry_until_it_is_closed(shop: Module, tmp_path: Path) -> None:
    env = made(shop)
    first = env.telemetry(to=[])
    with pytest.raises(EnvError, match="has telemetry already"):
        env.telemetry(to=[])
    first.close()
    first.close()
    with pytest.raises(EnvError, match="was closed"):
        first.flush()
    env.telemetry(to=[]).close()
    with pytest.raises(EnvError, match="cannot write"):
        JsonLines(tmp_path / "nowhere" / "run.jsonl")


def test_sums_are_exact_and_have_no_order() -> None:
    generator = np.random.default_rng(3)
    bits = generator.integers(0, 1 << 32, 5000, dtype=np.uint64).astype(np.uint32)
    values = bits.view(np.float32)
    values = np.concatenate([values[np.isfinite(values)], np.float32([0, -0.0, 1e-45, -1e-45, 3.4028235e38, 1, -1])])
    exact = sum((Fraction(float(value)) for value in values), Fraction(0))
    assert sum_of(words_of(values)) == exact
    assert sum_of(words_of(values[:100]) + words_of(values[100:])) == exact
    assert sum_of(words_of(np.repeat(np.float32(3.4028235e38), 3_000_000))) == 3_000_000 * Fraction(
        3.4028234663852886e38
    )


def test_a_thread_that_rests_for_ever_is_woken_by_full_slots_and_by_who_waits(
    shop: Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ring, "PAUSE", 1e6)
    records: list[Record] = []
    env = made(shop)

    def play() -> None:
        with env.telemetry(every=1, to=records.append) as telemetry:
            for each in actions(env, 5 * ring.MOST):
                env.step(each)
            telemetry.flush()
            env.step(actions(env, 1)[0])

    playing = threading.Thread(target=play, daemon=True)
    playing.start()
    playing.join(60)
    assert not playing.is_alive()
    assert [record.number for record in records] == list(range(5 * ring.MOST + 1))
