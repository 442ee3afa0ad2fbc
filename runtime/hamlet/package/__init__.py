"""Generated packages: find, verify, import."""
