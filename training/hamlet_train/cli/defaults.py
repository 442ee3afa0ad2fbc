"""How much is trained unless the user says otherwise."""

TICKS, WORLDS = 30_000_000, 1024
