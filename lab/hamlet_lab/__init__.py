"""Proofs and measurements: equality of backends, first divergences, machine code, profiles, benchmarks."""
