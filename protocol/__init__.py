"""The wire: every message, the two encodings, refusal and close codes, limits and time controls.

Pure: no clock, socket, event loop or randomness, and nothing of ours is imported. The reference page and the
JSON Schema in docs/reference/ are generated from here by `make docs`.
"""
