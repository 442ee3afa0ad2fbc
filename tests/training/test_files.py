"""Files of a training: equal ones have equal bytes, damaged ones are told, and odd ones are refused in a line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from hamlet_train import checkpoint
from hamlet_train.errors import TrainError
from hamlet_train.files import read_tensors, write_tensors
from hamlet_train.run import Run


@pytest.fixture
def copied(run: Run, tmp_path: Path) -> Run:
    """A training that may be damaged."""
    shutil.copytree(run.folder, tmp_path / "copied")
    return Run(tmp_path / "copied")


def test_equal_weights_are_equal_bytes(tmp_path: Path) -> None:
    """safetensors gives metadata another order each time."""
    tensors = {f"weights.{number}": np.arange(number + 3, dtype=np.float32) for number in range(4)}
    about = {f"word{number}": number for number in range(9)}
    written = set[bytes]()
    for number in range(4):
        path = tmp_path / f"{number}.safetensors"
        write_tensors(path, dict(reversed(tensors.items())) if number % 2 else tensors, about)
        written.add(path.read_bytes())
    assert len(written) == 1
    assert load_file(path)["weights.1"].tolist() == [0, 1, 2, 3]
    found, said = read_tensors(path)
    assert (said, {name: each.tolist() for name, each in found.items()}) == (
        about,
        {name: each.tolist() for name, each in tensors.items()},
    )


def test_a_changed_byte_is_noticed(copied: Run) -> None:
    path = copied.folder / "policy.safetensors"
    contents = path.read_bytes()
    for place in (len(contents) - 1, contents.index(b'"seed":"') + 8):
        path.write_bytes(contents[:place] + bytes([contents[place] ^ 1]) + contents[place + 1 :])
        with pytest.raises(TrainError, match=r"policy\.safetensors is damaged: its checksum is another$"):
            read_tensors(path)


def test_a_truncated_checkpoint_names_the_whole_one_before_it(copied: Run) -> None:
    last, before, first = sorted(copied.checkpoints.iterdir(), reverse=True)[:3]
    last.write_bytes(last.read_bytes()[:-5])
    beside = rf"; {before.name} beside it is whole: remove what is damaged to go on from there$"
    with pytest.raises(TrainError, match=f"{last.name} is no file of hamletc train, or a damaged one{beside}"):
        read_tensors(last)
    before.write_bytes(b"")
    with pytest.raises(TrainError, match=f"; {first.name} beside it is whole"):
        read_tensors(last)
    for path in copied.checkpoints.iterdir():
        path.write_bytes(b"")
    with pytest.raises(TrainError, match=r"; no checkpoint before it is whole$"):
        read_tensors(last)


def test_what_a_killed_process_left_is_removed(copied: Run) -> None:
    left = [copied.folder / ".policy.safetensors.77.part", copied.checkpoints / ".00000005.safetensors.77.part"]
    for path in left:
        path.write_bytes(b"half")
    assert checkpoint.latest(copied.checkpoints) == copied.checkpoints / "00000005.safetensors"
    copied.remove_parts()
    assert not any(path.exists() for path in left)
    assert (copied.folder / "policy.safetensors").exists()


ODD: dict[str, Any] = {
    "worlds": "many",
    "agents": 0,
    "seed": -1,
    "ticks": True,
    "gradient_norm": 1.5,
    "universe": "meal\x1b[2J",
    "versions": ["torch"],
    "command": "hamletc train",
    "weights": 7,
    "settings": {"hidden": [64]},
    "unknown": 1,
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_manifest_is_refused_in_a_line(copied: Run, name: str) -> None:
    path = copied.folder / "manifest.json"
    said = json.loads(path.read_text())
    path.write_text(json.dumps(said | {name: ODD[name]}))
    with pytest.raises(TrainError, match="is no manifest of a training, or a damaged one: ") as refused:
        copied.read()
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "setting", [{"horizon": 0}, {"rate": "fast"}, {"hidden": []}, {"hidden": [2000]}, {"rate": None}]
)
def test_odd_settings_are_refused_in_a_line(copied: Run, setting: dict[str, Any]) -> None:
    path = copied.folder / "manifest.json"
    said = json.loads(path.read_text())
    path.write_text(json.dumps(said | {"settings": said["settings"] | setting}))
    with pytest.raises(TrainError, match="the setting"):
        copied.read()


@pytest.mark.parametrize("text", ["[]", "{}", "[" * 100_000, "null", "\udcff", '{"format": 1}'])
def test_what_is_no_manifest_is_refused_in_a_line(copied: Run, text: str) -> None:
    (copied.folder / "manifest.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(TrainError, match="is no manifest of a training, or a damaged one"):
        copied.read()


@pytest.mark.parametrize("line", ["[]", "7", '{"update": 1}', '{"policy": "mine", "fared": []}', "half"])
@pytest.mark.parametrize("name", ["progress", "evaluations"])
def test_an_odd_line_is_named(copied: Run, name: str, line: str) -> None:
    path = copied.folder / f"{name}.jsonl"
    with path.open("a") as file:
        file.write(f"{line}\n")
    number = len(path.read_text().splitlines())
    with pytest.raises(TrainError, match=rf"{name}\.jsonl, line {number}: it is none that a training writes"):
        copied.lines() if name == "progress" else copied.evaluations()
