"""Reading a trace: what is missing, cut or of a wrong shape is said in one line, and is never equal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hamlet.errors import TraceError
from hamlet_townlet.traces import read_trace
from hamlet_townlet.traces.trace import BEGINNINGS, STEPS, VIEWS
from samples import recorded

STREAMS = ["reset_at", *(stream.name for stream in (*STEPS, *BEGINNINGS, *VIEWS))]


def refused(trace: Path, said: str) -> None:
    with pytest.raises(TraceError, match=said) as caught:
        read_trace(trace)
    assert "\n" not in str(caught.value)


def test_a_trace_is_read(trace: Path) -> None:
    read = read_trace(trace)
    assert read.resets == (0, 12)
    assert (read.meta.agents, read.meta.steps) == (5, 24)
    assert set(read.arrays) == set(STREAMS)


@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_is_missing(stream: str, trace: Path) -> None:
    arrays, about = recorded.read(trace)
    del arrays[stream]
    recorded.write(trace, arrays, about)
    refused(trace, f"has no stream {stream}$")


@pytest.mark.parametrize("stream", [stream.name for stream in STEPS])
def test_a_stream_is_cut(stream: str, trace: Path) -> None:
    arrays, about = recorded.read(trace)
    arrays[stream] = arrays[stream][:10]
    recorded.write(trace, arrays, about)
    refused(trace, f"stream {stream} has 10 of 24 steps: the trace is truncated")


def test_an_unknown_stream(trace: Path) -> None:
    arrays, about = recorded.read(trace)
    recorded.write(trace, {**arrays, "moods": arrays["meters"]}, about)
    refused(trace, "has a stream moods")


@pytest.mark.parametrize(
    ("stream", "values", "said"),
    [
        ("meters", np.zeros((24, 5, 99), np.float32), r"shape \[24, 5, 99\]"),
        ("meters", np.zeros((24, 5)), "shape"),
        ("rewards", np.zeros((24, 5)), "numbers of type float64"),
        ("rewards", np.zeros((24, 5), np.int32), "numbers of type int32"),
        ("dones", np.zeros((24, 5), np.int8), "numbers of type int8"),
        ("actions", np.zeros((24, 5), np.float32), "numbers of type float32"),
        ("rewards", np.float32(1), "has no of 24 steps"),
        ("reset_dones", np.zeros((1, 5), bool), "has 1 of 2 resets: the trace is truncated"),
        ("reset_at", np.array([1, 12]), "increasing steps from 0"),
        ("reset_at", np.array([0, 24]), "increasing steps from 0"),
        ("reset_at", np.array([0, 12, 12]), "increasing steps from 0"),
        ("reset_at", np.array([0.0, 12.0]), "list of steps"),
    ],
)
def test_a_wrong_array(stream: str, values: Any, said: str, trace: Path) -> None:
    arrays, about = recorded.read(trace)
    recorded.write(trace, {**arrays, stream: values}, about)
    refused(trace, said)


@pytest.mark.parametrize("kept", [0, 1, 100, 0.5, 0.9, -1])
def test_a_file_is_cut(kept: float, trace: Path) -> None:
    contents = trace.read_bytes()
    count = int(len(contents) * kept) if isinstance(kept, float) else kept
    trace.write_bytes(contents[:count])
    refused(trace, "is no trace, or a damaged one")


def test_a_flipped_bit(trace: Path) -> None:
    contents = bytearray(trace.read_bytes())
    contents[len(contents) // 3] ^= 1
    trace.write_bytes(contents)
    refused(trace, "is no trace, or a damaged one")


def test_objects_are_not_loaded(trace: Path) -> None:
    arrays, about = recorded.read(trace)
    recorded.write(trace, {**arrays, "meters": np.array([{"a": 1}], dtype=object)}, about)
    refused(trace, "is no trace, or a damaged one")


def test_files_that_are_not_there(trace: Path) -> None:
    refused(trace.with_name("other.npz"), "cannot be read: No such file")
    trace.with_suffix(".json").unlink()
    refused(trace, "is missing: it says what was recorded")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "describes no trace"),
        ("{}", "does not say 'pack_dir'"),
        (
            '{"no_trace": true, "error": {"type": "ValueError", "message": "no"}}',
            "nothing was recorded: ValueError: no",
        ),
    ],
)
def test_a_wrong_description(text: str, said: str, trace: Path) -> None:
    trace.with_suffix(".json").write_text(text, encoding="utf-8")
    refused(trace, said)


@pytest.mark.parametrize("key", ["N", "T", "temporal", "meters", "actions", "obs_layout", "depletion_multiplier"])
def test_a_wrong_entry(key: str, trace: Path) -> None:
    about = json.loads(trace.with_suffix(".json").read_text(encoding="utf-8"))
    about[key] = -1 if key != "depletion_multiplier" else "x"
    trace.with_suffix(".json").write_text(json.dumps(about), encoding="utf-8")
    refused(trace, "describes no trace")
