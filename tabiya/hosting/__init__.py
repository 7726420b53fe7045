"""Hosted programs: uploaded on the pages, and run for their owners' bots.

upload.py    what somebody has uploaded, as a clean archive: bounded, without tricks
hosting.py   the programs of one server: kept, and leased to workers by leases.py in the order of turns.py
worker.py    examines and runs what it is given, in a sandbox; server_client.py talks to the server, prepared.py unpacks
"""
