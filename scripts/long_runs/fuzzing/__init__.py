"""Bent messages and hostile clients, and what must go on undisturbed beside them."""
