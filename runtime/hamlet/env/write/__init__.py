"""Writes of a caller into worlds: params, inputs, meters, states and places."""
