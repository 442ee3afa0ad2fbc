"""Observations as bytes: what they stand for, on every backend, and what cannot be one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.package.module import Module
from hamlet.schema import observation_segments
from hamlet.schema.observed import STEPS, Scale
from processes import Run

ODD = """
universe odd
space continuous (-3 .. 5) x (0 .. 0.25) { step 0.5  reach 1 }
param cold = 1.0 in -2 .. 4
meter energy = 0.9 in -1 .. 3 { decay 0.04 * cold }
meter tiny = 0.0 in 0 .. 0.001 { decay 0.0001 }
meter debt = 0.0 in 0 .. 255
rule debts_grow: debt += 70.5 unclamped
affordance Fire at random lasts 3 ticks { each tick { energy += 0.3  tiny += 0.0005 } }
affordance Sea at random lasts forever { each tick { energy += 0.1 } }
dies when energy <= -1
reward energy
observe {
    position scaled  velocity  speed  meters  params  here  progress per 7  blank 3  constant -1 0.25 4  constant 9
}
"""


@pytest.fixture(scope="module")
def odd(compiled: Callable[..., Module]) -> Module:
    return compiled(ODD, "triton")


def by_definition(values: torch.Tensor, module: Module) -> np.ndarray:
    """The bytes of f32 observations [lanes, values], in numpy."""
    segments = observation_segments(module.universe)
    each = [segment.scale for segment in segments for _ in range(segment.count)]
    low, factor = (np.array([getattr(s, name) for s in each], np.float32) for name in ("low", "scale"))
    steps = (values.numpy() - low) * factor
    assert steps.dtype == np.float32
    return np.rint(np.clip(steps, 0, 255)).astype(np.uint8)


@pytest.mark.parametrize(("name", "backend"), [("odd", "interpreter"), ("odd", "c"), ("valley", "interpreter")])
def test_bytes_are_what_numbers_are_rounded_to(name: str, backend: str, request: pytest.FixtureRequest) -> None:
    module = request.getfixturevalue(name)
    numbers = hamlet.make(module, worlds=97, backend="interpreter", seed=5, obs_dtype=torch.float32)
    encoded = hamlet.make(module, worlds=97, backend=backend, seed=5, obs_dtype="uint8")
    assert numbers.observation is not None
    seen: set[int] = set()
    for _ in range(40):
        for env in (numbers, encoded):
            env.rollout(3, observe=True)
        assert encoded.observation is not None
        assert numbers.observation is not None
        assert encoded.observation.dtype is torch.uint8
        expected = by_definition(numbers.observation, module)
        assert np.array_equal(expected, encoded.observation.numpy())
        last, last_bytes = numbers.info["final_observation"], encoded.info["final_observation"]
        assert last is not None
        assert last_bytes is not None
        ended = (last != 0).any(dim=1)
        assert np.array_equal(by_definition(last[ended], module), last_bytes[ended].numpy())
        seen |= set(expected.flatten().tolist())
    assert ended.any(), "no episode ended"
    assert {0, 255} < seen
    assert len(seen) > 100


def test_decoding_is_within_half_a_step(odd: Module) -> None:
    numbers, encoded = (
        hamlet.make(odd, worlds=64, backend="interpreter", seed=1, obs_dtype=dtype) for dtype in ("float32", "uint8")
    )
    for env in (numbers, encoded):
        env.rollout(5)
    low, high = encoded.observation_low, encoded.observation_high
    assert low.shape == high.shape == (len(encoded.observation_names),)
    assert numbers.observation is not None
    assert encoded.observation is not None
    decoded = low + encoded.observation.float() * (high - low) / STEPS
    inside = numbers.observation.clamp(low, high)
    assert ((decoded - inside).abs() <= (high - low) / STEPS * 0.501).all()
    assert inside.ne(numbers.observation).any(), "a debt beyond its bounds takes the last byte"


def test_ranges(odd: Module) -> None:
    ranges = dict(
        zip(
            hamlet.make(odd, worlds=1, backend="interpreter", obs_dtype=None).observation_names,
            _ranges(odd),
            strict=True,
        )
    )
    assert ranges["position.x"] == (0, 1)
    assert ranges["size.x"] == (8, 8)
    assert ranges["velocity.x"] == (-8, 8)
    assert ranges["speed"] == (0, float(np.float32(np.hypot(8, 0.25))))
    assert ranges["meter.energy"] == (-1, 3)
    assert ranges["param.cold"] == (-2, 4)
    assert ranges["progress"] == (0, 1)
    assert ranges["blank[2]"] == (0, 0)
    assert ranges["constant[1]"] == (-1, 4)
    assert ranges["constant#2[0]"] == (9, 9)


def _ranges(module: Module) -> list[tuple[float, float]]:
    env = hamlet.make(module, worlds=1, backend="interpreter", obs_dtype=None)
    return list(zip(env.observation_low.tolist(), env.observation_high.tolist(), strict=True))


def test_ties_go_to_even(odd: Module) -> None:
    """A byte of a meter in 0 .. 255 is the number itself."""
    env = hamlet.make(odd, worlds=7, backend="interpreter", obs_dtype="uint8")
    env.state["meters"][2] = torch.tensor([0.0, 0.5, 1.5, 2.5, 254.5, 300.0, -0.5])
    env.observe()
    assert env.observation is not None
    column = env.observation_names.index("meter.debt")
    assert env.observation[:, column].tolist() == [0, 0, 2, 2, 254, 255, 0]


@pytest.mark.parametrize("width", [0.0, 1e-38, 1e-30, 1.0, 3e38])
def test_scales_are_finite(width: float) -> None:
    scale = Scale(0.0, width)
    assert scale.encodes == (width != 1e-38)
    assert np.isfinite(np.float32(scale.scale))


def test_what_no_byte_can_hold(tmp_path: Path) -> None:
    source = tmp_path / "narrow.hamlet"
    source.write_text(
        "universe narrow\nspace none\nmeter wide = 0 in 0 .. 1\nmeter thin = 0 in 0 .. 1e-38 { decay 1e-39 }\n"
        "rule grow: wide += thin\ndies when wide >= 1\nreward wide\nobserve { meters }\n"
    )
    module = hamlet.compile(source, tmp_path / "narrow")
    with pytest.raises(EnvError, match=r"cannot hold meter\.thin, which lies in 0\.0 \.\. "):
        hamlet.make(module, worlds=1, backend="interpreter", obs_dtype="uint8")
    assert hamlet.make(module, worlds=1, backend="interpreter", obs_dtype="float32").observation is not None


def test_triton_gives_the_same_bytes(odd: Module, run_program: Run) -> None:
    program = (
        "import sys, hamlet, torch\n"
        "module = hamlet.load(sys.argv[1])\n"
        "left, right = (hamlet.make(module, worlds=97, device='cpu', backend=b, seed=5, obs_dtype='uint8') "
        "for b in ('interpreter', 'triton'))\n"
        "for env in (left, right): env.rollout(12, observe=True)\n"
        "assert torch.equal(left.observation, right.observation)\n"
        "assert left.observation.unique().numel() > 50\n"
    )
    done = run_program(program, odd.path, TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stderr
