"""A simulated CUDA device: everything that wants a GPU, rehearsed on a machine without one.

    python tests/gpu/rehearsal benchmarks/gpu_check.py --small   # a script, as on a GPU
    python tests/gpu/rehearsal -m pytest tests/gpu -n 0          # or a module
    make rehearsal                                               # all of it, with the versions of a borrowed machine

Torch, Triton and our launchers run as they are; what is replaced is what lies below them:

| file | has the place of |
|---|---|
| `device.py` | the GPU: memory by address, and kernels, whose PTX `hamlet_lab.ptx` executes |
| `tensors.py` | CUDA tensors: tensors in the memory of the CPU that say `cuda:0`, and do not mix with others |
| `torch_cuda.py` | `torch.cuda`: properties, streams, events, graphs, and operations that wait for the device |
| `driver.py` | the CUDA driver, for Triton's launches and for ours |

So these are real: Triton's binder, specialisation, compiler, cache and assembler, the kernels that come out, their
parameters as they lie in memory, every address that a kernel touches, what a graph repeats, and that nothing waits.

These are not, and the first GPU is the first to run them:

- machine code: the PTX that it was assembled from is executed;
- Triton's launcher in C, which needs gcc and the headers of Python, and `cuLaunchKernel` behind it;
- `torch.compile`, which is the identity here;
- a stream is not behind the CPU: all work is done at once, so nothing shows that a wait is missing;
- the memory of a graph: what a graph computed stays where it was recorded;
- sizes: a step of a thousand agents takes a second. What is timed only with many agents, to choose a backend or a
  block, is timed with few. Times mean nothing.
"""

from __future__ import annotations


def simulating() -> bool:
    """Whether the CUDA device is a simulated one."""
    import torch

    return torch.cuda.is_available() and torch.cuda.get_device_name().startswith("simulated")
