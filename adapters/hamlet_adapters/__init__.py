"""What packages share that put worlds behind other interfaces: Gymnasium, PettingZoo, Stable-Baselines3, TorchRL."""
