"""Processes: a server, child processes that end with their parent or run under limits, compiling in parallel."""
