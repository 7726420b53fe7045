"""Searches that pages show step by step, and reviews, in separate processes.

explorer.py   what a server is given: questions in, bytes out; shares, keeps and bounds the work
process.py    one process as its owner sees it: asked, told to stop, killed
worker.py     what runs in it
"""
