"""Arguments as users give them: taken where they say one thing, refused in one line where they do not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias

import numpy as np
import torch

from hamlet.errors import EnvError, shown

Actions: TypeAlias = "torch.Tensor | np.ndarray[Any, Any] | Sequence[Any]"
"""Numbers of actions: see `Env.step`."""

WIDE = (torch.uint16, torch.uint32, torch.uint64)
"""Types of which torch knows little more than how to convert them."""


def whole(value: Any, low: int, high: int, problem: str) -> int:
    """A whole number of Python's or numpy's in low .. high.

    Raises:
        EnvError: it is none; `problem` begins the message.
    """
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and low <= int(value) <= high:
        return int(value)
    raise EnvError(f"{problem}, not {shown(value)}")


def flag(name: str, value: Any) -> bool:
    """True or False, or `EnvError`: 1, "no" and `None` are neither."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise EnvError(f"{name} is True or False, not {shown(value)}")


def word(name: str, value: Any, words: Collection[str]) -> str:
    """One of these words, or `EnvError`; `name` says what it is, as in "there is no backend"."""
    if isinstance(value, str) and value in words:
        return str(value)
    raise EnvError(f"there is no {name} {shown(value)}: take {', '.join(words)}")


def named(thing: str, value: Any, words: Collection[str]) -> str:
    """A name of the universe's, or `EnvError` with those that there are."""
    if isinstance(value, str) and value in words:
        return str(value)
    close = get_close_matches(value, words, 1) if isinstance(value, str) else []
    hint = f"did you mean {close[0]!r}?" if close else ", ".join(words) or "it has none"
    raise EnvError(f"the universe has no {thing} {shown(value)}: {hint}")


def dense(value: Any, what: str) -> torch.Tensor:
    """A tensor of plain numbers that lie in memory side by side; lists and arrays become one, on the CPU.

    Raises:
        EnvError: it is neither, or a tensor without numbers (meta), or a sparse, nested, quantised or complex one.
            `what` begins the message, as in "actions are whole numbers".
    """
    tensor = value if isinstance(value, torch.Tensor) else _converted(value, what)
    if tensor.layout is not torch.strided or tensor.is_nested or tensor.is_quantized or tensor.is_complex():
        kind = "nested" if tensor.is_nested else str(tensor.layout).removeprefix("torch.").replace("strided", "")
        raise EnvError(f"{what} in a dense tensor, not in a {kind or tensor.dtype} one")
    if tensor.device.type == "meta":
        raise EnvError(f"{what}, not a tensor on meta, which holds none")
    tensor = tensor.detach()
    return tensor.to(torch.int64) if tensor.dtype in WIDE else tensor


def mask_of_worlds(worlds: Any, count: int, device: torch.device) -> torch.Tensor:
    """Some of so many worlds, [worlds] bool on a device.

    Raises:
        EnvError: it is no mask of all worlds.
    """
    what = f"worlds are a mask [{count}] of True and False"
    mask = dense(worlds, what)
    if mask.dtype is not torch.bool or tuple(mask.shape) != (count,):
        raise EnvError(f"{what}, not {list(mask.shape)} of {mask.dtype}")
    return mask.to(device)


def by_number(kind: Literal["worlds", "agents"], numbers: Any, count: int) -> torch.Tensor:
    """Some of so many worlds, or agents of each world, by their numbers, [n] i64 on the CPU; `None` for all of them.

    Raises:
        EnvError: they are something else than numbers of these.
    """
    if numbers is None:
        return torch.arange(count)
    said = f"{kind} are a list of whole numbers in 0 .. {count - 1}"
    chosen = dense(numbers, said).cpu()
    if chosen.dim() != 1 or (chosen.numel() and (chosen.is_floating_point() or chosen.dtype is torch.bool)):
        raise EnvError(f"{said}, not {list(chosen.shape)} of {chosen.dtype}")
    if not bool(((chosen >= 0) & (chosen < count)).all()):
        raise EnvError(f"{said}, not {shown(numbers)}")
    return chosen.long()


def _converted(value: Any, what: str) -> torch.Tensor:
    if not isinstance(value, (int, float, np.generic, np.ndarray, list, tuple)):
        raise EnvError(f"{what}, not {shown(value)}")
    try:
        if isinstance(value, (list, tuple)) and _holds_tensors(value):
            return torch.stack([dense(each, what) for each in value])
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise EnvError(f"{what}, not {shown(value)}")
        if array.dtype == np.uint64 and array.size and int(array.max()) >= 1 << 63:
            raise EnvError(f"{what}, not {int(array.max())}")
        # numpy has types that torch has not: wider floats and the other order of bytes.
        plain = {"b": "?", "i": "i8", "u": "i8", "f": "f8"}[array.dtype.kind]
        return torch.from_numpy(array.astype(plain, order="C", copy=True))
    except EnvError:
        raise
    except (TypeError, ValueError, OverflowError, RuntimeError, RecursionError) as error:
        raise EnvError(f"{what}, not {shown(value)}") from error


def _holds_tensors(value: Any) -> bool:
    """Whether a list is one of tensors, at any depth: they may be on a GPU, where numpy does not find them."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
        if isinstance(value, torch.Tensor):
            return True
    return False
