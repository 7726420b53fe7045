"""Reading the store as a whole: exports, and verification of all stored games."""
