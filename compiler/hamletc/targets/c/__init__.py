"""Kernels in C, which include `hamlet.h` of `hamlet.native`."""
