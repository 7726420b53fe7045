"""Commands about a PLAYER or its searches: written, played against, checked, matched, connected."""
