"""Proves that compiled PTX does what the tick IR says, in all states within bounds at once: docs/proof.md."""
