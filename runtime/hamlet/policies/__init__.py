"""Policies that users make of tensors, and those that a training left in files."""
