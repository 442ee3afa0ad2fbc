"""Kernels of numba."""
