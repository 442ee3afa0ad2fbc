"""Looking at worlds: what can be seen of one, as text, as pixels, as a figure."""
