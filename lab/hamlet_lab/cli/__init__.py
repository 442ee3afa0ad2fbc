"""The verbs of `hamletc` that prove and measure."""
