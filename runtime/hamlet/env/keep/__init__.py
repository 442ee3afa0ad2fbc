"""Checkpoints and recorded episodes, in memory and in files."""
