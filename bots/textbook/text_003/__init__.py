"""003: min-max search as a pair of functions, and as one."""
