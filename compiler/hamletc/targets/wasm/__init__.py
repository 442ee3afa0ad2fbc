"""Kernels as modules of WebAssembly, in Python alone: the tree of code of kernels for CPUs
(`hamletc.targets.c.module`), printed as instructions (`printer`)."""
