"""Agents of language models as players: a bot whose moves somebody else decides on, and the tools that they are given.

agent.py the bot and its connection · results.py what the tools answer · tools.py the tools, by the Model Context
Protocol
"""
