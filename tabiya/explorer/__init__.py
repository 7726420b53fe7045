"""The engine room of pages: searches that are shown step by step, and reviews, in processes of their own.

explorer.py   what a server is given: questions in, bytes out; shares, keeps and bounds the work
process.py    one process as its owner sees it: asked, told to stop, killed
worker.py     what runs in it
"""
