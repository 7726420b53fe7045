"""Handlers of the API's routes."""
