"""Memory as a kernel sees it. Each array has addresses of its own, far from all others: no access can stray into one.

An access outside every array is an error. Addresses are multiples of the width: who computes them checks that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hamlet_lab.ptx.types import Array

STRIDE = 40
"""Array number k begins at k << STRIDE."""


class AccessError(Exception):
    """An access that a kernel must not do."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The addresses of an access that lie in one array: which they are, the array in elements of the access, and their
    indices in it."""

    which: Array | slice
    array: Array
    index: Array


class Memory:
    """Arrays of bytes. In global memory those that a launch was given; shared memory is a single one, at address 0."""

    def __init__(self, first: int) -> None:
        """`first` is the number of the first array: 1 in global memory, where address 0 belongs to nobody."""
        self._first = first
        self._arrays: list[npt.NDArray[np.uint8]] = []

    def place(self, array: npt.NDArray[Any]) -> int:
        """The address of a contiguous array, which accesses will read and write."""
        self._arrays.append(array.reshape(-1).view(np.uint8))
        return self._first + len(self._arrays) - 1 << STRIDE

    def beside(self) -> Memory:
        """A memory with the same arrays, and room for others, which this one does not have."""
        result = Memory(self._first)
        result._arrays = [*self._arrays]
        return result

    def load(self, addresses: Array, width: int) -> Array:
        """The values of `width` bytes at these addresses, as unsigned integers.

        Raises:
            AccessError: an address is outside every array.
        """
        result: Array = np.empty(len(addresses), f"u{width}")
        for part in self._parts(addresses, width):
            result[part.which] = part.array[part.index]
        return result

    def store(self, addresses: Array, values: Array) -> None:
        """Write values there.

        Raises:
            AccessError: as above, or two of them write different values to one address.
        """
        for part in self._parts(addresses, values.dtype.itemsize):
            part.array[part.index] = values[part.which]
            if not np.array_equal(part.array[part.index], values[part.which]):
                raise AccessError("threads write different values to one address")

    def add(self, addresses: Array, values: Array) -> None:
        """Add each value to what is there, also where several are added at one address.

        Raises:
            AccessError: an address is outside every array.
        """
        for part in self._parts(addresses, values.dtype.itemsize):
            np.add.at(part.array, part.index, values[part.which])

    def _parts(self, addresses: Array, width: int) -> Iterator[_Part]:
        """Addresses by the array that they are in: mostly a single one."""
        numbers = addresses >> np.uint64(STRIDE)
        if (numbers == numbers[0]).all():
            yield self._part(int(numbers[0]), addresses, slice(None), width)
            return
        for number in np.unique(numbers):
            which = numbers == number
            yield self._part(int(number), addresses[which], which, width)

    def _part(self, number: int, addresses: Array, which: Array | slice, width: int) -> _Part:
        if not 0 <= number - self._first < len(self._arrays):
            raise AccessError(f"address {int(addresses[0]):#x} is outside every array")
        array = self._arrays[number - self._first]
        offsets = addresses - np.uint64(number << STRIDE)
        last = int(offsets.max())
        if last + width > len(array):
            raise AccessError(f"{width} bytes at {last:#x} are outside an array of {len(array)} bytes")
        whole = array[: len(array) // width * width].view(f"u{width}")
        return _Part(which, whole, (offsets // np.uint64(width)).astype(np.intp))
