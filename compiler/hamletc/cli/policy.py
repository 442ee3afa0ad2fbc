"""`--policy`: who acts. Random actions, a policy that was learnt, or a table in JSON, for every verb that plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import rich_click as click

import hamlet
from hamlet.errors import EnvError
from hamlet.policies.opened import ONNX, WEIGHTS
from hamlet.policies.zoo import in_zoo
from hamlet.regular import read_regular
from hamlet.strict_json import parsed
from hamletc.errors import CompileError

if TYPE_CHECKING:
    from hamlet.backend.protocol import TabularPolicy
    from hamlet.env.environment import Env
    from hamlet.package.module import Module
    from hamlet.policies.learnt import Learnt

    Acts: TypeAlias = Learnt | TabularPolicy | str
    """A policy as rollouts take it."""

RANDOM = "random"
FORMS = (
    "the folder of a run, a file with weights or of ONNX, `zoo:NAME` of a shipped universe, "
    "or JSON with the table and the features of a tabular policy"
)

Command = TypeVar("Command", bound=Callable[..., Any])


def policy_option(of: str = "Who acts", default: str | None = RANDOM) -> Callable[[Command], Command]:
    """The option; a verb passes its text to `player_of`."""
    return click.option(
        "--policy",
        default=default,
        show_default=default is not None,
        metavar="random|RUN|FILE",
        help=f"{of}: {FORMS}.",
    )


@dataclass(frozen=True, slots=True)
class Player:
    """The policy that a user named.

    Attributes:
        named: the text of the option.
        learnt: a policy that was learnt; table: the contents of a file in JSON; `None` where it is another one.
    """

    named: str = RANDOM
    learnt: Learnt | None = None
    table: Mapping[str, Any] | None = None

    @property
    def title(self) -> str:
        """The words of a title: who played."""
        return "a random policy" if self.is_random else f"the policy {self.named}"

    @property
    def is_random(self) -> bool:
        """Whether actions are random."""
        return self.learnt is None and self.table is None

    @property
    def obs_dtype(self) -> str | None:
        """The type of observations that an environment needs for it; `None` where nobody looks."""
        return None if self.learnt is None or self.learnt.is_table else "float32"

    def check(self, module: Module) -> None:
        """Raise `EnvError` where it was learnt on another universe."""
        if self.learnt is not None:
            self.learnt.check(module)

    def of(self, env: Env) -> Acts:
        """The policy as rollouts of an environment take it.

        Raises:
            EnvError: it does not fit.
        """
        if self.learnt is not None:
            self.learnt.check(env.module)
            return self.learnt
        if self.table is None:
            return RANDOM
        try:
            return env.tabular(self.table["table"], self.table["features"])
        except EnvError as error:
            raise EnvError(f"the policy does not fit {env.universe.name}: {error}") from error


def player_of(named: str) -> Player:
    """The policy that a text names.

    Raises:
        EnvError: it is no policy, or a damaged one.
        CompileError: it cannot be read, or is JSON of something else.
    """
    if named == RANDOM:
        return Player()
    path = Path(named)
    table = table_in(path)
    return Player(named, hamlet.policy(path)) if table is None else Player(named, table=table)


def table_in(path: Path) -> Mapping[str, Any] | None:
    """The table of a file in JSON, as `Env.tabular` takes it; `None` of what `hamlet.policy` reads.

    Raises:
        CompileError: it cannot be read, or is JSON of something else.
    """
    from hamlet.policies.files import is_pickle, is_weights

    if in_zoo(path) or path.is_dir() or path.suffix in (WEIGHTS, ONNX):
        return None
    try:
        content = read_regular(path)
    except OSError as error:
        raise CompileError(f"cannot read {path}: {error.strerror}") from error
    return None if is_weights(content) or is_pickle(content) else _table(path, content)


def _table(path: Path, text: bytes) -> Mapping[str, Any]:
    try:
        content = parsed(text)
    except ValueError as error:
        raise CompileError(f"{path} is no JSON: {error}") from error
    if not isinstance(content, dict) or set(content) != {"features", "table"}:
        raise CompileError(
            f'{path} is no policy: write {{"features": [...], "table": [...]}}, as Env.tabular takes them'
        )
    if isinstance(content["features"], list):
        content["features"] = [tuple(each) if isinstance(each, list) else each for each in content["features"]]
    return content
