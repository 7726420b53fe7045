"""What is read back out of the store: exports, and the check of all stored games."""
