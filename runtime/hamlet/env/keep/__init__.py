"""What is kept: checkpoints and episodes, in memory and in files."""
