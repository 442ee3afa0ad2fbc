"""What runs worlds: what every backend can do, on which buffers, and which one is chosen."""
