"""Players that are other programs or other people's code: engines, programs that speak our protocol, Python files."""
