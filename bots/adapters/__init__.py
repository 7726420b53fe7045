"""Players that are other programs or other people's code: UCI engines, NBoard engines, Python files."""
