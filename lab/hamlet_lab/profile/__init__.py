"""Where the time of a universe goes: what `hamletc profile` measures and counts.

`times`: kernels with and without a part, timed in turns. `counts`: machine instructions of a GPU, counted without one;
it needs Triton. `trace`: calls as torch.profiler sees them.
"""
