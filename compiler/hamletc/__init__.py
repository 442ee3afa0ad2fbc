"""hamletc: universes of meters, cascades and affordances, compiled to kernels that agree to the bit."""
