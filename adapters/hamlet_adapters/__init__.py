"""Shared parts of the packages that put worlds behind other interfaces: Gymnasium, PettingZoo, Stable-Baselines3,
TorchRL.
"""
