"""The files of a pack: YAML with places, checked field by field."""
