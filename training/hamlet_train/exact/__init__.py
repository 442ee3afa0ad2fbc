"""Learning in one stated order of operations."""
