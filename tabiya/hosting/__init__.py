"""Programs that are handed in on the pages and run here, for the bots of their owners.

upload.py   what somebody has uploaded, as a clean archive: bounded, without tricks
"""
