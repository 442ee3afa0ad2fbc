"""Passes over the tick IR, one per file; `pipeline.py` runs them."""
