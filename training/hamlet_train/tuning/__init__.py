"""Settings that find themselves: successive halving over trainings."""
