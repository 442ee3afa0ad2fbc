"""The search for params with which a universe is as its author wishes."""
