"""The arrays of threads that play, which one launch leaves to the next."""

from __future__ import annotations

from typing import cast

from hamlet.launch.cpu.player import Own
from hamlet.launch.cpu.playing import Spare


def test_arrays_go_from_launch_to_launch_where_they_fit() -> None:
    spare, own, other = Spare(), cast("Own", (1,)), cast("Own", (2,))
    assert spare.taken((3, 4)) is None
    spare.back((3, 4), own)
    spare.back((3, 4), other)
    assert {spare.taken((3, 4)), spare.taken((3, 4)), spare.taken((3, 4))} == {own, other, None}


def test_arrays_of_other_sizes_are_forgotten() -> None:
    spare, own = Spare(), cast("Own", (1,))
    spare.back((3, 4), own)
    assert spare.taken((4, 3)) is None
    assert spare.taken((3, 4)) is None
