"""Files that a stranger could hand over, damaged or made to do harm: whoever reads one says so in a line, and no more.

    python tests/soak/strangers.py --count 20000
    python tests/soak/strangers.py --first 4711 --count 1

File `number` is a function of its number alone. Each is a whole file of one of `READERS`, in which bytes, or values of
its JSON, were replaced. What is still read is used. None may end in a traceback, take more than 5 seconds of CPU time,
or say something that a terminal would obey.
"""

from __future__ import annotations

import base64
import io
import json
import random
import tempfile
import time
import traceback
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numbered import run

import hamlet
from hamlet.backend.buffers import Shape
from hamlet.env.keep.episode import Episode
from hamlet.errors import HamletError
from hamlet.interpreter import Interpreter
from hamlet.package.module import Module, in_memory
from hamlet.terminal import visible
from hamlet.universe import Universe
from hamlet.universe.codec import to_json
from hamlet_lab.divergence.events import CPU, Candidate
from hamlet_lab.verify.recording import Playback, read_recording, record, write_recording
from hamlet_townlet.adapter.description import Description, DescriptionError, ObservationField
from hamlet_townlet.adapter.description import from_json as described
from hamlet_townlet.adapter.description import to_json as describing
from hamlet_townlet.traces.trace import read_trace
from hamlet_train.files import read_tensors, write_tensors
from hamlet_train.run import Run
from hamletc.cli.policy import player_of
from hamletc.compile import check
from hamletc.language.source import Source
from hamletc.read import parsed

LONGEST_SECONDS = 5.0
TEXT = """universe pool
space grid 4 x 3
clock 24 hours
lifespan 30 ticks
param rate = 1 in 0.5 .. 2
control lift in -1 .. 1
meter food = 1 { decay 0.02 * rate }
state rested = true
affordance Stall at random open 8 .. 20 { needs rested  instantly { food += 0.1  rested = false } }
affordance Desk at (3, 2) lasts 3 ticks { each tick { food -= 0.01 } on completion { food += uniform(0, 0.2) } }
cascade hunger: food < 0.5 -> food -= 0.01 * deficit
rule luck: chance(0.1) -> rested = true
dies when food <= 0
reward food + 0.1 * lift
observe { grid  meters  state rested  time  params }
"""
ODD = (
    *(None, True, 0, -1, 1, 2.5, 1 << 31, 1 << 40, 10**400, -0.5, 1e30),
    *("", "x", "\x1b[31mred", "a\nb", "\u202e", [], {}),
)


@dataclass(frozen=True, slots=True)
class Reader:
    """A kind of files: the whole ones by name, and what reads one in a folder and uses what it says."""

    files: Callable[[], Mapping[str, bytes]]
    use: Callable[[Path], object]


@cache
def pool() -> Universe:
    """The universe."""
    source = Source(Path("pool.hamlet"), TEXT)
    return check(parsed(source)).universe


@cache
def module() -> Module:
    """Its package, without kernels."""
    return in_memory(Path("pool"), {"universe.json": to_json(pool()).encode()})


def env(worlds: int = 2) -> Any:
    return hamlet.make(module(), worlds=worlds, backend="interpreter", quiet=True)


def written(write: Callable[[Path], object], name: str) -> Callable[[], Mapping[str, bytes]]:
    """What is written into a folder."""

    @cache
    def files() -> Mapping[str, bytes]:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder) / name)
            return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}

    return files


def record_run(path: Path) -> None:
    candidate = Candidate(Interpreter(pool(), CPU), CPU)
    write_recording(record("pool@interpreter", pool(), candidate, Shape(2, 1), 3, 8), path)


def use_universe(path: Path) -> None:
    """Two ticks in a universe that was read."""
    text = (path / "universe.json").read_bytes()
    made = hamlet.make(in_memory(path, {"universe.json": text}), worlds=2, backend="interpreter", quiet=True)
    made.rollout(2)


def use_recording(path: Path) -> None:
    recording = read_recording(path / "a.npz")
    assert Playback(recording).name
    print(recording.label, sum(1 for _ in recording.events()))


def use_policy(path: Path) -> None:
    player_of(str(path / "a.json")).of(env())


def use_description(path: Path) -> None:
    described((path / "townlet.json").read_text(encoding="utf-8", errors="replace"))


def trained(path: Path) -> None:
    write_tensors(
        path, {"weights.0": np.zeros((2, 3), np.float32)}, {"format": 1, "universe": "pool", "digest": "0" * 64}
    )


def manifest(path: Path) -> None:
    settings = {"hidden": [8]}
    said = {"format": 1, "universe": "pool", "digest": "0" * 64, "source": "pool.hamlet", "command": ["train"]}
    said |= {"versions": {"torch": "2"}, "worlds": 8, "agents": 1, "seed": 0, "ticks": 100, "settings": settings}
    path.write_text(json.dumps(said))


def description(path: Path) -> None:
    fields = (ObservationField("energy", 0, 1),)
    path.write_text(
        describing(Description("pool", ("Bed",), (0,), (), True, False, "depletion", None, None, fields, (True,)))
    )


def trace(path: Path) -> None:
    np.savez_compressed(path, reset_at=np.array([0]), actions=np.zeros((3, 1), np.int64))
    path.with_suffix(".json").write_text(json.dumps({"pack_dir": "packs/pool", "N": 1, "T": 3, "pomdp": False}))


