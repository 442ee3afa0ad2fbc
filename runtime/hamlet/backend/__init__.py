"""Backends, which run worlds: the operations of each, the buffers that they work on, and the choice of one."""
