"""Checkpoints of an environment, in memory and in files."""

from __future__ import annotations

from pathlib import Path

import torch

from hamlet import schema
from hamlet.backend.buffers import Statistics, of_agents, with_ended_meters
from hamlet.backend.digest import digest
from hamlet.backend.recall import Memories
from hamlet.env.act.outputs import Outputs
from hamlet.env.keep import state
from hamlet.env.keep.checkpoint import counts_of, read_checkpoint, write_checkpoint
from hamlet.env.keep.state import StateDict
from hamlet.env.telemetry import Measured
from hamlet.errors import EnvError, shown
from hamlet.telemetry.opened import Opened


class Restorable(Measured):
    """An environment whose state can be saved and restored."""

    def state_dict(self) -> StateDict:
        """A checkpoint: a copy of everything that determines the following ticks, on the environment's device.

        Raises:
            EnvError: a param or an input was written in place and is out of bounds.
        """
        self.check_given()
        with self._whole:
            return {
                "universe": self.module.digest,
                "first_world": self.first_world,
                "seed": self.seed,
                "tick": self.tick,
                "state": {name: value.clone() for name, value in self._buffers.state.items()},
            }

    def digest(self) -> int:
        """A number of 64 bits that follows from every bit of the state and of the outcomes of the last tick: FNV-1a
        over their memory (RFC 9923). Worlds in an [export](export.md) with equal digests have equal bits.

        Example:
            print(f"{env.digest():x}")
        """
        return digest(self.universe, self._buffers.state, self._present().buffers.outcome)

    def load_state_dict(self, saved: StateDict) -> None:
        """Continue from a `state_dict`, bit for bit, whatever backend and device made it.

        Observations and masks are computed again; outcomes and final observations of the past are cleared.

        Raises:
            EnvError: the checkpoint belongs to another universe or to other worlds, or has a value that no tick leaves.
                Nothing was changed.
        """
        fields = state.check(self.universe, self.module.digest, self._buffers.shape, saved)
        with self._whole:
            for name, value in fields.items():
                self._buffers.state[name].copy_(value)
            for held in self._held.values():
                held.taken()
            now = self._now
            now.seed, now.tick, now.untouched = int(saved["seed"]), int(saved["tick"]), False
            now.shown = now.acted = None
            now.memories = Memories()
            self._clear_past(self._own)
            self._observe()

    def save(self, path: str | Path, counts: Statistics | None = None) -> None:
        """Write a checkpoint into a file of safetensors, whole or not at all: what `state_dict` has, the version of
        hamletc, what was counted, and the window of telemetry that is open.

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
        opened_counts = None if counts is None else self._counting.begun(counts, False, None)
        telemetry = self._now.telemetry
        opened = None if telemetry is None else telemetry.opened()
        write_checkpoint(path, self.universe.name, self.state_dict(), opened_counts, opened)

    def load(self, path: str | Path) -> Statistics | None:
        """Continue from a checkpoint, bit for bit, and return the counts that were saved with it, for `rollout`.
        Telemetry continues the window that was open: that of now, or else the one that begins before the next tick.

        Raises:
            EnvError: the file cannot be read or is no checkpoint, or belongs to another universe, or `load_state_dict`
                refuses what is in it. Nothing was changed.
        """
        checkpoint = read_checkpoint(path)
        saved = checkpoint.state
        if saved["universe"] != self.module.digest:
            raise EnvError(
                f"{path} is a checkpoint of {checkpoint.name} {saved['universe'][:12]}, not of {self.universe.name} "
                f"{self.module.digest[:12]}, the universe of this environment"
            )
        counts = counts_of(checkpoint.counts, self._counting.zeroed()) if checkpoint.counts else None
        if checkpoint.opened is not None:
            checkpoint.opened.check(with_ended_meters(self._counting.zeroed(), len(self.universe.meters)))
        self.load_state_dict({**saved, "state": {each: self._here(values) for each, values in saved["state"].items()}})
        if checkpoint.opened is not None:
            self._go_on(checkpoint.opened)
        return counts

    def _go_on(self, opened: Opened) -> None:
        if self._now.telemetry is None:
            self._now.opened = opened
        else:
            self._now.telemetry.go_on(opened)

    def _here(self, values: torch.Tensor) -> torch.Tensor:
        return values.to(self.device)

    def _clear_past(self, outputs: Outputs, worlds: torch.Tensor | None = None) -> None:
        """Forget the outcomes of the last tick, and the environment's own final observations: of all worlds, or of
        those of a mask [worlds] bool. What the others have in the last outputs is in these then."""
        shape, final, last = self._buffers.shape, self._buffers.final_observation, self._present().buffers.outcome
        lanes = worlds if worlds is None or shape.agents == 1 else of_agents(worlds, shape.agents)
        if lanes is not None and lanes.device.type == "cpu":
            # Few worlds begin at a time, and to look at all lanes once for each outcome takes as long as a tick.
            lanes = torch.from_numpy(lanes.numpy().nonzero()[0])
        for name, value in outputs.buffers.outcome.items():
            if lanes is not None and value is not last[name]:
                value.copy_(last[name])
            _fill(value, lanes, schema.NOWHERE if name in ("used", "cause") else 0)
        # Where worlds wait, nobody writes them.
        if final is not None and not shape.waits:
            _fill(final, lanes, 0)


def _fill(rows: torch.Tensor, lanes: torch.Tensor | None, value: int) -> None:
    """Write a value for all lanes, for those of a mask [lanes] bool, or for these numbers, i64."""
    if lanes is None:
        rows.fill_(value)
    elif lanes.dtype is torch.bool:
        rows.masked_fill_(lanes, value)
    else:
        rows.index_fill_(-1, lanes, value)
