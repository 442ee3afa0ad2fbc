"""From what a user names to worlds."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, TypeAlias

import hamlet
from hamlet.env.environment import Env
from hamlet.errors import EnvError, shown
from hamlet.package.manifest import FILENAME
from hamlet.package.module import Module
from hamlet_adapters.seeds import fresh_seed, unseeded

OWN = ("module", "worlds", "agents", "autoreset")
"""Arguments of `hamlet.make` that adapters give themselves."""
SEVERAL = "worlds of several agents are for hamlet_pettingzoo, of which SuperSuit makes vector environments"
"""The way for those who ask for several agents where others know one."""
Source: TypeAlias = "Module | str | Path"
"""A module, the folder of a generated package, or the path of a `.hamlet` file or of a pack of HAMLET."""


def opened(source: Source) -> Module:
    """The module of a source; a text or a pack is compiled, for which the compiler has to be installed.

    Raises:
        EnvError: it is no source.
        ModuleError: a folder is a damaged package.
        hamletc.CompileError: a text or a pack has errors, or cannot be read.
    """
    if isinstance(source, Module):
        return source
    if not isinstance(source, (str, Path)) or "\0" in str(source):
        raise EnvError(f"a universe is a module, a .hamlet file or a generated package, not {shown(source)}")
    return hamlet.load(source) if (Path(source) / FILENAME).is_file() else hamlet.compile(source)


def made(
    source: Source | None, worlds: Any, arguments: dict[str, Any], agents: Any = None, shows_ends: bool = False
) -> Env:
    """Worlds for an adapter, with arguments of `hamlet.make`; they say nothing about themselves on stderr. Without a
    seed a fresh one is drawn, as environments of other libraries do: copies that nobody seeded live lives of their own.

    Args:
        source: the universe.
        worlds: how many.
        arguments: the others.
        agents: how many are in a world; by default as many as the roles of the universe say, see `hamlet.make`.
        shows_ends: whether a world whose episode ended shows its last state for a tick (`autoreset` "next_step").

    Raises:
        EnvError: an argument is wrong, or is one that the adapter gives itself; besides, what `opened` raises.
    """
    if source is None:
        raise EnvError("say which universe: universe=a module, a .hamlet file, or a generated package")
    parameters = inspect.signature(hamlet.make).parameters
    if "agents" in arguments:
        raise EnvError(f"a world has one agent here: {SEVERAL}")
    for name in arguments:
        if name not in parameters or name in OWN:
            others = ", ".join(each for each in parameters if each not in OWN)
            raise EnvError(f"{name} is no argument here: beside its own an adapter takes {others}")
    if unseeded(arguments) and arguments.get("shard") is not None:
        raise EnvError("shards are parts of the same worlds: give all of them the same seed")
    module = opened(source)
    # Where episodes are begun by hand, nothing else begins them.
    autoreset = "next_step" if shows_ends and not module.universe.by_hand else "same_step"
    settings = {"quiet": True} | arguments | ({"seed": fresh_seed()} if unseeded(arguments) else {})
    return hamlet.make(module, worlds=worlds, agents=agents, autoreset=autoreset, **settings)
