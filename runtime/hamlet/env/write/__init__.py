"""What a caller writes into worlds: params, inputs, meters, states and places."""
