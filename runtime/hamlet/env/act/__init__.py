"""What acts: steps and rollouts, what they take and what they give."""
