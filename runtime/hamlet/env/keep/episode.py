"""An episode as a file of a few kilobytes: where a world stood, what its agents did, and a check of every tick.

The state at the beginning, the seed and the actions determine every bit that follows, on every backend and whatever
other worlds run beside (docs/exactness.md). So a file, of JSON, has no frames, only 32 bits for each tick, by which a
replay finds the first tick that differs.
"""

from __future__ import annotations

import base64
import json
import math
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from hamlet import schema
from hamlet.arguments import whole
from hamlet.backend.buffers import DTYPES, Shape
from hamlet.env.keep.files import read_file, write_file
from hamlet.errors import EnvError, shown
from hamlet.strict_json import parsed
from hamlet.terminal import visible
from hamlet.universe import Universe
from hamlet.universe.codec import from_json, to_json

FORMAT = 1
SUFFIX = ".episode"
LIMIT = 1 << 64
MOST_LANES = 1 << 28
MOST_TEXT = 1 << 26
"""The most bytes that the text of a universe has in a file."""


@dataclass(frozen=True, slots=True)
class Episode:
    """A recorded episode of a world from some tick on, usually to its end. `Env.record` makes one, and `hamlet.replay`
    runs it again.

    Attributes:
        universe, digest: the universe, and sha256 of it, `Module.digest`.
        version: of the hamletc that recorded it.
        world: its global number.
        agents: in it.
        seed, tick: of its random numbers, before the first tick.
        state: the fields of the state before the first tick, as `Env.state_dict` has them of one world.
        actions: [ticks, agents] i32.
        controls: [ticks, controls, agents] f32; `None` in a universe without any.
        checks: [ticks] u32: the CRC of every array after each tick, see `check_of`.
        ended: how the episode of each agent ended in the last tick, "" where it did not.
        hands: the agents that somebody played by hand; none where one policy played all of them.
        others: who played the others of a game: "random", or the SHA-256 of the numbers of a policy.
    """

    universe: Universe
    digest: str
    version: str
    world: int
    agents: int
    seed: int
    tick: int
    state: Mapping[str, Tensor]
    actions: Tensor
    controls: Tensor | None
    checks: tuple[int, ...]
    ended: tuple[str, ...]
    hands: tuple[int, ...] = ()
    others: str = ""

    @property
    def ticks(self) -> int:
        """How many ticks it has."""
        return len(self.checks)

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all.

        Raises:
            EnvError: it cannot be written.
        """
        about = {
            "format": FORMAT,
            "hamletc": self.version,
            "digest": self.digest,
            "world": self.world,
            "agents": self.agents,
            "seed": self.seed,
            "tick": self.tick,
            "ended": list(self.ended),
            **({"hands": list(self.hands), "others": self.others} if self.hands else {}),
            "actions": _packed(self.actions),
            "controls": None if self.controls is None else _packed(self.controls),
            "checks": _text(np.array(self.checks, np.uint32).tobytes()),
            "state": {name: _packed(values) for name, values in self.state.items()},
            "universe": _text(to_json(self.universe).encode()),
        }
        write_file(path, (json.dumps(about, ensure_ascii=False, indent=1) + "\n").encode())

    @classmethod
    def load(cls, path: str | Path) -> Episode:
        """Read a file. Nothing in it is run.

        Raises:
            EnvError: it cannot be read, or is no recorded episode.
        """
        content = read_file(path)
        try:
            about = parsed(content)
            if about["format"] != FORMAT:
                said = shown(about["format"])
                raise EnvError(f"{path} has format {said}, and this hamlet reads episodes of format {FORMAT}")
            return _episode(about)
        except EnvError:
            raise
        except (ValueError, KeyError, TypeError, RuntimeError, zlib.error, EOFError) as error:
            raise EnvError(f"{path} is no episode recorded by hamlet, or a damaged one") from error

    def __repr__(self) -> str:
        return f"Episode({self.universe.name}, world {self.world}, {self.ticks} ticks from tick {self.tick})"


def check_of(universe: Universe, state: Mapping[str, Tensor], outcome: Mapping[str, Tensor], seen: list[Tensor]) -> int:
    """The CRC-32 of the bits of all fields of the state and the outcome, in the order of `hamlet.schema`, and of what
    is seen: observations and masks."""
    fields = [state[field.name] for field in schema.state_fields(universe)]
    fields += [outcome[field.name] for field in schema.outcome_fields(universe)]
    check = 0
    for values in (*fields, *seen):
        check = zlib.crc32(bits_of(values), check)
    return check


def bits_of(values: Tensor) -> bytes:
    """The bits of an array, row by row."""
    return values.detach().to("cpu").numpy().tobytes()


def this_version() -> str:
    """The version of hamletc that runs."""
    try:
        return version("hamletc")
    except PackageNotFoundError:
        return "unknown"


def _episode(about: dict[str, Any]) -> Episode:
    """The episode in the content of a file, with every size checked.

    Raises:
        EnvError, KeyError, TypeError, ValueError, RuntimeError: it says something else.
    """
    universe = from_json(_bytes(about["universe"], MOST_TEXT).decode())
    agents = whole(about["agents"], 1, MOST_LANES, "a recorded world has 1 or more agents")
    world = whole(about["world"], 0, LIMIT - 1, "the number of a recorded world is 0 or more")
    shape = Shape(1, agents, world)
    checks = np.frombuffer(_bytes(about["checks"], 4 * MOST_LANES), np.uint32)
    ticks = len(checks)
    sizes = ((field, shape.lanes if field.per == "lane" else 1) for field in schema.state_fields(universe))
    state = {
        field.name: _unpacked(
            about["state"][field.name],
            DTYPES[field.dtype],
            (count,) if field.rows is None else (len(field.rows), count),
        )
        for field, count in sizes
    }
    controls = None
    if universe.controls:
        controls = _unpacked(about["controls"], torch.float32, (ticks, len(universe.controls), agents))
    actions = _unpacked(about["actions"], torch.int32, (ticks, agents))
    ended = tuple(visible(str(each)) for each in about["ended"])
    if len(ended) != agents or not re.fullmatch("[0-9a-f]{64}", about["digest"]):
        raise ValueError("an end for each agent, and a sha256")
    hands = tuple(whole(each, 0, agents - 1, "agents by hand are some of the world") for each in about.get("hands", ()))
    others = about.get("others", "")
    if sorted(set(hands)) != [*hands] or not re.fullmatch("|random|[0-9a-f]{64}", others):
        raise ValueError("each agent by hand once, and who played the others")
    return Episode(
        universe,
        about["digest"],
        visible(str(about["hamletc"])),
        world,
        agents,
        whole(about["seed"], 0, LIMIT - 1, "a seed is 0 or more"),
        whole(about["tick"], 0, (1 << 32) - 1, "a tick is 0 or more"),
        state,
        actions,
        controls,
        tuple(checks.tolist()),
        ended,
        hands,
        others,
    )


def _packed(values: Tensor) -> str:
    return _text(bits_of(values))


def _bytes(text: str, most: int) -> bytes:
    """Bytes from their packed text, `most` of them at the most.

    Raises:
        TypeError, ValueError, zlib.error: it is something else.
    """
    unpacking = zlib.decompressobj()
    content = unpacking.decompress(base64.b64decode(text, validate=True), most)
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError(f"more than {most} bytes, or not all of them")
    return content


def _text(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()


def _unpacked(text: str, dtype: torch.dtype, size: tuple[int, ...]) -> Tensor:
    length = math.prod(size) * dtype.itemsize
    # One byte more: `decompress` takes 0 for no limit.
    content = bytearray(_bytes(text, length + 1))
    if len(content) != length:
        raise ValueError(f"{len(content)} bytes, not {length}")
    values = torch.frombuffer(content, dtype=dtype) if content else torch.zeros(0, dtype=dtype)
    return values.reshape(size).clone()


def ended_by(universe: Universe, cause: Tensor) -> tuple[str, ...]:
    """How episodes ended by `cause` of `Env.step`, [lanes]; "" where it is -1."""
    names = [*(each.name for each in universe.causes), "lifespan", ""]
    return tuple(names[number] for number in np.asarray(cause.cpu()).tolist())
