"""Replaying a trace: equal as it was recorded, and a change of one value is found and named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import hamlet
from hamlet.errors import TraceError
from hamlet.package.module import Module
from hamlet_townlet.traces import TraceReplay, read_trace, replay
from hamlet_townlet.traces.trace import BEGINNINGS, STEPS, VIEWS
from samples import recorded
from unit.traces.conftest import copied

GIVEN = {"actions", "intrinsic_raw", "reset_positions", "reset_affordance_positions"}
COMPARED = [stream.name for stream in (*BEGINNINGS, *VIEWS, *STEPS) if stream.name not in GIVEN]
BRIEF = 8
"""Steps of a trace of which a value of each stream is changed, one stream after the other."""
PACKS = Path(__file__).parents[3] / "universes" / "packs"


def changed(trace: Path, stream: str, place: tuple[int, ...]) -> None:
    """Change one recorded value by as little as possible."""
    arrays, about = recorded.read(trace)
    values: NDArray[Any] = arrays[stream]
    if values.dtype == np.bool_:
        values[place] = ~values[place]
    elif values.dtype == np.float32:
        values[place] = np.nextafter(values[place], np.float32(2), dtype=np.float32)
    else:
        values[place] += 1
    recorded.write(trace, arrays, about)


def replayed(module: Module, trace: Path) -> TraceReplay:
    return replay(module, read_trace(trace))


def test_what_was_recorded_is_equal(module: Module, trace: Path) -> None:
    report = replayed(module, trace)
    arrays, _ = recorded.read(trace)
    assert report.ok
    assert report.compared == sum(arrays[name].size for name in COMPARED)
    assert {c.name for c in report.comparisons if c.count is None} == GIVEN
    assert report.render().endswith(f"equal in all {report.compared:,} values")


@pytest.mark.parametrize("name", ["office", "orchard", "tower", "tesseract", "swarm"])
def test_other_spaces_are_equal(name: str, tmp_path: Path) -> None:
    pack = hamlet.compile(PACKS / name, tmp_path / name)
    trace = recorded.record(pack, tmp_path)
    assert replayed(pack, trace).ok


def test_a_scrambled_state_is_set(module: Module, tmp_path: Path) -> None:
    trace = recorded.record(module, tmp_path, scrambled=True)
    arrays, about = recorded.read(trace)
    report = replayed(module, trace)
    assert report.ok
    scrambled = {"reset_meters", "reset_step_counts", "reset_time_of_day"}
    assert {c.name for c in report.comparisons if c.count is None} == GIVEN | scrambled
    about["scrambled_state"] = False
    recorded.write(trace, arrays, about)
    report = replayed(module, trace)
    assert {c.name for c in report.comparisons if c.first is not None} == scrambled


@pytest.fixture(scope="module")
def brief(module: Module, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of few steps."""
    return recorded.record(module, tmp_path_factory.mktemp("brief"), BRIEF, explored=True)


