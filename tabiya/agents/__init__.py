"""Language models as players: a bot whose moves an agent chooses with the tools that it is given.

agent.py the bot and its connection · results.py what the tools answer · tools.py the tools, by the Model Context
Protocol
"""
