"""Files of policies that are damaged, hostile or of something else: one clear line each."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hamlet
from hamlet import EnvError
from hamlet.package.module import Module
from hamlet.policies.files import Array, written
from saved_policies import about_of, saved, tensors_of

HOLE = """
universe hole
space none
meter depth = 0.5 { decay 0.01 }
action DIG { depth += 0.1 }
dies when depth <= 0
reward depth
observe { meters }
"""


@pytest.fixture
def hole(compiled: Callable[[str], Module]) -> Module:
    return compiled(HOLE)


def refused(path: Path, words: str) -> None:
    """A policy is refused in one line, without taking the memory that its file speaks of."""
    tracemalloc.start()
    try:
        with pytest.raises(EnvError, match=words) as problem:
            hamlet.policy(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()
    assert "\n" not in str(problem.value)
    assert str(path) in str(problem.value)


ABOUT: dict[str, tuple[dict[str, Any], str]] = {
    "another format": ({"format": 9}, "has format 9, and this hamletc reads 1"),
    "no format": ({"format": None}, "has format None"),
    "a name that clears the screen": ({"universe": "hole\x1b[2J"}, "does not say which universe it is for"),
    "no digest": ({"digest": None}, "does not say which universe it is for"),
    "parts of nothing": ({"parts": {"meter": 3}}, "does not say which universe it is for"),
    "parts in a list": ({"parts": [1]}, "does not say which universe it is for"),
    "no seed": ({"seed": "many"}, "says no seed of its training"),
    "an update below 0": ({"update": -1}, "says no seed of its training"),
    "a gigantic network": ({"inputs": 1 << 60}, "does not say the sizes of its network"),
    "a gigantic layer": ({"hidden": [1 << 40]}, "does not say the sizes of its network"),
    "a million layers": ({"hidden": [1] * 1_000}, "does not say the sizes of its network"),
    "no layers": ({"hidden": []}, "does not say the sizes of its network"),
    "layers in words": ({"hidden": "64,64"}, "does not say the sizes of its network"),
    "true inputs": ({"inputs": True}, "does not say the sizes of its network"),
    "more inputs than there are": ({"inputs": 1 << 20}, r"weights.0 \[16, 1\], and its network takes \[16, 1048576\]"),
    "controls that it has not": ({"controls": 3}, "has no log_deviations"),
    "an unknown activation": ({"activation": "gelu"}, "has the activation 'gelu': it is one of tanh, relu"),
    "a program": ({"program": "ppo_gru.py"}, "has a network that ppo_gru.py plays: python examples/ppo_gru.py"),
    "features without a table": ({"features": ["here"]}, "has no table of probabilities by features"),
    "features of nothing": ({"features": [7]}, "has no table of probabilities by features"),
    "features in words": ({"features": 7}, "has no table of probabilities by features"),
}


@pytest.mark.parametrize("case", ABOUT)
def test_what_a_file_says_is_looked_at(case: str, hole: Module, tmp_path: Path) -> None:
    others, words = ABOUT[case]
    about = about_of(hole, (16,))
    tensors = tensors_of(about)
    (tmp_path / "weights").write_bytes(written(tensors, about | others))
    refused(tmp_path / "weights", words)


def test_what_a_file_does_not_say_is_missed(hole: Module, tmp_path: Path) -> None:
    about = about_of(hole, (16,))
    for name in ("format", "universe", "digest", "seed", "inputs", "hidden", "actions"):
        rest = {key: value for key, value in about.items() if key != name}
        (tmp_path / "weights").write_bytes(written(tensors_of(about), rest))
        refused(tmp_path / "weights", "has format None|does not say|says no seed")


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["weights.0", "biases.1"])
def test_weights_that_are_no_numbers_are_refused(name: str, number: float, hole: Module, tmp_path: Path) -> None:
    about = about_of(hole, (16,))
    tensors = tensors_of(about)
    tensors[name].flat[3] = number
    (tmp_path / "weights").write_bytes(written(tensors, about))
    refused(tmp_path / "weights", rf"has {re.escape(name)} that are not finite: its training diverged")


def test_weights_of_another_type_are_refused(hole: Module, tmp_path: Path) -> None:
    about = about_of(hole, (16,))
    tensors: dict[str, Array] = tensors_of(about)
    tensors["biases.0"] = tensors["biases.0"].astype(np.float64)
    (tmp_path / "weights").write_bytes(written(tensors, about))
    refused(tmp_path / "weights", "has biases.0 of float64, and weights are float32")
    del tensors["biases.0"]
    (tmp_path / "weights").write_bytes(written(tensors, about))
    refused(tmp_path / "weights", "has no biases.0")


def test_a_header_that_lies_is_refused(hole: Module, tmp_path: Path) -> None:
    """Offsets beyond the end, overlapping ones, sizes that no file has, keys twice, and nesting without end."""
    contents = saved(tmp_path / "whole", hole, (16,)).read_bytes()
    end = 8 + int.from_bytes(contents[:8], "little")
    header, data = json.loads(contents[8:end]), contents[end:]

    def lying(text: bytes, size: int | None = None) -> bytes:
        return (len(text) if size is None else size).to_bytes(8, "little") + text + data

    beyond, overlapping, large = (json.loads(json.dumps(header)) for _ in range(3))
    beyond["weights.0"]["data_offsets"] = [0, 1 << 40]
    overlapping["weights.0"]["data_offsets"] = overlapping["biases.0"]["data_offsets"]
    large["weights.0"]["shape"] = [1 << 32, 1 << 32]
    lies = [
        *(lying(json.dumps(each).encode()) for each in (beyond, overlapping, large)),
        lying(contents[8:end], 1 << 62),
        lying(contents[8:end], end // 2),
        lying(b"[" * 100_000),
        lying(b'{"a": 1, "a": 2}'),
        lying(b"null"),
        contents[: len(contents) // 2],
        contents[:7],
        b"",
        b"PQ\x03\x04" + bytes(100),
    ]
    for number, lie in enumerate(lies):
        (tmp_path / f"lie {number}").write_bytes(lie)
        refused(tmp_path / f"lie {number}", "is no file of hamletc train, or a damaged one$")


def test_a_changed_bit_is_noticed(hole: Module, tmp_path: Path) -> None:
    path = saved(tmp_path / "weights", hole, (16,))
    contents = bytearray(path.read_bytes())
    contents[-9] ^= 1
    path.write_bytes(contents)
    refused(path, "is damaged: its checksum is another$")


def test_folders_and_paths_that_have_no_policy(hole: Module, tmp_path: Path) -> None:
    refused(tmp_path / "nothing", "cannot read .*nothing: No such file or directory")
    refused(tmp_path, "has no policy.safetensors: it is no folder of a training")
    (tmp_path / "manifest.json").write_text("{}")
    refused(tmp_path, "has no policy.safetensors: its training has no checkpoint yet")
    (tmp_path / "checkpoints").mkdir()
    for update in (3, 20, 100):
        saved(tmp_path / "checkpoints" / f"{update:08}.safetensors", hole, (16,), update=update)
    assert hamlet.policy(tmp_path).update == 100
    saved(tmp_path / "policy.safetensors", hole, (16,))
    assert hamlet.policy(tmp_path).update is None


def test_without_safetensors_a_line_says_what_is_missing(
    hole: Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path / "weights", hole, (16,))
    monkeypatch.setitem(__import__("sys").modules, "safetensors", None)
    with pytest.raises(EnvError, match=r"weights are kept by safetensors: pip install 'hamletc\[train\]'$"):
        hamlet.policy(path)
