"""Stand-ins that work: for tests of the rooms that use what they stand for."""
