"""Worlds of one agent each as an environment of TorchRL."""

from __future__ import annotations

from typing import Any

import torch
from tensordict import TensorDict, TensorDictBase
from torch import Tensor
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

from hamlet.errors import EnvError
from hamlet.schema.actions import idle_action
from hamlet_adapters.choosing import choosable, num_choices
from hamlet_adapters.grouped import Handout, Way, handout, whole_ends
from hamlet_adapters.seeds import FirstSeed
from hamlet_adapters.source import Source, made
from hamlet_adapters.worlds import Autoreset, Worlds, observed, steered, whole_controls


class TorchRLEnv(EnvBase):  # type: ignore[misc]
    """W worlds of one agent each, with the batch size [W]: `observation` [W, values], or a tensordict of the groups
    that the universe names; `action_mask` [W, actions] bool
    (TorchRL's transform `ActionMask` reads it), `action` [W] i64, `reward` [W, 1] f32, `done`, `terminated` and
    `truncated` [W, 1] bool, and `reports`, a tensordict with [W, 1] f32 of each. A universe with controls has
    `controls` [W, controls] f32 beside `action`; where nothing else is to be done, they are the `action`.

    After a tick `("next", "observation")` is the last one of episodes that ended, as TorchRL wants it; a reset with the
    mask `_reset`, which collectors and `rollout` call, then shows the first one of the next. No tensor is changed
    later.

    Attributes:
        env: the worlds, a `hamlet.env.environment.Env`.
    """

    def __init__(
        self, num_envs: int = 1, universe: Source | None = None, observations: Way = "groups", **arguments: Any
    ) -> None:
        """
        Args:
            num_envs: the number of worlds.
            universe: a module, a `.hamlet` file, a pack, or the folder of a generated package.
            observations: how a universe that names groups of what it observes shows them: "groups", or "flat", one row.
            arguments: those of `hamlet.make` but `worlds` and `agents`: `seed`, `params`, `backend`, `device`, ....
                Without a `seed` a fresh one is drawn.

        Raises:
            EnvError: an argument is wrong.
        """
        worlds = made(universe, num_envs, arguments, shows_ends=True)
        batch = torch.Size([worlds.num_worlds])
        super().__init__(device=worlds.device, batch_size=batch)
        self.env = worlds
        self._worlds = Worlds(worlds, Autoreset.DISABLED, FirstSeed(arguments), arrays=False)
        self._seed: int | None = None
        low, high = observed(worlds)
        assert worlds.observation is not None
        dtype = worlds.observation.dtype
        if dtype is torch.uint8:
            low, high = torch.zeros_like(low), torch.full_like(high, 255)
        self._handout = handout(worlds, observations, texts=False)
        there: dict[str, Any] = {"device": self.device}
        count = num_choices(worlds)
        reports = {name: Unbounded((*batch, 1), dtype=torch.float32, **there) for name in worlds.reports}
        inside = {"reports": Composite(reports, shape=batch, **there)} if reports else {}
        self.observation_spec = Composite(
            {
                "observation": _spec(self._handout, low.to(dtype), high.to(dtype), observed(worlds), batch),
                "action_mask": Binary(count, shape=(*batch, count), dtype=torch.bool, **there),
                **inside,
            },
            shape=batch,
            **there,
        )
        number = Categorical(count, shape=batch, dtype=torch.int64, **there)
        steps = (*batch, worlds.num_controls)
        limits = (worlds.control_low.expand(steps), worlds.control_high.expand(steps))
        kind = torch.int64 if whole_controls(worlds) else torch.float32
        within = Bounded(*(end.to(kind) for end in limits), shape=steps, dtype=kind, **there)
        controls = within if worlds.num_controls else None
        self._steered = steered(worlds)
        if controls is None:
            self.action_spec = number
        elif self._steered:
            self.action_spec = controls
        else:
            self.action_spec = Composite({"action": number, "controls": controls}, shape=batch, **there)
        self.reward_spec = Unbounded((*batch, 1), dtype=torch.float32, **there)
        end = {name: Binary(1, shape=(*batch, 1), dtype=torch.bool, **there) for name in ENDS}
        self.done_spec = Composite(end, shape=batch, **there)

    def _reset(self, tensordict: TensorDictBase | None = None, **arguments: Any) -> TensorDictBase:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        if chosen is not None:
            chosen = chosen.reshape(self.batch_size)
        params = arguments.pop("params", None)
        if arguments:
            raise EnvError(f"reset takes params, not {', '.join(arguments)}")
        return self._begin(chosen, params)

    def _begin(self, chosen: Tensor | None, params: Any = None) -> TensorDict:
        """Begin episodes in all worlds or in some, [worlds] bool."""
        seed, self._seed = self._seed, None
        frame = self._worlds.reset(seed, params, chosen)
        no = torch.zeros((*self.batch_size, 1), dtype=torch.bool, device=self.device)
        waiting = no if self._worlds.waiting is None else self._worlds.waiting.unsqueeze(1)
        values: dict[str, Any] = {name: frame.tensor(name) for name in ("observation", "action_mask")}
        values["observation"] = self._seen(values["observation"])
        values["action_mask"] = choosable(self.env, values["action_mask"])
        values |= {"done": waiting, "terminated": no, "truncated": no.clone()}
        begun = torch.ones(self.batch_size, dtype=torch.bool, device=self.device) if chosen is None else chosen
        return self._dict(values, {name: report.masked_fill(begun, 0) for name, report in self.env.reports.items()})

    def maybe_reset(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Begin episodes where `done` says so, as `EnvBase.maybe_reset`: what it changes of every world is here made
        for the worlds that begin, and observations are copied once."""
        over = tensordict.get("done").reshape(self.batch_size)
        if not bool(over.any()):
            return tensordict
        begun = self._begin(over)
        others = tensordict.exclude(*begun.keys())
        if not others.is_empty():
            nothing = TensorDict({}, self.batch_size, self.device)
            tensordict.update(others.where(~over, other=nothing, pad=0))
        return tensordict.update(begun)

    def step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Run a tick, as `EnvBase.step`, which looks for missing entries and wrong shapes in what `_step` gives: here
        there are none, and to look takes as long as a tick of some thousand worlds."""
        if tensordict.get("_step", None) is not None or tensordict.get("next", None) is not None:
            return super().step(tensordict)
        self._assert_tensordict_shape(tensordict)
        return tensordict.set("next", self._step(tensordict))

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        chosen, worlds = tensordict.get("action"), self.env
        controls = None
        if self._steered:
            chosen, controls = torch.full_like(worlds.outcome["used"], idle_action(worlds.universe)), chosen.T
        elif worlds.num_controls:
            controls = tensordict.get("controls").T
        turn = self._worlds.step(chosen, controls)
        tensor = turn.frame.tensor
        values = {
            "observation": self._seen(tensor("observation")),
            "action_mask": choosable(worlds, tensor("action_mask")),
            "reward": tensor("reward").unsqueeze(1),
            "done": turn.over.unsqueeze(1).clone(),
            "terminated": tensor("terminated").unsqueeze(1),
            "truncated": tensor("truncated").unsqueeze(1),
        }
        return self._dict(values, turn.reports())

    def _set_seed(self, seed: int | None) -> None:
        """The seed of the next reset."""
        self._seed = seed

    def _seen(self, rows: Tensor) -> Any:
        """Observations as they are handed out."""
        seen = self._handout.tensors(rows)
        return TensorDict(seen, self.batch_size, self.device) if isinstance(seen, dict) else seen

    def _dict(self, values: dict[str, Any], reports: Any) -> TensorDict:
        if reports:
            inner = {name: report.unsqueeze(1) for name, report in reports.items()}
            values["reports"] = TensorDict(inner, self.batch_size, self.device)
        return TensorDict(values, self.batch_size, self.device)


def _spec(handout: Handout, low: Tensor, high: Tensor, numbers: tuple[Tensor, Tensor], batch: torch.Size) -> Any:
    """The spec of observations as they are handed out; `low` and `high` are the ends of a row of values, `numbers`
    those of the numbers that they stand for."""
    if not handout.groups:
        shape = (*batch, handout.values)
        return Bounded(low.expand(shape), high.expand(shape), shape=shape, dtype=low.dtype, device=low.device)
    specs: dict[str, Any] = {}
    for group in handout.groups:
        shape = (*batch, *group.shape)
        if group.kind == "discrete" and group.low == 0:
            specs[group.name] = Categorical(int(group.high) + 1, shape=batch, dtype=torch.int64, device=low.device)
        elif group.dtype is not None:
            kind = getattr(torch, group.dtype)
            least, most = (end.to(kind).expand(shape) for end in whole_ends(group, numbers))
            specs[group.name] = Bounded(least, most, shape=shape, dtype=kind, device=low.device)
        else:
            ends = group.of(low).expand(shape), group.of(high).expand(shape)
            specs[group.name] = Bounded(*ends, shape=shape, dtype=low.dtype, device=low.device)
    return Composite(specs, shape=batch, device=low.device) if handout.alone is None else specs[handout.alone.name]


ENDS = ("done", "terminated", "truncated")
