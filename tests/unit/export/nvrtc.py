"""NVIDIA's compiler of CUDA C as a library (NVRTC), which needs no GPU: `pip install nvidia-cuda-nvrtc-cu12`."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

PACKAGE = "nvidia.cuda_nvrtc"


class CudaError(Exception):
    """A text that is not compiled; the message is the compiler's."""


@cache
def _library() -> ctypes.CDLL:
    found = find_spec(PACKAGE) if find_spec("nvidia") is not None else None
    if found is None or not found.submodule_search_locations:
        pytest.skip("there is no NVRTC: pip install nvidia-cuda-nvrtc-cu12")
    folder = Path(next(iter(found.submodule_search_locations)))
    return ctypes.CDLL(str(next(folder.glob("lib/libnvrtc.so.*"))))


def ptx_of(text: str, *options: str) -> str:
    """The PTX of a text of CUDA C, for sm_80.

    Raises:
        CudaError: it is refused.
    """
    library, program = _library(), ctypes.c_void_p()
    given = [each.encode() for each in ("--gpu-architecture=compute_80", "--std=c++17", *options)]
    library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"universe.cu", 0, None, None)
    refused = library.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given))
    if refused:
        raise CudaError(_told(library, program, "ProgramLog"))
    return _told(library, program, "PTX")


def _told(library: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> str:
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    room = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, room)
    return room.value.decode()
