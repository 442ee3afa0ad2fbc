"""Checkpoints of an environment, in memory and in files."""

from __future__ import annotations

from pathlib import Path

import torch

from hamlet import schema
from hamlet.backend.buffers import Statistics
from hamlet.env import checkpoint
from hamlet.env.checkpoint import StateDict
from hamlet.env.measured import Measured
from hamlet.env.saved import counts_of, read_checkpoint, write_checkpoint
from hamlet.errors import EnvError, shown


class Restorable(Measured):
    """An environment whose state can be saved and restored."""

    def state_dict(self) -> StateDict:
        """A checkpoint: a copy of everything that determines the following ticks, on the environment's device.

        Raises:
            EnvError: a param or an input was written in place and is out of bounds.
        """
        self.check_given()
        return {
            "universe": self.module.digest,
            "first_world": self.first_world,
            "seed": self.seed,
            "tick": self.tick,
            "state": {name: value.clone() for name, value in self._buffers.state.items()},
        }

    def load_state_dict(self, saved: StateDict) -> None:
        """Continue from a `state_dict`, bit for bit, whatever backend and device made it.

        Observations and masks are computed again; outcomes and final observations of the past are cleared.

        Raises:
            EnvError: the checkpoint belongs to another universe or to other worlds, or has a value that no tick leaves.
                Nothing was changed.
        """
        state = checkpoint.check(self.universe, self.module.digest, self._buffers.shape, saved)
        with self._whole, self._restarting():
            for name, value in state.items():
                self._buffers.state[name].copy_(value)
            for held in self._held.values():
                held.taken()
            now = self._now
            now.seed, now.tick, now.untouched = int(saved["seed"]), int(saved["tick"]), False
            self._clear_past()
            self.observe()

    def save(self, path: str | Path, counts: Statistics | None = None) -> None:
        """Write a checkpoint into a file of safetensors, whole or not at all: what `state_dict` has, the version of
        hamletc, and what was counted.

        Args:
            path: of the file.
            counts: the `counts` of rollouts that `load` shall give back.

        Raises:
            EnvError: safetensors is missing, or the file cannot be written, or the counts are of another environment.

        Example:
            env.save("town.safetensors", env.rollout(100).counts)
        """
        if counts is not None and not isinstance(counts, Statistics):
            raise EnvError(f"counts are those of a rollout, rollout(...).counts, not {shown(counts)}")
        known = None if counts is None else self._counting.begun(counts, False, None)
        write_checkpoint(path, self.universe.name, self.state_dict(), known)

    def load(self, path: str | Path) -> Statistics | None:
        """Continue from a checkpoint, bit for bit, and return the counts that were saved with it, for `rollout`.

        Raises:
            EnvError: the file cannot be read or is no checkpoint, or belongs to another universe, or `load_state_dict`
                refuses what is in it. Nothing was changed.
        """
        saved, found, name = read_checkpoint(path)
        if saved["universe"] != self.module.digest:
            raise EnvError(
                f"{path} is a checkpoint of {name} {saved['universe'][:12]}, not of {self.universe.name} "
                f"{self.module.digest[:12]}, the universe of this environment"
            )
        counts = counts_of(found, self._counting.zeroed()) if found else None
        self.load_state_dict({**saved, "state": {each: self._here(values) for each, values in saved["state"].items()}})
        return counts

    def _here(self, values: torch.Tensor) -> torch.Tensor:
        return values.to(self.device)

    def _clear_past(self) -> None:
        for name, value in self._buffers.outcome.items():
            value.fill_(schema.NOWHERE if name in ("used", "cause") else 0)
        if self._buffers.final_observation is not None:
            self._buffers.final_observation.zero_()
