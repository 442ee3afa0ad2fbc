"""`hamletc export --to c`: the exported file has the bits of every backend, for consumers in several languages."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner

import hamlet
from hamlet.backend.digest import fnv1a
from hamlet.package.module import Module
from hamletc.cli.main import hamletc

ALONE = """
universe alone
space grid 5 x 4 { edges wrap }
lifespan 40 ticks
clock 24 hours
param wage = 0.2 in 0 .. 1
input weather = 0.25 in 0 .. 1
meter energy = uniform(0.5, 1) { decay 0.01  move 0.005 }
meter `mon*/ey` = 0 in 0 .. 9
affordance Bed at random lasts 3 ticks { each tick { energy += 0.2 } }
affordance Job at random open 8 .. 18 { instantly { `mon*/ey` += wage  energy -= 0.1 * weather } }
action REST { energy += 0.001 }
dies when energy <= 0
reward energy + 0.1 * `mon*/ey`
observe { position relative  meters  here  time  params }
"""
MEETING = """
universe meeting
space grid 6 x 6
lifespan 30 ticks
control push in -1 .. 1
world {
    meter stock = 5 in 0 .. 20
    rule grows: every 4 ticks -> stock += 1
    rule sold: stock -= count(used == Shop)
}
cells {
    meter moss = 0.1 when chance(0.3)
    rule grow: moss += 0.02 * neighbours(moss)
    rule eaten: moss -= 0.5 * count(push > 0)
}
role cat: 2 agents { meter fur = 0.5 { decay 0.001  only falls }  reward fur }
role dog: others { reward 0.01 }
meter mood = 0.5 { decay 0.002 }
affordance Shop at random { capacity stock to highest mood  instantly { mood += 0.2 } }
rule gossip: mood += 0.01 * (average(mood) - 0.5) + 0.05 * moss * push
dies when mood <= 0
reward mood
observe { meters  world  window 1 of moss  position relative }
"""
PROGRAM = """
#include <stdio.h>
#include "alone.h"
#include "meeting.h"
int main(void) {
    printf("%d %d\\n", alone_selftest(), meeting_selftest());
    return 0;
}
"""
RUST = """
#[repr(C)]
pub struct Alone {{ _private: [u8; 0] }}
extern "C" {{
    fn alone_bytes(worlds: i64, agents: i64) -> usize;
    fn alone_begin(memory: *mut u8, bytes: usize, worlds: i64, agents: i64, seed: u64) -> *mut Alone;
    fn alone_rollout(it: *mut Alone, ticks: i64);
    fn alone_digest(it: *const Alone) -> u64;
}}
fn main() {{
    unsafe {{
        let bytes = alone_bytes({worlds}, 1);
        let mut memory = vec![0u8; bytes];
        let it = alone_begin(memory.as_mut_ptr(), bytes, {worlds}, 1, {seed});
        alone_rollout(it, {ticks});
        println!("{{:x}}", alone_digest(it));
    }}
}}
"""
UNIVERSES = Path(__file__).parents[3] / "universes"
WORLDS, SEED, TICKS = 5, 11, 70
FLAGS = ("-std=c99", "-Og", "-Dalways_inline=unused", "-Wall", "-Wextra", "-Werror")
"""Small functions are compiled once, not wherever they are called; one test takes a user's options."""
NARROW = "-DHAMLET_NARROW"
"""Reads a part of the compiler's headers, in two thirds of the time; some are built as users build them."""


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both universes, exported."""
    made = tmp_path_factory.mktemp("exports")
    for text in (ALONE, MEETING):
        path = made / f"{text.split()[1]}.hamlet"
        path.write_text(text, encoding="utf-8")
        result = CliRunner().invoke(hamletc, ["export", str(path), "-o", str(made)])
        assert result.exit_code == 0, result.output
        assert result.output.splitlines() == [f"wrote {path.with_suffix(end)}" for end in (".h", ".c")]
    return made


@cache
def built(folder: Path, name: str, *flags: str) -> ctypes.CDLL:
    target = folder / f"{name}{len(flags)}{abs(hash(flags))}.so"
    run("cc", *FLAGS, *flags, "-shared", "-fPIC", f"{name}.c", "-o", target, folder=folder)
    return ctypes.CDLL(str(target))


@cache
def alone(folder: Path, name: str) -> str:
    """The name of the object file that has an export as it is where there is no library of C."""
    run("cc", *FLAGS, NARROW, "-ffreestanding", "-DHAMLET_ONE_THREAD", "-c", f"{name}.c", folder=folder)
    return f"{name}.o"


class Worlds:
    """Worlds of an exported library."""

    def __init__(self, library: ctypes.CDLL, name: str, agents: int) -> None:
        self._library, self._name = library, name
        size = self("bytes", ctypes.c_size_t, ctypes.c_int64(WORLDS), ctypes.c_int64(agents))
        # Any address will do.
        self.memory = ctypes.create_string_buffer(size + 8)
        given = ctypes.c_int64(WORLDS), ctypes.c_int64(agents), ctypes.c_uint64(SEED)
        place = ctypes.addressof(self.memory) + 8
        self._self = ctypes.c_void_p(
            self("begin", ctypes.c_void_p, ctypes.c_void_p(place), ctypes.c_size_t(size), *given)
        )
        self.lanes = WORLDS * agents

    def __call__(self, name: str, result: Any, *arguments: Any) -> Any:
        function = getattr(self._library, f"{self._name}_{name}")
        function.restype = result
        return function(*arguments)

    def of(self, name: str, *arguments: Any, result: Any = ctypes.c_uint64) -> Any:
        return self(name, result, self._self, *arguments)

    def rows(self, name: str, rows: int, kind: Any) -> Any:
        """An array [rows, lanes], as bytes."""
        place = self.of(name, result=ctypes.c_void_p)
        return np.ctypeslib.as_array(ctypes.cast(place, ctypes.POINTER(kind)), (rows, self.lanes))


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        (ALONE, ()),
        (MEETING, ("-DHAMLET_SCALAR",)),
        (MEETING, ("-O3", "-Ualways_inline", "-ffp-contract=fast", "-march=native", NARROW)),
    ],
)
def test_an_export_has_the_bits_of_kernels(
    folder: Path, compiled: Callable[[str], Module], text: str, flags: tuple[str, ...]
) -> None:
    name = text.split()[1]
    env = hamlet.make(compiled(text), worlds=WORLDS, seed=SEED, backend="c", quiet=True)
    worlds = Worlds(built(folder, name, *flags), name, env.num_agents)
    assert worlds("selftest", ctypes.c_int) == 0
    rng = np.random.default_rng(1)

    def same() -> None:
        assert worlds.of("digest") == env.digest()
        assert env._buffers.observation is not None
        for array, values, kind in (
            ("observation", env._buffers.observation, ctypes.c_float),
            ("mask", env._buffers.mask, ctypes.c_uint8),
        ):
            theirs = values.contiguous().numpy()
            assert np.array_equal(worlds.rows(array, len(theirs), kind).view(np.uint8), theirs.view(np.uint8))

    same()
    for _ in range(40):
        actions = rng.integers(0, env.num_actions, worlds.lanes).astype(np.int32)
        controls = rng.uniform(-1, 1, (1, worlds.lanes)).astype(np.float32)
        given = [controls] if env.universe.controls else []
        env.step(torch.from_numpy(actions), *map(torch.from_numpy, given))
        assert worlds.of(
            "step", *(ctypes.c_void_p(each.ctypes.data) for each in (actions, *given)), result=ctypes.c_bool
        )
    same()
    last = env._buffers.final_observation
    assert last is not None
    theirs = last.T.contiguous().numpy()
    mine = worlds.rows("final_observation", theirs.shape[1], ctypes.c_float).reshape(theirs.shape)
    assert theirs.any()
    assert np.array_equal(mine.view(np.uint32), theirs.view(np.uint32))
    env.rollout(30)
    worlds.of("rollout", ctypes.c_int64(30))
    same()
    env.reset(seed=SEED + 1)
    worlds.of("reset", ctypes.c_uint64(SEED + 1))
    same()
    assert worlds.of("ticks", result=ctypes.c_int64) == 0


def test_copies_go_on_elsewhere(folder: Path, compiled: Callable[[str], Module]) -> None:
    """Bytes of worlds, moved to another place, are copied into worlds that go on as the first ones do."""
    library = built(folder, "alone")
    worlds = Worlds(library, "alone", 1)
    worlds.of("rollout", ctypes.c_int64(20))
    size, start = len(worlds.memory) - 8, worlds._self.value
    assert start is not None
    moved, other = ctypes.create_string_buffer(size + 64), ctypes.create_string_buffer(size)
    place = (ctypes.addressof(moved) + 63) // 64 * 64
    ctypes.memmove(place, start, size - 64)
    ctypes.memset(start + 64, 0, size - 128)
    few, enough = ctypes.c_size_t(size - 1), ctypes.c_size_t(size)
    assert worlds("copy", ctypes.c_void_p, other, few, ctypes.c_void_p(place)) is None
    worlds._self = ctypes.c_void_p(worlds("copy", ctypes.c_void_p, other, enough, ctypes.c_void_p(place)))
    worlds.of("rollout", ctypes.c_int64(TICKS))
    env = hamlet.make(compiled(ALONE), worlds=WORLDS, seed=SEED, backend="c", quiet=True)
    env.rollout(20 + TICKS)
    assert worlds.of("digest") == env.digest()


def test_a_part_of_a_batch_does_as_it_does_there(folder: Path, compiled: Callable[[str], Module]) -> None:
    worlds = Worlds(built(folder, "alone"), "alone", 1)
    size = ctypes.c_size_t(len(worlds.memory) - 8)
    numbers = [*map(ctypes.c_int64, (3, WORLDS, 1)), ctypes.c_uint64(SEED)]
    worlds._self = ctypes.c_void_p(worlds("begin_part", ctypes.c_void_p, worlds.memory, size, *numbers))
    worlds.of("rollout", ctypes.c_int64(TICKS))
    env = hamlet.make(compiled(ALONE), worlds=WORLDS, first_world=3, seed=SEED, backend="c", quiet=True)
    env.rollout(TICKS)
    assert worlds.of("digest") == env.digest()
    numbers[0] = ctypes.c_int64(1 << 31)
    assert worlds("begin_part", ctypes.c_void_p, worlds.memory, size, *numbers) is None


def test_arrays_by_lane(folder: Path) -> None:
    """What a lane has side by side, and controls that are given so."""
    library = built(folder, "meeting", "-DHAMLET_SCALAR")
    meeting, other = Worlds(library, "meeting", 3), Worlds(library, "meeting", 3)
    header = (folder / "meeting.h").read_text(encoding="utf-8")
    rows = int(re.findall(r"MEETING_OBSERVATIONS = (\d+)", header)[0])
    controls = np.random.default_rng(2).uniform(-1, 1, (meeting.lanes, 1)).astype(np.float32)
    actions = np.zeros(meeting.lanes, np.int32)
    for worlds, name, given in ((meeting, "step_by_lane", controls), (other, "step", controls.T.copy())):
        passed = (ctypes.c_void_p(each.ctypes.data) for each in (actions, given))
        assert worlds.of(name, *passed, result=ctypes.c_bool)
    assert meeting.of("digest") == other.of("digest")
    by_lane = np.empty((meeting.lanes, rows), np.float32)
    meeting.of("observation_by_lane", ctypes.c_void_p(by_lane.ctypes.data), result=None)
    assert np.array_equal(by_lane, meeting.rows("observation", rows, ctypes.c_float).T)


def test_what_cannot_be_is_refused(folder: Path) -> None:
    worlds = Worlds(built(folder, "alone"), "alone", 1)
    before = worlds.of("digest")
    wrong = np.full(WORLDS, 99, np.int32)
    assert not worlds.of("step", ctypes.c_void_p(wrong.ctypes.data), result=ctypes.c_bool)
    assert worlds.of("digest") == before
    for count, agents in ((0, 1), (-1, 1), (1, 0), (1 << 31, 1), (1, 1 << 40)):
        assert worlds("bytes", ctypes.c_size_t, ctypes.c_int64(count), ctypes.c_int64(agents)) == 0
    memory = ctypes.create_string_buffer(4096)
    few = (ctypes.c_size_t(100), ctypes.c_int64(WORLDS), ctypes.c_int64(1), ctypes.c_uint64(SEED))
    assert worlds("begin", ctypes.c_void_p, memory, *few) is None
    meeting = Worlds(built(folder, "meeting", "-DHAMLET_SCALAR"), "meeting", 3)
    assert meeting("bytes", ctypes.c_size_t, ctypes.c_int64(1), ctypes.c_int64(2000)) == 0


def test_params_are_written_in_place(folder: Path, compiled: Callable[[str], Module]) -> None:
    worlds, wages = Worlds(built(folder, "alone"), "alone", 1), np.linspace(0, 1, WORLDS).astype(np.float32)
    worlds.rows("params", 1, ctypes.c_float)[0] = wages
    worlds.of("reset", ctypes.c_uint64(3))
    worlds.of("rollout", ctypes.c_int64(TICKS))
    env = hamlet.make(compiled(ALONE), worlds=WORLDS, backend="c", quiet=True)
    env.reset(seed=3, params={"wage": torch.from_numpy(wages)})
    env.rollout(TICKS)
    assert worlds.of("digest") == env.digest()


def test_two_universes_are_in_one_program_without_a_library(folder: Path) -> None:
    """Neither calls anything but what every compiler of C calls by itself, and neither has names that others have."""
    for name in ("alone", "meeting"):
        symbols = [line.split() for line in run("nm", alone(folder, name), folder=folder).splitlines()]
        assert {each[-1] for each in symbols if each[-2] == "U"} <= {"memcpy", "memset", "memmove"}
        assert all(each[-1].startswith(f"{name}_") for each in symbols if each[-2] == "T")
    (folder / "main.c").write_text(PROGRAM, encoding="utf-8")
    run("cc", *FLAGS, "main.c", "alone.o", "meeting.o", "-o", "both", folder=folder)
    assert run("./both", folder=folder) == "0 0\n"


@pytest.mark.parametrize("name", ["worlds", "memory", "from"])
def test_a_universe_may_be_called_like_what_its_functions_take(folder: Path, name: str) -> None:
    """Of these parameters one hides the type in a body, one in the list of parameters, one in both."""
    for end in ("h", "c"):
        text = (folder / f"alone.{end}").read_text(encoding="utf-8")
        (folder / f"{name}.{end}").write_text(
            re.sub("alone", name, text).replace("ALONE", name.upper()), encoding="utf-8"
        )
    run("cc", *FLAGS, NARROW, "-fsyntax-only", f"{name}.c", folder=folder)


@pytest.mark.parametrize("name", ["lowest", "env", "ix", "add_f32", "int"])
def test_a_universe_called_like_a_function_or_a_type_has_another_name(tmp_path: Path, name: str) -> None:
    text = re.sub("universe [a-z]+", f"universe `{name}`", ALONE, count=1)
    (tmp_path / "called.hamlet").write_text(text, encoding="utf-8")
    result = CliRunner().invoke(hamletc, ["export", str(tmp_path / "called.hamlet"), "-o", str(tmp_path)])
    assert result.output.splitlines() == [f"wrote {tmp_path / f'u_{name}{end}'}" for end in (".h", ".c")]


def test_the_header_is_one_of_cpp(folder: Path) -> None:
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    (folder / "main.cc").write_text(PROGRAM, encoding="utf-8")
    objects = (alone(folder, name) for name in ("alone", "meeting"))
    run("c++", "-Wall", "-Wextra", "-Werror", "main.cc", *objects, "-o", "cpp", folder=folder)
    assert run("./cpp", folder=folder) == "0 0\n"


def test_the_source_is_one_of_cpp(folder: Path) -> None:
    """Game engines build everything as C++."""
    if shutil.which("g++") is None:
        pytest.skip("there is no G++")
    (folder / "whole.cc").write_text(PROGRAM.replace('"alone.h"', '"alone.c"', 1), encoding="utf-8")
    flags = ("-std=c++17", "-O0", NARROW, "-Wall", "-Wextra", "-Werror")
    run("g++", *flags, "whole.cc", alone(folder, "meeting"), "-o", "whole", folder=folder)
    assert run("./whole", folder=folder) == "0 0\n"


def test_rust_gets_the_same_digest(folder: Path, compiled: Callable[[str], Module]) -> None:
    if shutil.which("rustc") is None:
        pytest.skip("there is no Rust")
    env = hamlet.make(compiled(ALONE), worlds=WORLDS, seed=SEED, backend="interpreter", quiet=True)
    env.rollout(TICKS)
    (folder / "main.rs").write_text(RUST.format(worlds=WORLDS, seed=SEED, ticks=TICKS), encoding="utf-8")
    run("rustc", "main.rs", "-C", f"link-arg={alone(folder, 'alone')}", "-o", "rusty", folder=folder)
    assert int(run("./rusty", folder=folder), 16) == env.digest()


def test_fast_math_is_refused_and_flushed_numbers_are_found(folder: Path) -> None:
    done = subprocess.run(
        ["cc", "-ffast-math", "-c", "alone.c"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert "#error" in done.stderr
    assert "-ffast-math" in done.stderr
    library = built(folder, "alone")
    try:
        torch.set_flush_denormal(True)
        assert library.alone_selftest() in (3, 4)
    finally:
        torch.set_flush_denormal(False)
    assert library.alone_selftest() == 0


def test_other_bits_fail_the_self_test(folder: Path) -> None:
    """A default of a param that is another one."""
    text = (folder / "alone.c").read_text(encoding="utf-8")
    changed = text.replace(
        "self->params[0 * self->worlds + place] = 0x1.99999a0000000p-3f", "self->params[place] = 0.25f"
    )
    assert changed != text
    (folder / "other.c").write_text(changed, encoding="utf-8")
    assert built(folder, "other", "-O0", NARROW).alone_selftest() == 100


def test_a_digest_is_fnv1a() -> None:
    """Test vectors of RFC 9923."""
    assert fnv1a(b"") == 0xCBF29CE484222325
    assert fnv1a(b"a") == 0xAF63DC4C8601EC8C
    assert fnv1a(b"foobar") == 0x85944171F73967E8


def test_the_town_is_below_190_kilobytes(tmp_path: Path) -> None:
    result = CliRunner().invoke(hamletc, ["export", str(UNIVERSES / "town.hamlet"), "-o", str(tmp_path)])
    assert result.exit_code == 0
    assert (tmp_path / "town.c").stat().st_size < 190_000


def test_refusals_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "bad.hamlet").write_text("universe bad\nreward energy\n", encoding="utf-8")
    result = CliRunner().invoke(hamletc, ["export", str(tmp_path / "bad.hamlet"), "-o", str(tmp_path / "out")])
    assert result.exit_code != 0
    assert not (tmp_path / "out").exists()
