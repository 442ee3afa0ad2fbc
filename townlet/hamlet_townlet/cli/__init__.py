"""The verbs of `hamletc` for packs of HAMLET and what was recorded from its engine."""
