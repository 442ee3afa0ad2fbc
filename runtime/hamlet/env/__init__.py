"""Worlds that run: what a user of an environment touches."""
