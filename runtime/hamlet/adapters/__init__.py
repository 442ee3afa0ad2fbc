"""Compiled universes behind the surface of other environments."""
