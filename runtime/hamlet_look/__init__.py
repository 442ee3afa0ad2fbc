"""Pictures of worlds: as text, as pixels, as a figure, in a window."""
