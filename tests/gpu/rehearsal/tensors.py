"""Tensors in the memory of the CPU that say `cuda:0`, and keep apart from those that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from rehearsal.device import Device, DeviceError

CUDA = torch.device("cuda", 0)
Tensor = torch.Tensor

WAITING = {Tensor.item, Tensor.tolist, Tensor.cpu, Tensor.nonzero, torch.nonzero, Tensor.equal, torch.equal}
WAITING |= {Tensor.__bool__, Tensor.__int__, Tensor.__float__, Tensor.__index__}
"""What waits for the device to know a value."""
MIXING = {Tensor.copy_, Tensor.to, Tensor.__setitem__, Tensor.__getitem__, Tensor.type}
"""What takes tensors of both devices."""
MAKING = {torch.tensor, torch.as_tensor, torch.asarray}
"""What copies numbers of Python, or other tensors, to a device."""


class CudaTensor(Tensor):
    """A tensor of the simulated device."""

    # What an operation gives is decided in one place: `Simulated`.
    __torch_function__ = torch._C._disabled_torch_function_impl
    simulated: Device
    """The device of all of them; a simulation sets it."""

    @property
    def device(self) -> torch.device:
        """`cuda:0`."""
        return CUDA

    @property
    def is_cuda(self) -> bool:
        """True."""
        return True

    def get_device(self) -> int:
        """The number of the device."""
        return 0

    def data_ptr(self) -> int:
        """The address, for kernels to use while the storage exists."""
        self.simulated.allocated(self)
        return super().data_ptr()

    def numpy(self, **_: Any) -> Any:
        """Raises TypeError, as for any CUDA tensor."""
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first")


class Simulated(TorchFunctionMode):
    """Sees every call of torch: tensors that are made on CUDA, or come from those that are, become `CudaTensor`."""

    def __init__(self, device: Device) -> None:
        super().__init__()
        self._device = device

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run an operation on the CPU, and say where its results are."""
        kwargs = dict(kwargs or {})
        # All memory of the host is as near as pinned memory.
        kwargs.pop("pin_memory", None)
        if func is Tensor.pin_memory:
            return args[0]
        given = list(_tensors((*args, *kwargs.values())))
        on_cuda = [tensor for tensor in given if isinstance(tensor, CudaTensor)]
        wanted = _wanted(func, args, kwargs)
        if not on_cuda and (wanted is None or wanted.type != "cuda"):
            return func(*args, **kwargs)
        if getattr(func, "__name__", "") in ("__get__", "__set__"):
            return _moved(func(*args, **kwargs), True)
        on_cpu = [tensor for tensor in given if not isinstance(tensor, CudaTensor) and tensor.ndim > 0]
        if on_cuda and on_cpu and wanted is None and func not in MIXING:
            raise RuntimeError(
                f"{_name(func)}: Expected all tensors to be on the same device: cuda:0 and cpu are there"
            )
        to_cuda = wanted is None or wanted.type == "cuda"
        crosses = bool(on_cpu) if wanted is None else to_cuda != bool(on_cuda)
        # A factory fills the memory of the device there; it copies nothing.
        crosses = crosses and (bool(given) or func in MAKING)
        # A copy that does not block is one from or to pinned memory.
        waits = crosses and not (func is Tensor.copy_ and kwargs.get("non_blocking"))
        if func in WAITING or waits or _by_mask(func, args):
            self._wait(_name(func))
        if wanted is not None:
            func, args, kwargs = _on_cpu(func, args, kwargs)
        if wanted is not None and given and crosses:
            # Memory of another device is never shared.
            return _moved(func(*args, **kwargs).clone(), to_cuda)
        if self._device.recording is not None and to_cuda:
            return self._recorded(func, args, kwargs, on_cuda)
        return _moved(func(*args, **kwargs), to_cuda)

    def _wait(self, name: str) -> None:
        if self._device.recording is not None:
            raise DeviceError(f"{name} waits for the device while a graph is recorded")
        if self._device.waiting_is_an_error:
            raise DeviceError(f"{name} is a synchronizing CUDA operation")

    def _recorded(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], given: list[CudaTensor]
    ) -> Any:
        """Where the results will be; the operation itself is done when the graph is replayed."""
        assert self._device.recording is not None
        recording, self._device.recording = self._device.recording, None
        before = [tensor.detach().clone() for tensor in given]
        result = _moved(func(*args, **kwargs), True)
        for tensor, values in zip(given, before, strict=True):
            if not torch.equal(tensor, values):
                tensor.copy_(values)
        self._device.recording = recording

        def again() -> None:
            new = _moved(func(*args, **kwargs), True)
            for old, values in zip(_tensors([result]), _tensors([new]), strict=True):
                if old.untyped_storage().data_ptr() != values.untyped_storage().data_ptr():
                    old.copy_(values)

        recording.append(again)
        return result


def _tensors(values: Iterable[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


def _wanted(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device | None:
    """The device that a call names."""
    if kwargs.get("device") is not None:
        return torch.device(kwargs["device"])
    if func is Tensor.cpu:
        return torch.device("cpu")
    if func is Tensor.cuda:
        return CUDA
    if func is Tensor.to:
        for value in args[1:]:
            if isinstance(value, Tensor):
                return value.device
            if isinstance(value, (str, torch.device)):
                return torch.device(value)
    return None


def _on_cpu(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """The same call for the CPU."""
    kwargs = {name: "cpu" if name == "device" else value for name, value in kwargs.items()}
    if func is Tensor.cuda:
        return Tensor.cpu, args[:1], {}
    if func is Tensor.to:
        rest = [value for value in args[1:] if not isinstance(value, (str, torch.device))]
        return func, (args[0], torch.device("cpu"), *(v.dtype if isinstance(v, Tensor) else v for v in rest)), kwargs
    return func, args, kwargs


def _by_mask(func: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """Whether a call has to count the ones of a mask."""
    return func is Tensor.__getitem__ and any(tensor.dtype is torch.bool for tensor in _tensors([args[1]]))


def _moved(value: Any, to_cuda: bool) -> Any:
    """A result on its device."""
    match value:
        case CudaTensor():
            return value if to_cuda else value.as_subclass(Tensor)
        case Tensor():
            if not to_cuda:
                return value
            made = value.as_subclass(CudaTensor)
            CudaTensor.simulated.renewed(made)
            return made
        case list():
            return [_moved(each, to_cuda) for each in value]
        case tuple():
            parts = [_moved(each, to_cuda) for each in value]
            # Named ones of torch take their values as one argument.
            return tuple(parts) if type(value) is tuple else type(value)(parts)
        case _:
            return value


def _name(func: Callable[..., Any]) -> str:
    return getattr(func, "__qualname__", None) or str(func)
