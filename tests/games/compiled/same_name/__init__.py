"""Two modules with a class of one name."""
