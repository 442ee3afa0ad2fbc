"""Ticks of a single world: what `hamlet.launch.cpu.steps` does, with as little Python as there can be.

A tick of one agent takes about as long as ten statements of Python. So nothing is made in it: the words of its table,
actions and controls are written in place.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from hamlet.backend.protocol import Clock
from hamlet.launch.cpu.entry import COUNT, LANES, LINE, WIDE, Entry
from hamlet.launch.cpu.memory import Array
from hamlet.launch.cpu.turn import Answer, Step, Turn, step_of

CALL = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
"""A function of C that is called with Python's lock held: whoever takes the lock in the meantime keeps it for
milliseconds. What it gives is not looked at: actions are in range."""
WORD = 0xFFFFFFFF


class Single:
    """Ticks of buffers of one world; see `hamlet.backend.protocol.Single`.

    Attributes:
        actions: [lanes] i32, those of the last tick.
    """

    def __init__(
        self,
        entry: Entry,
        at: Mapping[str, int],
        words: array[int],
        share: Sequence[int],
        tensors: Sequence[torch.Tensor],
        controls: torch.Tensor | None,
        lanes: int,
        kept: object,
    ) -> None:
        """`at` has the word of each argument of the kernel, `share` the words of the only thread's share; `tensors` are
        those whose addresses are among the `words`, and `kept` is what else these point at."""
        self._memory = words = array("q", words)
        self._address = words.buffer_info()[0]
        self._call = CALL(entry.address)
        self._entry, self._kept = entry, kept
        self._tensors = tuple(tensors)
        self._addresses = [each.data_ptr() for each in self._tensors]
        # It begins a cache line.
        shares = array("q", bytes(2 * LINE))
        free = -shares.buffer_info()[0] % LINE // 8
        shares[free : free + len(share)] = array("q", share)
        self.actions, self._begun = torch.zeros(lanes, dtype=torch.int32), np.ones(1, np.bool_)
        actions = self.actions.numpy()
        words[COUNT] = words[LANES] = words[WIDE] = 0
        words[at["actions"]], words[at["shares"]] = actions.ctypes.data, shares.buffer_info()[0] + 8 * free
        # A view of memory takes two thirds of the time of an array to write into.
        self._words: memoryview[int] = memoryview(words)
        self._shares: memoryview[int] = memoryview(shares)[free:]
        self._share = share[0]
        self._action: memoryview[Any] = actions.data
        self._controls: memoryview[Any] = (np.zeros(0, np.float32) if controls is None else controls[:, 0].numpy()).data
        self._actions, self._all_controls = actions, None if controls is None else controls.numpy()
        self._low, self._high, self._tick = at["seed_low"], at["seed_high"], at["tick"]
        self._ticks, self._begins = at["ticks"], at["begins"]
        self._seed = -1

    def moved(self) -> bool:
        """See `hamlet.backend.protocol.Single`."""
        return [each.data_ptr() for each in self._tensors] != self._addresses

    def step(self, now: Clock, action: int, controls: Sequence[float]) -> None:
        """See `hamlet.backend.protocol.Single`."""
        words, tick = self._words, now.tick
        if now.seed != self._seed:
            self._take_seed(now.seed)
        self._action[0] = action
        if controls:
            if len(controls) == 1:
                self._controls[0] = controls[0]
            else:
                for row, value in enumerate(controls):
                    self._controls[row] = value
        words[self._tick] = tick
        self._shares[0] = self._share
        call, address = self._call, self._address
        # Python looks for Ctrl-C and for other threads where a call or a turn of a loop ends: not between these lines.
        now.tick = (tick + 1) & WORD
        call(address)

    def step_all(self, now: Clock, actions: Sequence[int], controls: Array | None) -> None:
        """See `hamlet.backend.protocol.Single`."""
        self._actions[:] = actions
        if controls is not None:
            assert self._all_controls is not None, "a universe with controls"
            self._all_controls[:] = controls
        self.step(now, actions[0], ())

    def at_once(self, now: Clock, answer: Answer) -> Step:
        """`step` and what it hands out, as one call of Python, until something else runs ticks or begins another seed.

        Raises:
            EnvError: see `hamlet.native.library.library`.
        """
        if now.seed != self._seed:
            self._take_seed(now.seed)
        turn, words, shares = Turn(), self._memory, self._shares
        turn.kernel, turn.words = self._entry.address, self._address
        turn.tick = self._address + self._tick * words.itemsize
        turn.share, turn.full = ctypes.addressof(ctypes.c_char.from_buffer(shares)), self._share
        turn.count = len(self._controls)
        turn.action, turn.controls = (
            self._actions.ctypes.data,
            0 if self._all_controls is None else self._all_controls.ctypes.data,
        )
        return step_of(turn, answer, now, self)

    def begin(self, seed: int) -> None:
        """See `hamlet.backend.protocol.Single`."""
        words, begins = self._words, self._begins
        self._take_seed(seed)
        words[self._tick] = words[self._ticks] = 0
        # The length of an array follows its address.
        words[begins], words[begins + 1] = self._begun.ctypes.data, 1
        self._shares[0] = self._share
        try:
            self._call(self._address)
        finally:
            words[begins + 1], words[self._ticks] = 0, 1

    def _take_seed(self, seed: int) -> None:
        self._seed, self._words[self._low], self._words[self._high] = seed, seed & WORD, seed >> 32
