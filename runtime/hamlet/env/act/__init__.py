"""Steps and rollouts: the arguments that they take, and the results that they return."""
