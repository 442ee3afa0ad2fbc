"""What the Triton backend refuses, and how it cuts worlds into blocks."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
import torch
import triton.language as tl
from triton.language.semantic import IncompatibleTypeErrorImpl
from triton.runtime import interpreter

from hamlet.backend.buffers import Shape, allocate
from hamlet.errors import EnvError
from hamlet.launch.gpu.interpreted import make_interpreter_exact
from hamlet.launch.gpu.launch import TritonBackend
from hamlet.launch.gpu.options import constants, options
from samples import sample

CPU = torch.device("cpu")


def kernels(compiled: bool) -> ModuleType:
    """A module without kernels that looks compiled, or interpreted."""
    module = ModuleType("kernels")
    step = ModuleType("step")
    if compiled:
        step.__dict__["create_binder"] = None
    module.__dict__.update(step=step, TABLES=(), KEPT=0, REGISTERS=None)
    return module


def test_compiled_kernels_need_a_gpu() -> None:
    with pytest.raises(EnvError, match='needs a CUDA device: use backend="c"'):
        TritonBackend(sample("first_meal"), kernels(compiled=True), CPU)


def test_large_worlds_are_refused() -> None:
    universe = sample("first_meal")
    backend = TritonBackend(universe, kernels(compiled=False), CPU)
    with pytest.raises(EnvError, match="at most 1024 agents per world, not 1025"):
        backend.observe(allocate(universe, Shape(1, 1025), CPU, None))


def test_the_interpreter_of_an_old_triton_is_made_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """It rounded a * b before it added c."""
    builder, handle = interpreter.InterpreterBuilder, interpreter.TensorHandle
    monkeypatch.setattr("triton.__version__", "3.8.1")
    monkeypatch.setattr(builder, "create_fma", lambda _self, x, y, z: handle(x.data * y.data + z.data, z.dtype))
    make_interpreter_exact.cache_clear()
    TritonBackend(sample("first_meal"), kernels(compiled=False), CPU)
    make_interpreter_exact.cache_clear()
    tiny = np.float32(1 + 2.0**-12)
    for shape in ((), (1,), (2, 3)):
        x, z = (handle(np.full(shape, value, np.float32), tl.float32) for value in (tiny, -tiny * tiny))
        found = builder.create_fma(None, x, handle(np.full((3,), tiny, np.float32), tl.float32), z)
        assert found.data.shape == np.broadcast_shapes(shape, (3,))
        assert (found.data == np.float32(2.0**-24)).all()
    double = handle(np.full((3,), 3.0), tl.float64)
    assert (builder.create_fma(None, double, double, double).data == 12.0).all()


def test_types_of_blocks_are_equal_where_their_parts_are() -> None:
    """The interpreter makes them once; it says the same of them."""
    TritonBackend(sample("first_meal"), kernels(compiled=False), CPU)
    of_four, pointer = tl.block_type(tl.int32, [4]), tl.pointer_type(tl.float32)
    assert of_four.with_element_ty(tl.uint32) is of_four.with_element_ty(tl.uint32)
    for element in (tl.int32, tl.uint32, tl.float32, pointer):
        same, made = of_four.with_element_ty(element), tl.block_type(element, [4])
        assert same == made
        assert (same.numel, same.scalar, list(same.shape)) == (4, element, [4])
        assert same != tl.block_type(element, [8])
        assert same != element
    assert of_four.with_element_ty(tl.uint32) != of_four
    assert of_four.with_element_ty(pointer) != of_four.with_element_ty(tl.pointer_type(tl.int32))
    assert interpreter._get_np_dtype(of_four.with_element_ty(tl.uint32)) == np.uint32
    assert interpreter._get_np_dtype(of_four.with_element_ty(pointer)) == np.uint64
    tensor = tl.tensor(None, of_four)
    assert (tensor.dtype, tensor.numel.value, [size.value for size in tensor.shape]) == (tl.int32, 4, [4])


def test_constants_in_operations_are_made_once() -> None:
    """Each is another one: zeros of both signs, whole and real ones."""
    TritonBackend(sample("first_meal"), kernels(compiled=False), CPU)
    operands = interpreter.interpreter_semantic.binary_op_type_checking_impl
    real, whole = (
        tl.tensor(interpreter.TensorHandle(np.ones(4, dtype), kind), tl.block_type(kind, [4]))
        for dtype, kind in ((np.float32, tl.float32), (np.int32, tl.int32))
    )
    assert operands(real, real) == (real, real)
    for _ in range(2):
        for tensor, number in ((real, 0.0), (real, -0.0), (real, 1), (whole, 1), (whole, 0), (whole, -1)):
            for turned in (False, True):
                pair = operands(number, tensor) if turned else operands(tensor, number)
                same, constant = reversed(pair) if turned else pair
                assert same is tensor
                assert constant.type == tensor.type
                expected = np.full(4, number, tensor.handle.data.dtype)
                assert constant.handle.data.tobytes() == expected.tobytes()
        assert operands(whole, 0.5)[0].dtype == tl.float32
    assert operands(real, 2.0)[1] is operands(real, 2.0)[1]
    assert not operands(real, 2.0)[1].handle.data.flags.writeable
    with pytest.raises(IncompatibleTypeErrorImpl):
        operands(real, tl.tensor(None, tl.pointer_type(tl.float32)))


def test_contraction_is_always_switched_off() -> None:
    for block in (32, 64, 1024):
        chosen = options(block)
        assert chosen["enable_fp_fusion"] is False
        assert chosen["num_warps"] == block // 32


def test_constants_are_those_of_the_kernel() -> None:
    assert constants("step", 4, 32, 0, False) == {"GROUP": 4, "BLOCK": 32}
    assert constants("rollout", 1, 32, 501, True) == {"BINS": 501, "EVERY_TICK": True, "GROUP": 1, "BLOCK": 32}
