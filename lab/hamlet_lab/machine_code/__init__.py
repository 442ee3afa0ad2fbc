"""The machine code of kernels, read without a GPU."""
