"""Policies that users make of tensors."""
