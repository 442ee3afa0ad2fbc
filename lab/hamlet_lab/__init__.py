"""What proves and measures: equality of backends, first divergences, machine code, profiles, benchmarks."""
