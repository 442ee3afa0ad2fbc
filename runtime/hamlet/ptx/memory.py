"""Memory as a kernel sees it. Each array has addresses of its own, far from all others: no access can stray into one.

Accesses are checked: an address outside every array, or not a multiple of the access's width, is an error.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hamlet.ptx.types import Array

STRIDE = 40
"""Array number k begins at k << STRIDE."""


class AccessError(Exception):
    """An access that a kernel must not do."""


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

    def load(self, addresses: Array, width: int) -> Array:
        """The values of `width` bytes at these addresses, as unsigned integers.

        Raises:
            AccessError: an address is outside every array or not aligned.
        """
        array, index = self._find(addresses, width)
        return np.asarray(array[index])

    def store(self, addresses: Array, values: Array) -> None:
        """Write values there.

        Raises:
            AccessError: as above, or two of them write different values to one address.
        """
        array, index = self._find(addresses, values.dtype.itemsize)
        array[index] = values
        if not np.array_equal(array[index], values):
            raise AccessError("threads write different values to one address")

    def add(self, addresses: Array, values: Array) -> None:
        """Add each value to what is there, also where several are added at one address.

        Raises:
            AccessError: an address is outside every array or not aligned.
        """
        array, index = self._find(addresses, values.dtype.itemsize)
        np.add.at(array, index, values)

    def _find(self, addresses: Array, width: int) -> tuple[Array, Array]:
        """The array that holds all the addresses, in elements of this width, and their indices."""
        first = int(addresses[0])
        number = first >> STRIDE
        if not 0 <= number - self._first < len(self._arrays):
            raise AccessError(f"address {first:#x} is outside every array")
        array = self._arrays[number - self._first]
        # An address in another array is far outside this one: no instruction of a kernel accesses several.
        offsets = addresses - np.uint64(number << STRIDE)
        outside = (offsets >= np.uint64(len(array))) | (offsets + np.uint64(width) > np.uint64(len(array)))
        if outside.any():
            offset = int(offsets[outside][0])
            raise AccessError(f"{width} bytes at {offset:#x} are outside an array of {len(array)} bytes")
        if (offsets & np.uint64(width - 1)).any():
            raise AccessError(f"an address is no multiple of {width}")
        whole = array[: len(array) // width * width].view(f"u{width}")
        return whole, (offsets // np.uint64(width)).astype(np.intp)