@pytest.mark.parametrize("stream", COMPARED)
def test_one_changed_value_is_found(stream: str, module: Module, brief: Path, tmp_path: Path) -> None:
    trace = copied(brief, tmp_path)
    arrays, _ = recorded.read(trace)
    place = tuple(size - 1 for size in arrays[stream].shape)
    changed(trace, stream, place)
    report = replayed(module, trace)
    assert not report.ok
    if stream in ("reset_meters", "reset_step_counts", "reset_dones", "reset_time_of_day"):
        # the replay goes on from the changed value, and from then on differs in more than that
        assert report.divergence is not None
        assert report.divergence.tick == BRIEF // 2
        return
    found = report.divergence
    assert found is not None
    assert (found.field, found.event == "the reset before it") == (stream, stream.startswith("reset_"))
    assert found.tick == (BRIEF // 2 if stream.startswith("reset_") else BRIEF - 1)
    assert found.agent == (4 if len(place) > 1 else None)
    assert [c.differing for c in report.comparisons if c.name == stream] == [1]
    assert found.expected != found.found
    assert found.more == 0


def test_the_rule_and_its_line_are_named(module: Module, trace: Path) -> None:
    changed(trace, "meters", (20, 3, 0))
    found = replayed(module, trace).divergence
    assert found is not None
    meter = module.universe.meters[0].name
    assert (found.field, found.tick, found.agent, found.row) == ("meters", 20, 3, meter)
    assert found.expected.bits != found.found.bits
    assert found.writes[-1].value == found.found
    source = found.writes[-1].source
    assert source.file in ("bars.yaml", "cascades.yaml", "affordances.yaml")
    assert source.line > 1
    assert any(f"{source}: {found.found}" in line for line in found.lines())


def test_the_variable_of_an_observation_is_named(module: Module, trace: Path) -> None:
    _, about = recorded.read(trace)
    field = next(field for field in about["obs_layout"] if field["variable"] == "time_sin")
    changed(trace, "observations", (3, 1, field["offset"]))
    found = replayed(module, trace).divergence
    assert found is not None
    assert found.row == "time_sin"
    assert found.writers[0].construct == "observe: time.sin"


def test_the_first_of_several_is_named(module: Module, trace: Path) -> None:
    changed(trace, "rewards", (9, 0))
    changed(trace, "meters", (9, 4, 1))
    changed(trace, "dones", (10, 0))
    found = replayed(module, trace).divergence
    assert found is not None
    assert (found.tick, found.field, found.agent) == (9, "meters", 4)


def test_zeros_are_one_and_nans_are_one(module: Module, trace: Path) -> None:
    arrays, about = recorded.read(trace)
    shaping = arrays["r_shaping"]
    zero = tuple(np.argwhere(arrays["observations"] == 0)[0])
    arrays["observations"][zero] = -0.0
    assert np.signbit(arrays["observations"][zero])
    recorded.write(trace, arrays, about)
    report = replayed(module, trace)
    assert report.ok
    assert [c.zeros for c in report.comparisons if c.name == "observations"] == [1]
    shaping[3, 3] = np.nan
    recorded.write(trace, arrays, about)
    assert not replayed(module, trace).ok


def test_fewer_steps(module: Module, trace: Path) -> None:
    changed(trace, "meters", (20, 3, 0))
    report = replay(module, read_trace(trace), steps=20)
    assert report.ok
    assert "the first 20 of 24 steps" in report.render()
    assert not replay(module, read_trace(trace), steps=21).ok


def test_nothing_compared_is_a_failure(module: Module, trace: Path) -> None:
    report = replayed(module, trace)
    empty = replace(report, comparisons=())
    assert not empty.ok
    assert "nothing was compared" in empty.render()


def test_an_engine_that_stopped(module: Module, trace: Path) -> None:
    arrays, about = recorded.read(trace)
    about["error"] = {"step": 24, "type": "ValueError", "message": "no"}
    recorded.write(trace, arrays, about)
    report = replayed(module, trace)
    assert report.ok
    assert "the recorded engine stopped at step 24 with ValueError: no" in report.render()


def test_a_trace_of_the_reset_alone(module: Module, trace: Path) -> None:
    arrays, about = recorded.read(trace)
    about["T"] = 0
    for stream in STEPS:
        arrays[stream.name] = np.zeros(0)
    for stream in (*BEGINNINGS, *VIEWS):
        arrays[stream.name] = arrays[stream.name][:1]
    arrays["reset_at"] = np.array([0])
    recorded.write(trace, arrays, about)
    report = replayed(module, trace)
    assert report.ok
    assert report.compared == sum(arrays[name].size for name in COMPARED)


def test_json(module: Module, trace: Path) -> None:
    changed(trace, "meters", (20, 3, 0))
    report = json.loads(replayed(module, trace).to_json())
    assert report["equal"] is False
    assert report["divergence"]["tick"] == 20
    assert {c["name"] for c in report["comparisons"]} == {*COMPARED, *GIVEN}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("meters", ["one", "two", "three"], "meters"),
        ("temporal", False, "temporal mechanics False, not True"),
        ("lifespan", 3, "the lifespan 3, not"),
        ("actions", [{"name": "A", "enabled": True}], "actions are 1, not"),
        ("enabled", None, "enabled actions differ"),
        ("variable", None, "observed variables differ"),
    ],
)
def test_a_trace_of_another_pack(key: str, value: Any, said: str, module: Module, trace: Path) -> None:
    arrays, about = recorded.read(trace)
    match key:
        case "enabled":
            about["actions"][0]["enabled"] ^= True
        case "variable":
            about["obs_layout"][0]["variable"] = "other"
        case "meters":
            about["meters"] = [f"{name}2" for name in about["meters"]]
        case "actions":
            about["actions"] = value
            arrays["action_masks"] = arrays["action_masks"][:, :, :1]
            arrays["reset_action_masks"] = arrays["reset_action_masks"][:, :, :1]
        case _:
            about[key] = value
    recorded.write(trace, arrays, about)
    with pytest.raises(TraceError, match=f"another pack.*{said}"):
        replayed(module, trace)


def test_an_action_that_does_not_exist(module: Module, trace: Path) -> None:
    arrays, about = recorded.read(trace)
    arrays["actions"][4, 2] = 99
    recorded.write(trace, arrays, about)
    with pytest.raises(hamlet.EnvError, match="action 99 does not exist"):
        replayed(module, trace)
