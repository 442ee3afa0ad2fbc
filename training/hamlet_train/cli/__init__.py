"""The verbs of `hamletc` that train."""
