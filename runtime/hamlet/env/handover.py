"""Another backend goes on where one began: the environment stays the same object, with the same tensors and bits."""

from __future__ import annotations

from dataclasses import replace

from hamlet.env.environment import Env
from hamlet.env.keep.keeping import Keeping
from hamlet.env.make import make


def hand_over(env: Env, backend: str, reason: str, quiet: bool = False) -> None:
    """Let a backend run an environment on the same device from now on. Kernels are compiled before anything changes,
    and unless `quiet` a line says so.

    Args:
        env: the environment.
        backend: the name of the backend.
        reason: why, in words, for `Env.choice`.
        quiet: whether nothing is said.

    Raises:
        EnvError: the environment is closed or in another call, or the backend cannot run there. Nothing was changed.
        ModuleError: the package has no kernels for the backend. Nothing was changed.
    """
    shape, observation = env._buffers.shape, env._buffers.observation
    like = make(
        env.module,
        agents=shape.agents,
        device=env.device,
        backend=backend,
        obs_dtype=None if observation is None else observation.dtype,
        validate=env.validate,
        quiet=quiet,
        tune=env._tune,
        autoreset=env.autoreset,
    )
    choice = replace(like._choice, reason=reason)
    with env._whole:
        runs = env._backend.around(like._backend) if isinstance(env._backend, Keeping) else like._backend
        env._stepping.run_by(runs)
        # The attributes are sealed to users.
        vars(env).update(
            backend=like.backend,
            launch=like.launch,
            choice=str(choice),
            _choice=choice,
            _backend=runs,
            _pace=replace(like._pace, lanes=shape.lanes, most={}),
        )
