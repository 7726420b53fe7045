"""The search explorer's engine room: searches in processes of their own, for pages that show them step by step.

explorer.py   what a server is given: questions in, bytes out; shares, keeps and bounds the work
process.py    one process as its owner sees it: asked, told to stop, killed
worker.py     what runs in it
"""