TABLE = '{"features": [["food", 2], "x"], "table": [[0, 1, 2, 3], [5, 4, 3, 2]]}'
READERS: dict[str, Reader] = {
    "episode": Reader(
        written(lambda path: env().record(1, 12).save(path), "a.episode"),
        lambda path: hamlet.replay(Episode.load(path / "a.episode"), module(), backend="interpreter"),
    ),
    "recording": Reader(written(record_run, "a.npz"), use_recording),
    "universe": Reader(written(lambda path: path.write_text(to_json(pool())), "universe.json"), use_universe),
    "checkpoint": Reader(
        written(lambda path: env().save(path, env().rollout(3, controls=None).counts), "a.safetensors"),
        lambda path: env().load(path / "a.safetensors"),
    ),
    "policy": Reader(
        written(
            lambda path: path.write_text('{"features": [["food", 2], "x"], "table": [[0, 1, 2, 3], [5, 4, 3, 2]]}'),
            "a.json",
        ),
        use_policy,
    ),
    "weights": Reader(written(trained, "a.safetensors"), lambda path: read_tensors(path / "a.safetensors")),
    "manifest": Reader(written(manifest, "manifest.json"), lambda path: Run(path).read()),
    "description": Reader(written(description, "townlet.json"), use_description),
    "trace": Reader(written(trace, "a.npz"), lambda path: read_trace(path / "a.npz")),
}


def made(number: int) -> tuple[str, Mapping[str, bytes]]:
    """The kind of file `number`, and the files of it."""
    dice = random.Random(number)
    kind = list(READERS)[number % len(READERS)]
    files = dict(READERS[kind].files())
    name = dice.choice(sorted(files))
    files[name] = dice.choice((_bytes, _values))(dice, files[name])
    return kind, files


def _bytes(dice: random.Random, content: bytes) -> bytes:
    """Bytes flipped, cut out, doubled or put in."""
    changed = bytearray(content)
    for _ in range(dice.randint(1, 4)):
        at, length = dice.randrange(len(changed) or 1), dice.choice((1, 1, 4, 100))
        match dice.randrange(5):
            case 0:
                changed[at : at + 1] = bytes([dice.randrange(256)])
            case 1:
                del changed[at : at + length]
            case 2:
                changed[at:at] = changed[at : at + length]
            case 3:
                changed[at:at] = dice.choice((b"[" * 100_000, b"\x1b[2J", b"\xff", b"\0", b"NaN", b'{"a":1,"a":2}'))
            case _:
                del changed[at:]
    return bytes(changed)


def _values(dice: random.Random, content: bytes) -> bytes:
    """Values of JSON replaced: of a file of it, or of the member or the header that says what a file is about."""
    if content[:1] == b"{":
        return _replaced(dice, content)
    if content[:2] == b"PK":
        return _archive(dice, content)
    size = int.from_bytes(content[:8], "little")
    header = _replaced(dice, content[8 : 8 + size])
    return len(header).to_bytes(8, "little") + header + content[8 + size :]


def _archive(dice: random.Random, content: bytes) -> bytes:
    """An archive of arrays with one replaced."""
    with np.load(io.BytesIO(content)) as opened:
        arrays = {name: opened[name] for name in opened.files}
    name = dice.choice(sorted(arrays))
    if arrays[name].dtype.kind == "U":
        arrays[name] = np.array(_replaced(dice, str(arrays[name]).encode()).decode())
    else:
        old, other = arrays[name], arrays[dice.choice([each for each in sorted(arrays) if each != "about"])]
        arrays[name] = dice.choice((other, old[:-1], old.astype(np.float64), old.T, old * 3 - 1, np.zeros(0)))
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def _replaced(dice: random.Random, content: bytes) -> bytes:
    """JSON with one or two values replaced, also within texts that are JSON or packed themselves."""
    document = json.loads(content)
    for _ in range(dice.randint(1, 2)):
        places = list(_places(document))
        if not places:
            break
        holder, key = dice.choice(places)
        value = holder[key]
        other, at = dice.choice(places)
        if isinstance(value, str) and value[:1] == "{" and dice.random() < 0.8:
            holder[key] = _replaced(dice, value.encode()).decode()
        elif key == "universe" and isinstance(value, str) and len(value) > 200 and dice.random() < 0.8:
            text = _replaced(dice, zlib.decompress(base64.b64decode(value)))
            holder[key] = base64.b64encode(zlib.compress(text)).decode()
        else:
            replacement = dice.choice((dice.choice(ODD), other[at]))
            holder[key] = json.loads(json.dumps(replacement))
    return json.dumps(document).encode()


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Where values stand: what holds each, and its key."""
    for key, value in list(
        node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    ):
        yield node, key
        yield from _places(value)


def fault(number: int) -> str | None:
    """What is wrong with what happens to file `number`; `None` where nothing is."""
    kind, files = made(number)
    begin = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        try:
            READERS[kind].use(Path(folder))
        except (HamletError, DescriptionError) as error:
            said = str(error)
            if isinstance(error, HamletError) and said != visible(said):
                return f"{kind}: {said!r}"
        except Exception as error:
            *_, place = traceback.extract_tb(error.__traceback__)
            return f"{kind}: {type(error).__name__} {error} {Path(place.filename).name}:{place.lineno}"
    seconds = time.process_time() - begin
    return f"{kind}: {seconds:.1f} s" if seconds > LONGEST_SECONDS else None


if __name__ == "__main__":
    run(__doc__, fault, "files")
